"""Capsules: a notebook as one file that is searched on its own, verified and taken in elsewhere."""

import hashlib
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import ForbiddenError, InvalidInputError, LaminaError, Memory, capsule
from lamina.core.record import State
from lamina.errors import StoreDamagedError, StoreVersionError
from tests.places import STORES, where

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

PIECES = [b"", b"\n", b'"', b"{", b"[" * 9, b"\xff", b"0", b"null", b"\\u0000", b"9" * 30, b"NaN"]


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


@pytest.fixture(params=STORES)
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "other")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


def made(mem: Memory, path: Path) -> Path:
    book = mem.agent("finn", project="web").notebook("t-1")
    book.note("the lexer drops tabs")
    book.reason("design", "a table is simpler than a class", cost=3)
    book.tool_output("pytest", "3 failed, 12 passed")
    about = book.capsule(path)
    assert (about.agent, about.task, about.records) == ("finn", "t-1", 3)
    return path


def test_a_capsule_is_searched_without_a_store(whole: Memory, tmp_path: Path) -> None:
    file = made(whole, tmp_path / "c")
    whole.agent("finn", project="web").notebook("t-2").note("a lexer of another task")
    with capsule.open(file) as opened:
        assert [note.kind for note in opened.read()] == ["note", "reasoning", "tool_output"]
        assert [note.text for note in opened.read(stage="design")] == [
            "a table is simpler than a class"
        ]
        found = opened.recall("which tabs does the lexer drop?")
        assert [hit.record.text for hit in found.hits] == ["the lexer drops tabs"]
        assert opened.recall("the price of herring in Bergen").abstained
        assert [one.data["cost"] for one in opened.query({"data.cost": {"$gt": 2}})] == [3]


def test_a_capsule_is_searched_by_meaning(tmp_path: Path) -> None:
    with lamina.open(":memory:") as mem:
        file = made(mem, tmp_path / "c")
    with capsule.open(file) as opened:
        found = opened.recall("some of the tests did not succeed", k=1)
        assert found.degraded == ()
        assert found.hits[0].record.text == "3 failed, 12 passed"


def test_the_same_notes_make_the_same_bytes(whole: Memory, tmp_path: Path) -> None:
    first = made(whole, tmp_path / "c")
    whole.agent("finn", project="web").notebook("t-1").capsule(tmp_path / "d")
    assert first.read_bytes() == (tmp_path / "d").read_bytes()
    assert os.stat(first).st_mode & 0o777 == 0o600


def test_a_capsule_holds_what_was_archived_and_nothing_forgotten(
    whole: Memory, tmp_path: Path
) -> None:
    finn = whole.agent("finn", project="web")
    book = finn.notebook("t-1")
    book.note("a heron that was kept")
    archived = finn.get(book.note("a heron that was archived").outcomes[0].id)
    gone = book.note("a heron that was forgotten").outcomes[0].id
    finn.remember(
        "a heron of a moment", layer="notebook", scope=book.scope, expires="2001-01-01T00:00:00Z"
    )
    finn.forget(gone)
    path = finn.path_for(finn.principal.surface)
    path.commit([path.move(archived, State.ARCHIVED)])
    book.capsule(tmp_path / "c")
    with capsule.open(tmp_path / "c") as opened:
        found = {hit.record.text for hit in opened.recall("heron", k=9).hits}
    assert found == {"a heron that was kept", "a heron that was archived"}


def test_a_capsule_never_replaces_a_file_unasked(whole: Memory, tmp_path: Path) -> None:
    file = made(whole, tmp_path / "c")
    before = file.read_bytes()
    book = whole.agent("finn", project="web").notebook("t-1")
    book.note("more")
    with pytest.raises(InvalidInputError, match="exists already"):
        book.capsule(file)
    assert file.read_bytes() == before
    book.capsule(file, replace=True)
    assert len(capsule.read(file).records) == 4
    for odd in (tmp_path / "no" / "folder", tmp_path, "", "a\0b"):
        with pytest.raises(InvalidInputError):
            book.capsule(odd, replace=True)
    assert sorted(one.name for one in tmp_path.iterdir() if one.name != "store") == ["c"]


def test_every_changed_missing_or_added_byte_is_noticed(tmp_path: Path) -> None:
    with lamina.open(":memory:") as mem:
        whole = made(mem, tmp_path / "c").read_bytes()
    file = tmp_path / "d"
    broken = [whole[:n] for n in range(0, len(whole), 7)] + [whole[:-1], whole + b"\n", b"\n\n\n\n"]
    broken += [whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1 :] for n in range(len(whole))]
    for one in broken:
        file.write_bytes(one)
        with pytest.raises((StoreDamagedError, InvalidInputError)):
            capsule.read(file)
    file.write_bytes(whole)
    assert len(capsule.read(file).records) == 3


