"""Export and import: the same bytes there and back, and nothing taken on trust."""

import json
import random
from pathlib import Path

import pytest

import lamina
from lamina import ForbiddenError, Memory
from lamina.core import canonical
from lamina.exchange import export_lines, import_lines
from tests.places import STORES, mem, where

__all__ = ["mem"]


def fill(mem: Memory) -> None:
    """A bit of everything: layers, revisions, states, languages, proposals, secrets."""
    mem.remember("東京の天気は晴れ", key="天気", tags=["日本"], data={"🌧": [1, 2.5, None, True]})
    mem.remember("one", key="k")
    mem.remember("two", key="k")
    gone = mem.remember("hidden", key="h")
    mem.forget(gone.id)
    mem.remember("again", key="h")
    web = mem.project("web")
    web.remember("tabs", key="indent", kind="convention", expires="7d", importance=0.25)
    mem.agent("finn", project="web").remember(
        "spaces", key="indent", kind="convention", scope="project/web"
    )
    web.remember("ran", layer="log", kind="TOOL_USE")
    web.remember("the password is " + "quartz-9-bramble-lake")


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("kind", STORES)
def test_there_and_back_gives_the_same_bytes(
    mem: Memory, kind: str, history: bool, tmp_path: Path
) -> None:
    fill(mem)
    lines = list(export_lines(mem, history=history))
    with lamina.open(where(kind, tmp_path / "copy")) as copy:
        report = import_lines(copy, lines)
        assert report.failed == ()
        assert report.added + report.revised == len(lines)
        assert report.unknown_secrets == 1
        assert list(export_lines(copy, history=history)) == lines
        again = import_lines(copy, lines)
        assert (again.unchanged, again.added) == (len(lines), 0)
        assert copy.recall("tabs").hits[0].record.scope == "project/web"


def test_a_later_export_brings_an_older_store_up_to_date(mem: Memory, tmp_path: Path) -> None:
    kept = mem.remember("one", key="k")
    with lamina.open(tmp_path / "copy") as copy:
        import_lines(copy, export_lines(mem))
        mem.remember("two", key="k")
        assert import_lines(copy, export_lines(mem)).revised == 1
        assert copy.get(kept.id).text == "two"
        assert copy.get(kept.id).rev == 2


def test_a_foreign_record_with_the_same_key_waits_as_a_proposal(
    mem: Memory, tmp_path: Path
) -> None:
    mem.remember("ours", key="k")
    with lamina.open(tmp_path / "other") as other:
        other.remember("theirs", key="k")
        report = import_lines(mem, export_lines(other))
    assert (report.proposed, report.added) == (1, 0)
    assert mem.get("k").text == "ours"
    assert [record.text for record in mem.query({"state": "proposed"})] == ["theirs"]


def test_bad_lines_are_named_and_the_rest_is_taken(mem: Memory, tmp_path: Path) -> None:
    with lamina.open(tmp_path / "other") as other:
        other.remember("good")
        [good] = export_lines(other)
    value = json.loads(good)
    rng = random.Random(5)
    bad = ["", "   ", "{", "[]", "nonsense", "{}", '{"id": NaN}', "[" * 100_000]
    for name, wrong in {
        "id": "../x", "scope": "project/../../etc", "layer": "x", "kind": "9", "state": "odd",
        "text": 5, "data": [], "tags": "x", "importance": 7, "confidence": "1", "trust": "god",
        "source": "A B", "tokens": -1, "created_at": "yesterday", "rev": 0, "key": "",
        "supersedes": "x", "expires_at": 5,
    }.items():  # fmt: skip
        bad.append(canonical.dumps({**value, name: wrong}))
    bad.append(canonical.dumps({**value, "extra": 1}))
    lines = [*bad, good]
    rng.shuffle(lines)
    report = import_lines(mem, lines)
    assert report.added == 1
    assert len(report.failed) == len(bad) - 2
    assert all(message for _, message in report.failed)
    assert mem.count() == 1


def test_only_an_admin_imports(mem: Memory) -> None:
    with pytest.raises(ForbiddenError):
        import_lines(mem.agent("finn", project="web"), [])


def test_secrets_in_an_import_are_sealed_like_any_other(mem: Memory, tmp_path: Path) -> None:
    with lamina.open(tmp_path / "other") as other:
        other.remember("harmless")
        [line] = export_lines(other)
    value = "granite-" + "77-Otter-lamp"
    told = canonical.dumps({**json.loads(line), "text": f"the password is {value}"})
    assert import_lines(mem, [told]).added == 1
    assert value not in mem.query()[0].text
