"""What is written into a page is read out of it again, whatever it says."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.ids import RecordId, new_id
from lamina.core.record import Record
from lamina.files.memory_page import MemoryPage
from lamina.files.page import Frame, plain
from lamina.files.sections_page import AGENT, NOW
from lamina.files.tasks_page import TasksPage

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
HEAD = {"lamina": "memory", "scope": "project/web", "revision": "abc"}
AWKWARD = (
    "- ", "# ", "## Facts\n", "```\n", "~~~", "---\n", "**k**: ", "\\**", "^", "* ", "1. ",
    "<!-- lamina", "\n\n", "  ", "\t", "> ", "| a |", "[[x]]", "🎉", "\r\n", "\u2028", "\x0b",
    "^01m7hs1yrfm1hgs5rn733kskvn",
)  # fmt: skip
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(AWKWARD),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    ),
    max_size=8,
).map("".join)
KEYS = st.one_of(
    st.none(),
    st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=12),
)
KINDS = st.sampled_from(("fact", "decision", "convention", "insight"))
SECTIONS = st.sampled_from(
    (None, "Deployment", "Sessions\n2026-02-05", "Key Decisions", " \n ", "a" * 90)
)


def record(number: int, **fields: Any) -> Record:
    fixed = {"scope": "project/web", "layer": "knowledge", "kind": "fact"}
    made: Any = {**fixed, "id": RecordId(new_id(number, b"0123456789")), **fields}
    return Record(created_at=AT, updated_at=AT, **made)


@given(st.lists(st.tuples(KINDS, KEYS, TEXTS, SECTIONS), max_size=6))
def test_memory_comes_back_as_it_was_written(
    drawn: list[tuple[str, str | None, str, str | None]],
) -> None:
    page = MemoryPage()
    records = [
        record(n, kind=kind, key=key, text=text, data={"section": section} if section else {})
        for n, (kind, key, text, section) in enumerate(drawn)
    ]
    shown = page.arranged([one for one in records if page.shows(one)], Frame())
    found = page.parse(page.render(shown, Frame(), HEAD, 3))
    assert [(entry.name, dict(entry.said)) for entry in found.entries] == [
        (one.id, page.said(one)) for one in shown
    ]
    assert found.revision == "abc"
    assert found.frame.front == ()


@given(
    st.lists(st.tuples(KINDS, KEYS, TEXTS, SECTIONS), max_size=5), st.sampled_from(("\r\n", "\n"))
)
def test_what_editors_do_to_the_ends_of_lines_changes_nothing(
    drawn: list[tuple[str, str | None, str, str | None]], ending: str
) -> None:
    page = MemoryPage()
    records = [
        record(n, kind=kind, key=key, text=text.replace("\r", ""))
        for n, (kind, key, text, _) in enumerate(drawn)
    ]
    shown = page.arranged([one for one in records if page.shows(one)], Frame())
    written = page.render(shown, Frame(), HEAD, 0)
    edited = "\ufeff" + ending.join(f"{line}  " for line in written.split("\n")).rstrip(" \r\n")
    assert [entry.said for entry in page.parse(edited).entries] == [page.said(one) for one in shown]


@given(st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=4))
def test_now_comes_back_as_it_was_written(steps: list[str], texts: list[str]) -> None:
    told = [" ".join(step.split()) for step in steps]
    records = [record(0, layer="now", kind="next_steps", key="next_steps", text="\n".join(told),
                      data={"steps": told})]  # fmt: skip
    records += [
        record(n, layer="now", kind="note", key=f"Heading {n}", text=text)
        for n, text in enumerate(texts, start=1)
    ]
    found = NOW.parse(NOW.render(NOW.arranged(records, Frame()), Frame(), HEAD, 0))
    wanted = {one.key: NOW.said(one) for one in records if any(NOW.said(one).values())}
    assert {entry.name: dict(entry.said) for entry in found.entries} == wanted


@given(st.lists(st.tuples(TEXTS, st.integers(-5, 5)), max_size=4))
def test_tasks_come_back_as_they_were_written(drawn: list[tuple[str, int]]) -> None:
    page = TasksPage()
    records = [
        record(n, layer="task", kind="task", key=f"t-{n}", text=text,
               data={"status": "open", "priority": priority, "mine": [1]})
        for n, (text, priority) in enumerate(drawn)
    ]  # fmt: skip
    found = page.parse(page.render(page.arranged(records, Frame()), Frame(), HEAD, 0))
    assert {entry.name: dict(entry.said) for entry in found.entries} == {
        one.key: page.said(one) for one in records
    }


def test_people_write_as_they_like() -> None:
    text = (
        "# Ours\n\n- a plain bullet\n* **deploy**: on Fridays\n  not on Mondays\n\n"
        "A paragraph\nof two lines.\n\n```\n# code, no heading\n```\n\n***\n\n"
        "## Key Decisions\n+ 2026-02-01: SQLite\nand why\n### Later\n1. one\n2. two\n"
        "## Empty\n"
    )
    found = MemoryPage().parse(text)
    said = [entry.said for entry in found.entries]
    assert [(one["path"], one["key"], one["text"]) for one in said] == [
        (["Facts"], None, "a plain bullet"),
        (["Facts"], "deploy", "on Fridays\nnot on Mondays"),
        (["Facts"], None, "A paragraph\nof two lines."),
        (["Facts"], None, "```\n# code, no heading\n```"),
        (["Key Decisions"], None, "2026-02-01: SQLite\nand why"),
        (["Key Decisions", "Later"], None, "1. one\n2. two"),
    ]  # fmt: skip
    assert found.frame.title == "Ours"
    assert found.frame.sections[-1] == "Empty"


def test_a_fence_that_nobody_closed_swallows_nothing() -> None:
    found = MemoryPage().parse("- one\n\n```\n\n- two\n")
    assert [entry.said["text"] for entry in found.entries] == ["one", "```", "two"]


@pytest.mark.parametrize(
    "text", ["---\nlamina: memory\nrevision: abc\n\n- one", "\n\n- one\n", "- one"]
)
def test_a_head_that_somebody_broke_costs_no_entry(text: str) -> None:
    assert [entry.said["text"] for entry in MemoryPage().parse(text).entries] == ["one"]


def test_an_agent_file_shows_what_could_be_said() -> None:
    empty = AGENT.render([], Frame(), HEAD, 0)
    assert [line for line in empty.split("\n") if line.startswith("## ")] == [
        "## Identity", "## Rules", "## Capabilities",
    ]  # fmt: skip
    found = AGENT.parse(empty.replace("## Rules\n", "## Rules\n\nNever push on Fridays.\n"))
    assert [(entry.name, entry.said) for entry in found.entries] == [
        ("profile:rules", {"text": "Never push on Fridays."})
    ]


def test_plain_text_survives_editors() -> None:
    assert plain(" a  \r\n\n b \t\n\n") == "a\n\n b"
