"""What the rules find in a text, and what they leave alone."""

import pytest

from lamina.extraction import Finding, mine

PAGE = """\
---
title: not prose, TODO: nothing
---
# Storage

Ledger is a small service that keeps every payment once.

We chose SQLite over Postgres because one file is easier to back up. It was raining that day.

- [ ] Measure the cold start
- [x] Write the migration
- **Segment** — a part of the index that is never changed

```python
# TODO: inside a fence this is an example
```

TODO(ann): tell the operators
about the new port.

> [!WARNING]
> Two writers wait for each other.

A write takes 3 ms on a laptop.
"""


def found(text: str, language: str = "markdown", **wanted: object) -> list[Finding]:
    return [
        one
        for one in mine(text, language)
        if all(getattr(one, name) == value for name, value in wanted.items())
    ]


def titles(text: str, kind: str, language: str = "markdown") -> list[str]:
    return [one.title for one in found(text, language, kind=kind)]


def test_a_page_gives_every_kind_with_its_line() -> None:
    seen = [(one.line, one.kind, one.title) for one in mine(PAGE, "markdown")]
    assert seen == [
        (4, "note", "Storage"),
        (6, "entity", "Ledger"),
        (8, "decision", "We chose SQLite over Postgres because one file is easier to back up."),
        (10, "task", "Measure the cold start"),
        (11, "task", "Write the migration"),
        (12, "entity", "Segment"),
        (18, "task", "tell the operators about the new port."),
        (21, "note", "Two writers wait for each other."),
        (24, "claim", "A write takes 3 ms on a laptop."),
    ]


def test_a_finding_says_how_sure_it_is() -> None:
    sure = {one.title: one.confidence for one in mine(PAGE, "markdown")}
    assert sure["Measure the cold start"] == 0.95
    assert sure["We chose SQLite over Postgres because one file is easier to back up."] == 0.85
    assert sure["Segment"] == 0.5
    assert sure["Measure the cold start"] > sure["Storage"] > sure["Segment"]


def test_a_box_says_whether_it_is_done() -> None:
    done = {one.title: one.done for one in found(PAGE, kind="task")}
    assert done["Measure the cold start"] is False
    assert done["Write the migration"] is True
    assert done["tell the operators about the new port."] is None


@pytest.mark.parametrize(
    "text",
    [
        "We decided to drop the cache.",
        "The team has finally agreed on weekly releases.",
        "It was decided that keys never expire.",
        "Lance was rejected because it needs a server.",
        "We use threads instead of processes here.",
        "For the fastest start, we choose one thread.",
        "We've deliberately chosen a flat layout.",
        "**Decision:** one writer per store.",
        "Decision: one writer per store.",
        "- Rejected: a second index for phrases",
    ],
)
def test_decisions_are_told_by_their_wording(text: str) -> None:
    assert len(found(text, kind="decision")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Should we have decided to drop the cache?",
        "If we chose SQLite over Postgres, one file would do.",
        "We have not decided anything about the cache.",
        'A sentence such as "we chose X over Y because of Z" tells of a decision.',
        "The text `we decided to drop it` is an example here.",
        "Once we decided to drop it, nobody would ask.",
        "The colour was chosen by the reader of this page.",
        "The framework that we choose may matter to testers.",
        "The goals we have chosen are not the sort that one completes.",
        "- Ann wrote:\n  > We chose it over the other one.",
    ],
)
def test_what_is_asked_supposed_or_quoted_is_no_decision(text: str) -> None:
    assert found(text, kind="decision") == []


def test_a_page_that_records_a_decision_is_one() -> None:
    for page in (
        "# 4. Use one file\n\n## Context\n\nMany.\n\n## Decision\n\nOne file holds all.\n\n"
        "It is locked.\n\n## Consequences\n\nSlow.\n",
        "# 4. Use one file\n\n**Context.** Many.\n\n**Choice.** One file holds all.\n\n"
        "It is locked.\n\n**Price.** Slow.\n",
    ):
        [decision] = found(page, kind="decision")
        assert (decision.title, decision.rule) == ("4. Use one file", "record")
        assert decision.content == "One file holds all.\nIt is locked."
        assert decision.confidence == 0.9


def test_a_list_is_what_its_heading_says() -> None:
    page = "# Plan\n\n## Next steps\n\n- Ship the new index\n- Go\n\n## Other\n\n- A red car\n"
    assert titles(page, "task") == ["Ship the new index"]
    assert titles("## Decisions\n\n- One writer per store\n", "decision") == [
        "One writer per store"
    ]
    assert titles("## Assumptions\n\n- Clocks go forward\n", "claim") == ["Clocks go forward"]


