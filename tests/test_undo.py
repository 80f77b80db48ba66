"""What cannot be undone: one clear error, and nothing changes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lamina import ConflictError, ForbiddenError, Memory, NotFoundError
from lamina.core.ids import new_id
from lamina.errors import LaminaError
from lamina.testing.builders import picture
from tests.places import mem
from tests.surfaces.shell import caller

__all__ = ["mem"]

UNKNOWN = new_id(1, bytes(10))


def _refused(mem: Memory, undo: Callable[[], object], kind: type[LaminaError]) -> LaminaError:
    """The error of an undo that leaves everything as it was."""
    before = picture(mem.store)
    with pytest.raises(kind) as refusal:
        undo()
    assert picture(mem.store) == before
    return refusal.value


def test_an_erased_change_does_not_come_back(mem: Memory) -> None:
    first = mem.remember("one", key="k")
    second = mem.remember("two", key="k")
    mem.erase("k")
    erased = mem.history(first.id)[-1].event.tx
    for tx in (first.tx, second.tx, erased):
        error = _refused(mem, lambda tx=tx: mem.undo(tx), ConflictError)  # type: ignore[misc]
        assert "erased" in error.message
        assert tx in error.message


def test_a_change_that_is_erased_in_part_stays_as_it_is(mem: Memory) -> None:
    batch = mem.remember_many([{"text": "one", "key": "a"}, {"text": "two", "key": "b"}])
    mem.erase("a")
    assert "whole" in _refused(mem, lambda: mem.undo(batch.tx), ConflictError).message
    assert mem.get("b").text == "two"


def test_a_foreign_change_looks_like_none(mem: Memory) -> None:
    web, api = mem.project("web"), mem.project("api")
    theirs = api.remember("theirs", key="k")
    gone = api.remember("gone")
    api.erase(gone.id)
    errors = {
        _refused(mem, lambda tx=tx: web.undo(tx), NotFoundError).message.replace(tx, "…")  # type: ignore[misc]
        for tx in (theirs.tx, gone.tx, UNKNOWN)
    }
    assert len(errors) == 1
    assert api.get("k").text == "theirs"


def test_a_change_over_two_projects_is_not_undone_from_one_of_them(mem: Memory) -> None:
    batch = mem.remember_many(
        [{"text": "one", "scope": "project/web"}, {"text": "two", "scope": "project/api"}]
    )
    _refused(mem, lambda: mem.project("web").undo(batch.tx), ConflictError)
    assert mem.count() == 2
    mem.undo(batch.tx)
    assert mem.count() == 0


def test_what_others_said_in_common_is_not_an_agents_to_undo(mem: Memory) -> None:
    ours = mem.project("web").remember("We pin dependencies", key="pins")
    finn = mem.agent("finn", project="web")
    _refused(mem, lambda: finn.undo(ours.tx), ForbiddenError)


def test_an_erased_change_of_others_is_none_for_who_does_not_see_the_stream(mem: Memory) -> None:
    finn, bob = mem.agent("finn", project="web"), mem.agent("bob", project="web")
    kept = bob.remember("bob's own", layer="notebook")
    bob.erase(kept.id)
    _refused(mem, lambda: finn.undo(kept.tx), NotFoundError)
    _refused(mem, lambda: mem.project("web").undo(kept.tx), ConflictError)


def test_a_change_is_undone_once(mem: Memory) -> None:
    mem.remember("one", key="k")
    second = mem.remember("two", key="k")
    mem.undo(second.tx)
    assert "changed since" in _refused(mem, lambda: mem.undo(second.tx), ConflictError).message
    assert mem.get("k").text == "one"


def test_changes_are_undone_one_after_the_other_from_the_last_on(mem: Memory) -> None:
    said = [mem.remember(text, key="k") for text in ("one", "two", "three")]
    with pytest.raises(ConflictError, match="changed since"):
        mem.undo(said[1].tx)
    for tx, left in zip([one.tx for one in reversed(said)], ("two", "one", None), strict=True):
        mem.undo(tx)
        assert [one.text for one in mem.query({"key": "k"})] == ([] if left is None else [left])


def test_the_command_line_says_it_in_one_line_with_a_status(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lamina = caller(capsys, tmp_path)
    kept = lamina("remember", "one", "--key", "k", "--json").json
    theirs = lamina("--project", "api", "remember", "theirs", "--json").json
    later = lamina("remember", "two", "--key", "k", "--json").json
    cases = {
        ("undo", kept["tx"]): (5, "has changed since"),
        ("--project", "web", "undo", theirs["tx"]): (3, "no transaction"),
        ("undo", UNKNOWN): (3, "no transaction"),
        ("undo", "yesterday"): (2, "`tx`"),
    }
    before = lamina("list", "--json").json
    for arguments, (status, message) in cases.items():
        answer = lamina(*arguments)
        assert (answer.status, answer.out) == (status, "")
        assert message in answer.err
    assert lamina("list", "--json").json == before
    lamina("erase", "k", "--yes")
    answer = lamina("undo", later["tx"])
    assert answer.status == 5
    assert "erased" in answer.err
