"""`--as-of`: the answers that were right then, by instant, by span and by cursor."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import lamina as package
from lamina.core.instants import to_text
from lamina.testing.builders import WEB, a_put, write
from tests.surfaces.shell import Call

DAY = timedelta(days=1)


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # the command reads the same clock


@pytest.fixture
def history(store: Path) -> list[str]:
    """A key that was written ten, six and two days ago; the cursors behind each."""
    cursors = []
    with package.open(store) as mem:
        for days, text in ((10, "on Mondays"), (6, "on Tuesdays"), (2, "on Fridays")):
            write(mem.store, a_put(f"Deploys {text}", key="day"), at=_now() - days * DAY)
            cursors.append(mem.cursor())
        write(mem.store, a_put("Lunch at noon", key="lunch"), at=_now() - DAY)
    return cursors


def test_a_key_reads_as_it_did_then(lamina: Call, history: list[str]) -> None:
    def text(when: str) -> str:
        return lamina("--project", "web", "get", "day", "--as-of", when, "--quiet").out.strip()

    assert text("9d") == "Deploys on Mondays"
    assert text("72h") == "Deploys on Tuesdays"
    assert text("1s") == "Deploys on Fridays"
    assert text(to_text(_now() - 7 * DAY)) == "Deploys on Mondays"
    assert text((_now() - 3 * DAY).isoformat()) == "Deploys on Tuesdays"
    assert text(f"{_now() - 7 * DAY:%Y-%m-%d}") == "Deploys on Mondays"
    # The day itself counts, to its end.
    assert text(f"{_now() - 6 * DAY:%Y-%m-%d}") == "Deploys on Tuesdays"
    assert text(f"{_now():%Y-%m-%d}") == "Deploys on Fridays"
    assert [text(cursor) for cursor in history] == [
        "Deploys on Mondays", "Deploys on Tuesdays", "Deploys on Fridays",
    ]  # fmt: skip


def test_what_was_not_there_yet_is_not_found(lamina: Call, history: list[str]) -> None:
    assert lamina("--project", "web", "get", "lunch", "--as-of", history[2]).status == 3
    assert lamina("--project", "web", "get", "day", "--as-of", "30d").status == 3
    assert lamina("get", "lunch", "--scope", WEB, "--as-of", "2d").status == 3
    assert lamina("get", "lunch", "--scope", WEB, "--as-of", "1h", "-q").out == "Lunch at noon\n"


@pytest.mark.usefixtures("history")
def test_a_forgotten_memory_reads_as_before(lamina: Call) -> None:
    web = ("--project", "web")
    assert lamina(*web, "forget", "day").status == 0
    assert lamina(*web, "get", "day").status == 3
    assert lamina(*web, "get", "day", "--as-of", "1h", "-q").out == "Deploys on Fridays\n"


def test_lists_queries_and_counts_are_of_that_time(lamina: Call, history: list[str]) -> None:
    def texts(*arguments: str) -> list[str]:
        found = lamina("--project", "web", *arguments, "--json").json
        assert found["total"] == len(found["records"])
        return [record["text"] for record in found["records"]]

    assert texts("list", "--as-of", "30d") == []
    assert texts("list", "--as-of", "9d") == ["Deploys on Mondays"]
    assert texts("list", "--as-of", history[1]) == ["Deploys on Tuesdays"]
    assert texts("list") == ["Lunch at noon", "Deploys on Fridays"]
    assert texts("query", '{"key": "day"}', "--as-of", "5d") == ["Deploys on Tuesdays"]
    limited = lamina("--project", "web", "list", "--limit", "1", "--as-of", "1h", "--json").json
    assert (len(limited["records"]), limited["total"]) == (1, 2)


def test_a_recall_finds_the_words_of_that_time(lamina: Call, history: list[str]) -> None:
    def texts(*words: str) -> list[str]:
        hits = lamina("--project", "web", "recall", *words, "--json").json["hits"]
        return [hit["record"]["text"] for hit in hits]

    # By meaning, other days of the week would come up as well.
    lamina("config", "set", "recall.embedder", "off")
    assert texts("tuesdays") == []
    assert texts("tuesdays", "--as-of", "4d") == ["Deploys on Tuesdays"]
    assert texts("deploys", "--as-of", history[0]) == ["Deploys on Mondays"]
    assert texts("lunch", "--as-of", "2d") == []


@pytest.mark.parametrize(
    "when",
    [
        "", "yesterday", "7", "7 days", "d7", "-7d", "7y", "1.5d", "2026-03-01T12:00:00",
        "2026-13-01T00:00:00Z", "c1.", "c1.nonsense", "c2.abc", "9" * 50 + "d",
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", [("get", "k"), ("list",), ("recall", "x"), ("query", "{}")])
@pytest.mark.usefixtures("store")
def test_a_time_that_is_none_is_refused(command: tuple[str, ...], when: str, lamina: Call) -> None:
    answer = lamina(*command, f"--as-of={when}")
    assert (answer.status, answer.out) == (2, "")
    assert "as_of" in answer.err or "--as-of" in answer.err
    assert "Try: " in answer.err


@pytest.mark.usefixtures("store")
def test_a_cursor_of_another_store_is_refused(lamina: Call) -> None:
    with package.open(":memory:") as other:
        other.remember("elsewhere")
        foreign = other.cursor()
    answer = lamina("list", "--as-of", foreign)
    assert answer.status == 2
    assert "another store" in answer.err


def test_a_span_longer_than_history_is_before_everything(lamina: Call) -> None:
    lamina("remember", "x")
    assert lamina("list", "--as-of", "1500w", "--json").json["total"] == 0
    assert lamina("list", "--as-of", "999999w").status == 2