def test_a_heading_with_nothing_under_it_is_no_note() -> None:
    assert mine("# Title\n\n## Usage\n\n```sh\nrun\n```\n", "markdown") == []


def test_sections_know_the_headings_above_them() -> None:
    part = "\n\n### Added\n\nA way in for all.\n\n"
    page = f"# Log\n\n## 1.1{part}## 1.0{part}"
    first, second = found(page, kind="note")
    assert (first.section, second.section) == ("Log > 1.1", "Log > 1.0")
    assert first.identity != second.identity


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", 'x = "# TODO: not this"  # TODO: close the file\n'),
        ("python", '"""\n# TODO: not this\n"""\n# TODO: close the file\n'),
        ("javascript", 'const u = "http://x"; // TODO: close the file\n'),
        ("go", "/* nothing\n * TODO: close the file\n */\n"),
        ("rust", "fn f<'a>(x: &'a str) {} // FIXME: close the file\n"),
        ("shell", "n=$# ; echo ${x#y}\n# TODO: close the file\n"),
        ("sql", "select '--TODO: no'; -- TODO: close the file\n"),
        ("lua", "--[[ nothing ]] local x = 1 -- TODO: close the file\n"),
        ("html", "<p>TODO: not this</p>\n<!-- TODO: close the file -->\n"),
        ("css", "a { b: c } /* TODO: close the file */\n"),
        ("yaml", "a: don't  # TODO: close the file\n"),
    ],
)
def test_comments_of_code_are_read_and_strings_are_not(language: str, text: str) -> None:
    [task] = mine(text, language)
    assert (task.kind, task.title) == ("task", "close the file")
    assert "TODO: close" in text.split("\n")[task.line - 1].replace("FIXME", "TODO")


def test_a_comment_goes_on_over_its_lines_and_no_further() -> None:
    above = "# TODO: close the file\n# when it is done\n#\n# Other words.\n"
    code = f"{above}x = 1  # NOTE: a port here\n# More.\n"
    task, note = mine(code, "python")
    assert task.title == "close the file when it is done"
    assert (note.kind, note.title, note.line) == ("note", "a port here", 5)


def test_a_tag_without_a_colon_counts_in_comments_alone() -> None:
    [task] = mine("// TODO close the file\n", "go")
    assert task.confidence == 0.85
    assert titles("The TODO list is long and nobody reads it.\n", "task") == []


def test_code_is_not_mined_for_claims() -> None:
    assert mine("# A write takes 3 ms on a laptop.\nx = 1\n", "python") == []
    [decision] = mine("# We chose a list over a set because order matters.\nx = []\n", "python")
    assert decision.kind == "decision"


def test_other_languages_do_no_harm() -> None:
    page = (
        "# Überblick\n\nWir haben SQLite gewählt, weil eine Datei genügt.\n\n- [ ] Größe messen\n"
    )
    assert [(one.kind, one.title) for one in mine(page, "markdown")] == [
        ("note", "Überblick"), ("task", "Größe messen"),
    ]  # fmt: skip
    japanese = "# 概要\n\nこれは 保存 の ための 文 です。次の文。\n\n- [x] 測定する\n"
    assert [one.title for one in mine(japanese, "markdown")] == ["概要", "測定する"]


def test_the_same_sentence_twice_is_found_twice() -> None:
    text = "TODO: close the file\n\nWords between them.\n\nTODO: close the file\n"
    assert [one.line for one in found(text, kind="task")] == [1, 5]


def test_an_indented_listing_is_no_prose_whatever_stands_in_it() -> None:
    listing = "    Usage: run\n    - [ ] not a task\n\n    - [ ] nor this\n"
    page = f"Like this::\n\n{listing}\n- [ ] A task\n"
    assert titles(page, "task", "rst") == ["A task"]
    assert titles("- [ ] One here\n\n    - [ ] Below it\n", "task") == ["One here", "Below it"]


def test_praise_and_confessions_are_no_statements() -> None:
    assert mine("Kubernetes is an excellent choice for all of us.\n", "markdown") == []
    assert mine("I must say that this was never easy.\n", "markdown") == []
    assert mine("Name | Type | What\n-----|------|-----\na | must be set | b.\n", "markdown") == []
