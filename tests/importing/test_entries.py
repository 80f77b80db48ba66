"""A page of Markdown becomes entries, and nothing of it is lost."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lamina.core.markdown import Entry, Form, kind_under, read_note, said
from lamina.core.markdown.blocks import blocks_of
from lamina.core.markdown.structure import front_matter, lines_of

PIECES = [
    "---", "***", "# One", "## Two ##", "###### Six", "####### seven", "Under", "====", "-----",
    "- item", "  - nested", "* star", "1. first", "12) twelfth", "   2. second", "    code",
    "\tcode", "```", "```sh", "~~~~", "   ```", "      ```", "> quote", "| a | b |",
    "|---|---|", "<!--", "-->",
    "<!-- one line -->", "<!-- not --> alone", "%%", "%% hidden %%", "^block", "text ^id-1", "",
    "  ", "**key**: value", "- **key:** value", "#tag and more:", "[a]: b", "[[Note|x]]", "é🦊",
    "2026-02-01: chosen", "+++", "tags: [a, b]", "-", "\u2028", "a\x0cb", "\x85",
]  # fmt: skip
PAGES = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=25).map("\n".join)


def the(text: str) -> Entry:
    [entry] = read_note(text).entries
    return entry


def texts(text: str) -> list[str]:
    return [entry.text for entry in read_note(text).entries]


def assert_nothing_lost(text: str) -> None:
    lines = lines_of(text.removeprefix("\ufeff"))
    start = front_matter(lines) + 1
    entries = read_note(text).entries
    held = [number for entry in entries for number in range(entry.first, entry.last + 1)]
    assert len(held) == len(set(held)), "a line stands in two entries"
    for entry in entries:
        assert entry.raw == "\n".join(lines[entry.first - 1 : entry.last])
    titled = {
        number: block.heading.title
        for block in blocks_of(lines, start)
        if block.heading is not None
        for number in range(block.first, block.last + 1)
    }
    named = {title for entry in entries for title in (*entry.headings, entry.text)}
    for number in range(start, len(lines) + 1):
        if lines[number - 1].strip() and number not in held:
            assert number in titled, lines[number - 1]
            assert not titled[number] or titled[number] in named


@given(PAGES)
@example("<!-- one line -->\n####### seven\n---\n###### Six")
@example("0\n<!-- one line -->\n####### seven\n---\n###### Six")
def test_entries_hold_every_line(text: str) -> None:
    assert_nothing_lost(text)


@given(PAGES)
def test_what_is_taken_apart_is_all_there(text: str) -> None:
    for entry in read_note(text).entries:
        found = said(entry)
        left = entry.text.split()
        if entry.form is not Form.HEADING:
            assert entry.raw.split()[entry.form is Form.ITEM :] == left
        kept = [*found.text.split(), *([f"^{found.block}"] if found.block else [])]
        assert sorted(left) == sorted(kept)
        if found.key is not None:
            assert found.text.replace("*", "").startswith(found.key)
            assert found.text.endswith(found.value)


@pytest.mark.parametrize(
    "text",
    [
        "     ```a\n" * 20_000, "# a" + " " * 200_000 + "b", "[[" * 100_000, "- " * 100_000,
        "<!--\n" * 20_000, "%%\n" * 20_001, "**" * 100_000, "`" * 200_001, "#" * 200_000,
        "\n".join("`" * size for size in range(600, 2, -1)), "[a" * 100_000 + "\n---",
        "a ^" * 100_000, "- - - " * 50_000 + "x", "- a\n\n" * 20_000,
    ],
    ids=lambda text: repr(text[:9]),
)  # fmt: skip
def test_hostile_pages_are_read_like_any_other(text: str) -> None:
    """Were one of them read in more than linear time, this would not end today."""
    assert_nothing_lost(text)
    for entry in read_note(text).entries:
        said(entry)


def test_an_entry_knows_its_headings_and_lines() -> None:
    text = "# Memory\n\nIntro.\n\n## Key Decisions\n- one\n- two\n\n### Old\n- three\n\n## Next\nx"
    found = [(e.text, e.headings, e.first) for e in read_note(text).entries]
    assert found == [
        ("Intro.", ("Memory",), 3),
        ("one", ("Memory", "Key Decisions"), 6),
        ("two", ("Memory", "Key Decisions"), 7),
        ("three", ("Memory", "Key Decisions", "Old"), 10),
        ("x", ("Memory", "Next"), 13),
    ]
    assert read_note(text).title == "Memory"


def test_what_is_indented_below_an_item_is_part_of_it() -> None:
    text = "- one\n  - nested\n\n  more\n  ```\n# code\n  ```\nlazy\n- two\n\nafter"
    assert texts(text) == ["one\n- nested\n\nmore\n```\n# code\n```\nlazy", "two", "after"]


def test_steps_stay_together_in_their_order() -> None:
    text = "Setup\n1. install\n\n   ```\n   make\n   ```\n\n2. test\n3. ship\n- done\n\n1. again"
    assert texts(text) == [
        "Setup", "1. install\n\n   ```\n   make\n   ```\n\n2. test\n3. ship", "done", "1. again",
    ]  # fmt: skip


def test_code_goes_with_the_sentence_that_introduces_it() -> None:
    assert texts("Run the tests:\n\n```sh\nmake test\n```\n\nDone.") == [
        "Run the tests:\n\n```sh\nmake test\n```",
        "Done.",
    ]
    assert texts("Tests.\n\n```sh\nmake test\n```") == ["Tests.", "```sh\nmake test\n```"]


def test_tables_quotes_rules_and_comments_are_blocks() -> None:
    text = "| a |\n|---|\n| 1 |\n\n> said\n> so\n\n---\n\n<!-- for\n# authors\n-->\ntext\n"
    forms = [(entry.form, entry.last - entry.first + 1) for entry in read_note(text).entries]
    assert forms == [(Form.TEXT, 3), (Form.TEXT, 2), (Form.RULE, 1), (Form.COMMENT, 3),
                     (Form.TEXT, 1)]  # fmt: skip


def test_a_comment_that_nobody_closes_is_text() -> None:
    assert [entry.form for entry in read_note("<!-- open\n\ntext").entries] == [Form.TEXT] * 2


def test_a_heading_alone_is_an_entry() -> None:
    text = "# Rules\n## Never push to main\n## Always run the tests\n---\n"
    assert texts(text) == ["Never push to main", "Always run the tests", "---"]


def test_what_only_looks_like_a_heading_is_text() -> None:
    assert texts("####### deep\n\n    # listed\n\n#tag") == ["####### deep", "    # listed", "#tag"]


def test_a_key_stands_in_bold_before_a_colon() -> None:
    for text in ("- **Server**: Fastify", "**Server:** Fastify", "- **Server** : Fastify"):
        assert (said(the(text)).key, said(the(text)).value) == ("Server", "Fastify")
    for text in ("- Server: Fastify", "- **Server** Fastify", "- **Server**:", "- **Note**: x",
                 "- **2026-02-01**: x", "see **Server**: Fastify"):  # fmt: skip
        assert said(the(text)).key is None


def test_tags_dates_links_and_block_ids() -> None:
    found = said(the("- 2026-02-01: Chose SQLite #db/embedded, #42 `#no` [[Stores#x|a]] ^ab-1"))
    assert found.tags == ("db/embedded",)
    assert found.since == datetime(2026, 2, 1, tzinfo=UTC)
    assert found.links == ("Stores",)
    assert found.block == "ab-1"
    assert found.text.endswith("[[Stores#x|a]]")
    assert said(the("| a |\n|---|\n\n^tab1")).block == "tab1"
    assert said(the("E = m ^2")).block is None
    assert said(the("2026-13-45: no day")).since is None
    assert said(the("Run:\n```c\n#include <x>\n```")).tags == ()


@pytest.mark.parametrize(
    ("headings", "kind"),
    [
        (["Memory", "Key Decisions"], "decision"),
        (["Architecture Decisions"], "decision"),
        (["🎨 User Preferences"], "preference"),
        (["Code style"], "convention"),
        (["Conventions", "Imports"], "convention"),
        (["Architecture"], "architecture"),
        (["Gotchas"], "pitfall"),
        (["Design patterns"], "pattern"),
        (["2. Project Structure"], "codebase"),
        (["Project Context"], "fact"),
        (["A decision that we took long ago and never wrote down"], "fact"),
        ([], "fact"),
    ],
)
def test_a_heading_may_name_the_kind(headings: list[str], kind: str) -> None:
    assert kind_under(headings) == kind


def test_front_matter_is_read_as_far_as_it_is_plain() -> None:
    text = '---\ntags: [a, "b"]\naliases:\n  - x\n  - "y z"\nnested:\n  deep: 1\n? odd\n---\nbody'
    note = read_note(text)
    assert note.matter["tags"] == ("a", "b")
    assert note.matter["aliases"] == ("x", "y z")
    assert [entry.text for entry in note.entries] == ["body"]


def test_front_matter_without_an_end_is_text() -> None:
    note = read_note("---\ntags: [a\n\nbody")
    assert not note.matter
    assert [entry.text for entry in note.entries][-1] == "body"
    assert any("tags" in entry.text for entry in note.entries)