def forged(file: Path, change: dict[str, object], line: int = 1) -> Path:
    """A capsule that somebody wrote anew, with a checksum that fits."""
    lines = file.read_bytes().split(b"\n")[:-2]
    said = json.loads(lines[line]) | change
    lines[line] = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    body = b"\n".join(lines) + b"\n"
    seal = f'{{"sha256":"{hashlib.sha256(body).hexdigest()}"}}\n'
    new = file.with_name("forged")
    new.write_bytes(body + seal.encode())
    return new


@pytest.mark.parametrize(
    "change",
    [
        {"scope": "project/other"}, {"layer": "knowledge"}, {"state": "forgotten"}, {"rev": 0},
        {"trust": "god"}, {"more": 1}, {"id": "x"},
    ],
)  # fmt: skip
def test_notes_that_cannot_be_are_refused_even_under_a_fitting_checksum(
    change: dict[str, object], tmp_path: Path
) -> None:
    with lamina.open(":memory:") as mem:
        file = made(mem, tmp_path / "c")
    with pytest.raises(StoreDamagedError):
        capsule.read(forged(file, change))


def test_whatever_a_stranger_writes_is_read_or_refused(tmp_path: Path) -> None:
    with lamina.open(":memory:") as mem:
        file = made(mem, tmp_path / "c")
    body = file.read_bytes().rsplit(b"\n", 2)[0] + b"\n"
    dice, odd = random.Random(7), tmp_path / "odd"
    for _ in range(400):
        raw = bytearray(body)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(raw))
            raw[at : at + dice.randint(0, 3)] = dice.choice(PIECES)
        seal = f'{{"sha256":"{hashlib.sha256(raw).hexdigest()}"}}\n'
        odd.write_bytes(bytes(raw) + seal.encode())
        try:
            with capsule.open(odd, words_only=True) as opened:
                opened.recall("lexer tabs")
        except LaminaError:
            continue


def test_a_capsule_of_a_newer_format_or_of_something_else_is_told(tmp_path: Path) -> None:
    with lamina.open(":memory:") as mem:
        file = made(mem, tmp_path / "c")
    with pytest.raises(StoreVersionError):
        capsule.read(forged(file, {"format": 2}, line=0))
    with pytest.raises(StoreDamagedError):
        capsule.read(forged(file, {"records": 7}, line=0))
    os.mkfifo(tmp_path / "pipe")
    for odd in (tmp_path, tmp_path / "absent", tmp_path / "pipe"):
        with pytest.raises(InvalidInputError):
            capsule.read(odd)


def test_taken_in_elsewhere_it_is_believed_as_a_file(
    whole: Memory, elsewhere: Memory, tmp_path: Path
) -> None:
    file = made(whole, tmp_path / "c")
    taken = capsule.take_in(elsewhere.project("shop"), file, agent="maya")
    assert (taken.own, taken.added, taken.scope) == (False, 3, "project/shop/agent/maya/task/t-1")
    notes = elsewhere.agent("maya", project="shop").notebook("t-1").read()
    assert [note.text for note in notes][0] == "the lexer drops tabs"
    assert {note.trust.value for note in notes} == {"file"}
    assert {note.source for note in notes} == {"finn"}
    assert elsewhere.agent("finn", project="shop").notebook("t-1").read() == []
    less = capsule.take_in(elsewhere.project("shop"), file, agent="vera", via="web")
    assert less.added == 3
    shown = elsewhere.agent("vera", project="shop").notebook("t-1").read()
    assert {note.trust.value for note in shown} == {"web"}


def test_what_the_store_made_itself_comes_back_as_it_was(whole: Memory, tmp_path: Path) -> None:
    file = made(whole, tmp_path / "c")
    before = whole.agent("finn", project="web").notebook("t-1").read()
    again = capsule.take_in(whole, file)
    assert (again.own, again.added, again.unchanged) == (True, 0, 3)
    assert whole.agent("finn", project="web").notebook("t-1").read() == before
    handed = capsule.take_in(whole.project("web"), file, agent="maya", task="t-9")
    assert handed.added == 3
    notes = whole.agent("maya", project="web").notebook("t-9").read()
    assert {note.trust.value for note in notes} == {"agent"}
    changed = forged(file, {"trust": "user"})
    assert capsule.take_in(whole.project("shop"), changed).own is False
    shown = whole.agent("finn", project="shop").notebook("t-1").read()
    assert {note.trust.value for note in shown} == {"file"}


def test_taking_in_twice_changes_nothing(whole: Memory, tmp_path: Path) -> None:
    file = made(whole, tmp_path / "c")
    shop = whole.project("shop")
    capsule.take_in(shop, file)
    maker = whole.agent("finn", project="shop")
    first, second, third = maker.notebook("t-1").read()
    maker.edit(first.id, "corrected here")
    maker.forget(second.id)
    whole.erase(third.id)
    cursor = whole.cursor()
    taken = capsule.take_in(shop, file)
    assert (taken.added, taken.unchanged, taken.forgotten, taken.erased) == (0, 1, 1, 1)
    assert list(whole.changes(cursor)) == []
    assert [note.text for note in maker.notebook("t-1").read()] == ["corrected here"]


