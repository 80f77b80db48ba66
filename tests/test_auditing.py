"""The audit: a whole log passes, and whatever history lost or gained behind an anchor shows."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import ForbiddenError, InvalidInputError, Memory
from lamina.core.anchor import Anchor
from lamina.core.ids import new_id
from lamina.stores.base import Severity
from lamina.stores.sqlite import DATABASE
from lamina.stores.sqlite.driver import connect
from lamina.testing.builders import picture
from tests.places import mem

__all__ = ["mem"]


def _fill(mem: Memory) -> None:
    mem.remember("Deploys on Tuesdays", key="day")
    mem.remember("Deploys on Thursdays", key="day")
    gone = mem.remember("a slip of the pen", scope="user/ann")
    kept = mem.remember("the deploy password is tangerine-42-Lagoon", scope="user/ann")
    mem.reveal(kept.id, kept.sealed[0])
    mem.project("web").remember("Imports are sorted", key="imports")
    mem.project("web").forget("imports")
    mem.erase(gone.id)


def _wrong(mem: Memory, anchor: Anchor | str | None = None) -> list[str]:
    """The checks that found damage."""
    return [one.check for one in mem.verify(anchor) if one.severity.is_damage]


def test_a_whole_log_passes_with_and_without_an_anchor(mem: Memory) -> None:
    assert _wrong(mem, mem.anchor()) == []
    _fill(mem)
    anchor = mem.anchor()
    assert {stream for stream, _, _ in anchor.heads} == {"global", "project/web", "user/ann"}
    mem.remember("and it goes on")
    mem.project("api").remember("in a stream of its own")
    for known in (None, anchor, anchor.to_text()):
        findings = mem.verify(known)
        assert {one.severity for one in findings} == {Severity.OK}
        assert ("anchor" in {one.check for one in findings}) is (known is not None)


def test_an_anchor_names_the_last_event_of_every_stream(mem: Memory) -> None:
    _fill(mem)
    for stream, seq, digest in mem.anchor().heads:
        events = mem.store.events(stream)
        assert (events[-1].seq, events[-1].hash) == (seq, digest)


def test_an_anchor_of_another_history_is_noticed(mem: Memory) -> None:
    _fill(mem)
    anchor = mem.anchor()
    for number, (stream, seq, digest) in enumerate(anchor.heads):
        for other in (
            (stream, seq + 1, digest),
            (stream, seq, "0" * 64),
            ("project/never", seq, digest),
        ):
            heads = [*anchor.heads]
            heads[number] = other
            assert _wrong(mem, replace(anchor, heads=tuple(heads))) == ["anchor"]


def test_an_anchor_of_another_store_is_refused(mem: Memory) -> None:
    _fill(mem)
    with lamina.open(":memory:") as other:
        foreign = other.anchor()
    with pytest.raises(InvalidInputError, match="another store"):
        mem.verify(foreign)


@pytest.mark.parametrize("value", ["", "{}", "c1.abc", 7, {"format": "lamina-anchor-1"}])
def test_what_is_no_anchor_is_refused(mem: Memory, value: Any) -> None:
    with pytest.raises(InvalidInputError, match="anchor"):
        mem.verify(value)


def test_a_project_audits_its_own_stream_alone(mem: Memory) -> None:
    _fill(mem)
    web = mem.project("web")
    assert [stream for stream, _, _ in web.anchor().heads] == ["project/web"]
    assert _wrong(web, web.anchor()) == []
    assert _wrong(mem, web.anchor()) == []
    whole = web.verify(mem.anchor())
    assert [one.message for one in whole if one.severity is Severity.NOTE] == [
        "2 of the anchored streams lie beyond this handle and were not compared"
    ]
    assert not any(one.severity.is_damage for one in whole)
    [head] = web.anchor().heads
    forged = replace(mem.anchor(), heads=(("user/ann", 99, "0" * 64), head))
    assert _wrong(web, forged) == []
    assert _wrong(mem, forged) == ["anchor"]


def test_whoever_sees_no_stream_as_a_whole_may_not_audit(mem: Memory) -> None:
    _fill(mem)
    for role, may in {
        "orchestrator": True,
        "agent": False,
        "reader": False,
        "skill": False,
    }.items():
        handle = mem.agent("finn", project="web", role=role)
        if may:
            assert _wrong(handle, handle.anchor()) == []
            continue
        for call in (handle.verify, handle.anchor):
            with pytest.raises(ForbiddenError, match="no stream as a whole"):
                call()
    assert _wrong(mem.agent("loner")) == []


def test_a_stranger_stream_is_neither_checked_nor_named(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.project("web").remember("sound")
        mem.project("api").remember("forged")
    _sql(tmp_path, "update version set text = 'other' where text = 'forged'")
    with lamina.open(tmp_path) as mem:
        assert _wrong(mem) == ["digests"]
        assert _wrong(mem.project("api")) == ["digests"]
        assert {one.severity for one in mem.project("web").verify()} == {Severity.OK}


def _sql(folder: Path, *statements: str) -> None:
    """Change the file as anybody with a SQL prompt could."""
    connection = connect(folder / DATABASE, create=False)
    connection.execute("pragma foreign_keys = off")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def _reworded(value: dict[str, Any]) -> None:
    value["records"][0]["versions"][0]["text"] = "another"


def _resigned(value: dict[str, Any]) -> None:
    value["streams"]["global"][0][5] = "mallory"


def _dropped_event(value: dict[str, Any]) -> None:
    del value["streams"]["global"][0]


def _dropped_record(value: dict[str, Any]) -> None:
    del value["records"][0]


def _dropped_salt(value: dict[str, Any]) -> None:
    value["records"][0]["salts"] = {}


def _added_record(value: dict[str, Any]) -> None:
    [added] = [one for one in value["records"] if one["versions"][0]["key"] == "day"]
    added = json.loads(json.dumps(added))
    for version in added["versions"]:
        version.update(id=new_id(1, bytes(10)), key=None)
    value["records"].append(added)


@pytest.mark.parametrize(
    ("tamper", "check"),
    [
        (_reworded, "digests"),
        (_resigned, "chain"),
        (_dropped_event, "chain"),
        (_dropped_record, "versions"),
        (_dropped_salt, "digests"),
        (_added_record, "digests"),
    ],
)
def test_a_json_file_that_was_edited_is_noticed(
    tamper: Callable[[dict[str, Any]], None], check: str, tmp_path: Path
) -> None:
    file = tmp_path / "m.json"
    with lamina.open(f"json:{file}") as mem:
        _fill(mem)
    value = json.loads(file.read_text())
    tamper(value)
    file.write_text(json.dumps(value))
    with lamina.open(f"json:{file}") as mem:
        assert check in _wrong(mem)


def _kept_copies(folder: Path) -> tuple[Path, str, str]:
    """A store that was copied away in the middle, and the anchors of then and now."""
    copy = folder.with_suffix(".old")
    with lamina.open(folder) as mem:
        _fill(mem)
        then = mem.anchor().to_text()
    shutil.copyfile(folder / DATABASE, copy)
    with lamina.open(folder) as mem:
        for number in range(5):
            mem.remember(f"later {number}")
        return copy, then, mem.anchor().to_text()


def _cut_the_end(folder: Path, copy: Path) -> None:
    """Take out the newest change with all that it left, and set the head of its stream back."""
    _sql(
        folder,
        "delete from word where rowid = (select max(rid) from record)",
        "delete from version where vid = (select max(vid) from version)",
        "delete from record where rid = (select max(rid) from record)",
        "delete from event where sid = (select sid from stream where name = 'global')"
        " and seq = (select seq from stream where name = 'global')",
        "update stream set (seq, hash, at) = (select e.seq, e.hash, e.at from event e"
        " where e.sid = stream.sid order by e.seq desc limit 1),"
        " documents = documents - 1, tokens = tokens - 2 where name = 'global'",
    )


def _put_back(folder: Path, copy: Path) -> None:
    shutil.copyfile(copy, folder / DATABASE)


def _put_back_and_write_on(folder: Path, copy: Path) -> None:
    _put_back(folder, copy)
    with lamina.open(folder) as mem:
        for number in range(5):
            mem.remember(f"later {number}")


@pytest.mark.parametrize("tamper", [_cut_the_end, _put_back, _put_back_and_write_on])
def test_what_a_chain_cannot_show_an_anchor_does(
    tamper: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    copy, then, now = _kept_copies(folder)
    tamper(folder, copy)
    with lamina.open(folder) as mem:
        assert _wrong(mem) == []
        assert _wrong(mem, then) == []
        assert _wrong(mem, now) == ["anchor"]
        [told] = [one for one in mem.verify(now) if one.severity.is_damage]
    assert told.message.startswith("global event ")
    assert told.remedy


def test_an_audit_changes_nothing(mem: Memory) -> None:
    _fill(mem)
    anchor, before = mem.anchor(), picture(mem.store)
    mem.verify(anchor)
    assert mem.anchor().heads == anchor.heads
    assert picture(mem.store) == before


def test_what_is_anchored_is_on_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    with lamina.open(f"json:{file}") as mem:
        _fill(mem)
        anchor = mem.anchor()
        saved = file.read_text()
    assert anchor.store in saved
    assert all(digest in saved for _, _, digest in anchor.heads)
