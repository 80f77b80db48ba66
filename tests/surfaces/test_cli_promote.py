"""`lamina promote`: by hand, and the review of what waits."""

from pathlib import Path

import pytest

from tests.surfaces.shell import Call, on_terminal

FINN = ("--as", "finn", "--project", "web")
WEB = ("--project", "web")


def _note(lamina: Call, text: str) -> str:
    scope = "project/web/agent/finn/task/t-1"
    kept = lamina("remember", text, "--layer", "notebook", "--scope", scope, *FINN, "-q")
    return kept.out.strip()


def test_a_note_becomes_knowledge_and_can_be_taken_back(lamina: Call) -> None:
    note = _note(lamina, "The kettle leaks")
    done = lamina("promote", note, "--kind", "pitfall", *FINN, "--json")
    assert done.status == 0
    shown = lamina("list", "--layer", "knowledge", *WEB, "--json").json["records"]
    assert [(one["kind"], one["scope"], one["source"]) for one in shown] == [
        ("pitfall", "project/web", "finn")
    ]
    again = lamina("promote", note, "--kind", "pitfall", *FINN)
    assert (again.status, again.out) == (0, "")
    assert "promoted before" in again.err
    assert lamina("promote", note, "--kind", "pitfall", *FINN, "--json").json == {"outcomes": []}
    assert lamina("undo", done.json["tx"], *FINN).status == 0
    assert lamina("list", "--layer", "knowledge", *WEB, "-q").out == ""
    assert lamina("promote", note, "--to", "global", *FINN).status == 4
    assert lamina("promote", note, "--to", "experience", *FINN).status == 0


@pytest.mark.parametrize(
    "arguments", [(), ("x",), ("--to", "moon"), ("--review", "x"), ("x", "--accept", "x")]
)
def test_a_wrong_call_is_refused(lamina: Call, arguments: tuple[str, ...]) -> None:
    lamina("remember", "x")
    assert lamina("promote", *arguments).status == 2


def test_what_waits_is_listed_accepted_and_rejected(lamina: Call) -> None:
    lamina("remember", "x")
    assert lamina("config", "set", "knowledge.accept", "review").status == 0
    for text in ("The kettle leaks", "The heron bites"):
        lamina("promote", _note(lamina, text), *FINN)
    listed = lamina("promote", "--review", *WEB)
    heron, kettle = (line.split("\t") for line in listed.out.splitlines())
    assert heron[1:] == [
        "project/web", "fact", "finn", "agent", "The heron bites",
        "it is promoted from the notebook of finn",
    ]  # fmt: skip
    assert lamina("promote", "--accept", kettle[0], *FINN).status == 4
    settled = lamina("promote", "--accept", kettle[0], "--reject", heron[0], *WEB, "--json")
    assert [one["outcomes"][0]["state"] for one in settled.json["receipts"]] == [
        "current", "forgotten"
    ]  # fmt: skip
    nothing = lamina("promote", "--review", *WEB)
    assert (nothing.out, nothing.status) == ("", 0)
    assert "Nothing waits" in nothing.err


def test_on_a_terminal_each_is_asked_about(lamina: Call, store: Path) -> None:
    lamina("remember", "x")
    assert lamina("config", "set", "knowledge.accept", "review").status == 0
    for text in ("The kettle leaks", "The heron bites", "The roof leaks"):
        lamina("promote", _note(lamina, text), *FINN)
    asked = on_terminal(
        "--dir", str(store), "promote", "--review", *WEB,
        cwd=store.parent, typed=b"accept\nreject\n\n",
    )  # fmt: skip
    assert (asked.status, asked.out.count("leave it?")) == (0, 3)
    assert len(lamina("promote", "--review", *WEB, "-q").out.split()) == 1
    assert "The roof leaks" in lamina("list", "--layer", "knowledge", *WEB).out