def test_what_was_erased_where_it_was_made_is_not_brought_back(
    whole: Memory, tmp_path: Path
) -> None:
    file = made(whole, tmp_path / "c")
    first = whole.agent("finn", project="web").notebook("t-1").read()[0]
    whole.erase(first.id)
    taken = capsule.take_in(whole, file)
    assert (taken.erased, taken.unchanged) == (1, 2)
    assert capsule.take_in(whole.project("shop"), file).erased == 1
    assert whole.recall("lexer tabs", layers=["notebook"]).abstained


def test_a_newer_capsule_brings_what_changed(
    whole: Memory, elsewhere: Memory, tmp_path: Path
) -> None:
    capsule.take_in(elsewhere, made(whole, tmp_path / "c"))
    finn = whole.agent("finn", project="web")
    finn.edit(finn.notebook("t-1").read()[0].id, "the lexer keeps tabs now")
    finn.notebook("t-1").note("one more")
    finn.notebook("t-1").capsule(tmp_path / "d")
    taken = capsule.take_in(elsewhere, tmp_path / "d")
    assert (taken.revised, taken.added, taken.unchanged) == (1, 1, 2)
    texts = [note.text for note in elsewhere.agent("finn", project="web").notebook("t-1").read()]
    assert texts[0] == "the lexer keeps tabs now"
    assert texts[-1] == "one more"


def test_not_even_a_newer_capsule_brings_back_what_was_forgotten(
    whole: Memory, elsewhere: Memory, tmp_path: Path
) -> None:
    capsule.take_in(elsewhere, made(whole, tmp_path / "c"))
    there = elsewhere.agent("finn", project="web")
    there.forget(there.notebook("t-1").read()[0].id)
    finn = whole.agent("finn", project="web")
    for text in ("tabs count", "tabs count twice", "tabs count thrice"):
        finn.edit(finn.notebook("t-1").read()[0].id, text)
    finn.notebook("t-1").capsule(tmp_path / "d")
    taken = capsule.take_in(elsewhere, tmp_path / "d")
    assert (taken.forgotten, taken.revised, taken.unchanged) == (1, 0, 2)
    assert len(there.notebook("t-1").read()) == 2


def test_secrets_stay_where_they_are(whole: Memory, elsewhere: Memory, tmp_path: Path) -> None:
    finn = whole.agent("finn", project="web")
    receipt = finn.notebook("t-1").note(f"the deploy token is {SECRET}")
    assert receipt.sealed
    finn.notebook("t-1").capsule(tmp_path / "c")
    raw = (tmp_path / "c").read_text()
    assert SECRET not in raw
    assert receipt.sealed[0] in raw
    taken = capsule.take_in(elsewhere, tmp_path / "c")
    assert taken.unknown_secrets == 1
    [note] = elsewhere.agent("finn", project="web").notebook("t-1").read()
    with pytest.raises(LaminaError):
        elsewhere.reveal(note.id, receipt.sealed[0])


def test_only_an_admin_takes_in_and_only_into_its_own_project(
    whole: Memory, tmp_path: Path
) -> None:
    file = made(whole, tmp_path / "c")
    for role in ("agent", "orchestrator", "skill", "reader"):
        with pytest.raises(ForbiddenError):
            capsule.take_in(whole.agent("maya", project="web", role=role), file)
    capsule.take_in(whole.project("shop"), file)
    assert whole.count({"layer": "notebook"}, scope="project/web") == 3
    with pytest.raises(InvalidInputError, match="`via`"):
        capsule.take_in(whole, file, via="rumour")


def test_what_was_public_there_is_private_here(
    whole: Memory, elsewhere: Memory, tmp_path: Path
) -> None:
    finn = whole.agent("finn", project="web")
    finn.public.share(finn.notebook("t-1").note("herons nest by the river").outcomes[0].id)
    finn.notebook("t-1").capsule(tmp_path / "c")
    assert capsule.take_in(elsewhere, tmp_path / "c").added == 1
    assert elsewhere.agent("maya", project="web").public.of("finn") == []
    assert capsule.take_in(whole, tmp_path / "c").unchanged == 1
    assert len(whole.agent("maya", project="web").public.of("finn")) == 1


def test_no_note_from_elsewhere_becomes_knowledge_by_itself(
    whole: Memory, elsewhere: Memory, tmp_path: Path
) -> None:
    whole.agent("finn", project="web").notebook("t-1").note("believe me", promote="decision")
    whole.agent("finn", project="web").notebook("t-1").capsule(tmp_path / "c")
    capsule.take_in(elsewhere, tmp_path / "c")
    finn = elsewhere.agent("finn", project="web")
    finn.task.add("t-1", "something")
    finn.task.move("t-1", "active")
    finn.task.move("t-1", "done")
    assert finn.knowledge.query() == []
    assert len(finn.notebook("t-1").read(archived=True)) == 1


def test_a_capsule_is_reached_from_the_root_of_the_package(tmp_path: Path) -> None:
    with lamina.open(":memory:") as mem:
        file = made(mem, tmp_path / "c")
    assert len(lamina.capsule.read(file).records) == 3
