"""An attempt at a task: an empty mind, an episode however it ends, and what it produced."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import ConflictError, InvalidInputError, Memory, NotFoundError
from tests.places import STORES, where


@pytest.fixture(params=STORES)
def finn(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        agent = opened.agent("finn", project="web")
        agent.task.add("t-1", "write the lexer")
        yield agent


def test_an_attempt_that_succeeds_leaves_its_episode_and_files(
    finn: Memory, tmp_path: Path
) -> None:
    (tmp_path / "lexer.py").write_text("def lex(): ...\n")
    finn.working.set("plan", "of the task before")
    with finn.task.attempt("t-1", approach="by hand") as attempt:
        assert finn.working.all() == {"context": {"task": "t-1", "approach": "by hand"}}
        attempt.working.set("plan", ["read", "write"])
        assert [one.kind for one in finn.episode.of_task("t-1")] == ["attempted"]
        attempt.artifact("lexer.py", workspace=tmp_path, description="the lexer")
        attempt.spent(tokens_in=900, tokens_out=80)
        attempt.spent(tokens_in=100)
        attempt.outcome("all tests pass")
    assert finn.working.all() == {}
    [began, ended] = finn.episode.of_task("t-1")
    assert (ended.kind, ended.source) == ("completed", "finn")
    assert ended.data.pop("duration_ms") >= 0
    assert ended.data == {
        "task": "t-1", "approach": "by hand", "outcome": "all tests pass", "tokens_in": 1000,
        "tokens_out": 80,
    }  # fmt: skip
    [made] = finn.artifact.query(task="t-1")
    assert (made.key, made.text) == ("lexer.py", "the lexer")
    # How far the task has come is said on purpose, never by the way.
    assert finn.task.get("t-1").data["status"] == "open"


def test_an_attempt_that_fails_says_why_and_lets_the_error_go_on(finn: Memory) -> None:
    with pytest.raises(ZeroDivisionError), finn.task.attempt("t-1", approach="regex"):
        raise ZeroDivisionError("no tokens \0 at all \udc80")
    assert finn.working.all() == {}
    with finn.task.attempt("t-1", approach="by hand"):
        pass
    episodes = finn.episode.of_task("t-1")
    assert [one.kind for one in episodes] == ["attempted", "failed", "retried", "completed"]
    assert str(episodes[1].data["outcome"]).startswith("ZeroDivisionError: no tokens")
    assert "tokens_in" not in episodes[1].data
    assert {rate.approach: rate.success for rate in finn.episode.rates()} == {
        "regex": 0.0, "by hand": 1.0,
    }  # fmt: skip


def test_a_stop_from_outside_is_a_failure_too(finn: Memory) -> None:
    with pytest.raises(KeyboardInterrupt), finn.task.attempt("t-1", approach="slowly"):
        raise KeyboardInterrupt
    assert finn.episode.of_task("t-1")[-1].data["outcome"] == "KeyboardInterrupt"


def test_the_first_error_is_heard_when_the_store_is_gone_too(tmp_path: Path) -> None:
    whole = lamina.open(tmp_path / "store")
    finn = whole.agent("finn", project="web")
    finn.task.add("t-1", "write the lexer")
    attempt = finn.task.attempt("t-1", approach="regex")
    attempt.__enter__()
    whole.close()
    error = ZeroDivisionError("no tokens")
    attempt.__exit__(ZeroDivisionError, error, None)
    assert "could not be recorded" in error.__notes__[0]


def test_a_secret_in_an_error_is_sealed(finn: Memory) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with pytest.raises(RuntimeError), finn.task.attempt("t-1", approach="log in"):
        raise RuntimeError(f"refused: {token}")
    assert token not in repr(finn.episode.of_task("t-1"))


def test_there_is_no_attempt_at_what_is_unknown_or_over(finn: Memory) -> None:
    with pytest.raises(NotFoundError, match="t-9"):
        finn.task.attempt("t-9", approach="any")
    finn.task.move("t-1", "dropped")
    with pytest.raises(ConflictError, match="ended"):
        finn.task.attempt("t-1", approach="any")
    assert finn.episode.query() == []


def test_what_is_no_count_is_refused_where_it_is_said(finn: Memory) -> None:
    with finn.task.attempt("t-1", approach="by hand") as attempt:
        for bad in (-1, 1.5, True, "many"):
            with pytest.raises(InvalidInputError, match="tokens_in"):
                attempt.spent(tokens_in=bad)  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError, match="text"):
            attempt.outcome(None)  # type: ignore[arg-type]
    assert finn.episode.of_task("t-1")[-1].kind == "completed"
