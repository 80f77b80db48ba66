"""Whatever is cut, and however, nothing is lost and no chunk is too large."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.text import estimate_tokens
from lamina.sources.chunks import MOST, MOST_WHOLE
from lamina.sources.cutting import cut_text
from lamina.sources.languages import language_of
from tests.sources.samples import CODE, assert_whole, letters

LANGUAGES = ["markdown", "python", "typescript", "go", "rust", "java", "c", "ruby", "text"]
LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["", "", "   ", "# Title", "## Part", "Under", "=====", "---", "```", "~~~", "    ```",
             "- item", "> quote", "| a | b |", "class A:", "    def f(self):", "def g(): pass",
             "@decorated", "    return 1", "func main() {", "}", "// note", "# note", '"""', "\f",
             "pub fn x() {", "export class B {", "  run() {", "x" * 700, "word " * 400]
        ),
        st.text(max_size=60),
    ),
    max_size=60,
)  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@given(lines=LINES, ending=st.sampled_from(["\n", "\r\n", "\r"]))
def test_nothing_is_lost_but_blank_lines(language: str, lines: list[str], ending: str) -> None:
    text = ending.join(lines)
    chunks = cut_text(text, language)
    assert_whole(text, chunks)
    assert cut_text(text, language) == chunks


@pytest.mark.parametrize("language", LANGUAGES)
@given(lines=LINES)
def test_chunks_are_bounded(language: str, lines: list[str]) -> None:
    most = MOST_WHOLE if language == "markdown" else MOST
    for chunk in cut_text("\n".join(lines), language):
        assert len(chunk.text.encode()) <= most


@pytest.mark.parametrize(
    "sentence",
    [
        "The quick brown fox jumps over the lazy dog and then sleeps.",
        "Der schnelle braune Fuchs springt über den faulen Hund und schläft dann.",
        "素早い茶色の狐がのろまな犬を飛び越えて、それから眠る。",
        "Быстрая лиса перепрыгивает через ленивую собаку и засыпает.",
        "value = compute(alpha, beta)[index].field + other_value * 2",
    ],
)
def test_a_chunk_is_some_hundred_tokens_in_any_script(sentence: str) -> None:
    chunks = cut_text("\n\n".join([sentence] * 200), "text")
    sizes = [estimate_tokens(chunk.text) for chunk in chunks]
    assert max(sizes) <= 800
    assert min(sizes[:-1]) >= 200


def test_paragraphs_stay_in_one_piece() -> None:
    paragraphs = [f"Paragraph {n} " + "goes on and on " * 20 for n in range(20)]
    chunks = cut_text("\n\n".join(paragraphs), "text")
    assert len(chunks) > 3
    found = [part.strip() for chunk in chunks for part in chunk.text.split("\n\n")]
    assert found == [paragraph.strip() for paragraph in paragraphs]


def test_an_endless_line_is_cut_between_words() -> None:
    text = "lorem ipsum dolor " * 1000
    chunks = cut_text(text, "text")
    assert letters("".join(chunk.text for chunk in chunks)) == letters(text)
    assert all(chunk.text.split()[0] in ("lorem", "ipsum", "dolor") for chunk in chunks)
    assert {(chunk.first, chunk.last) for chunk in chunks} == {(1, 1)}


ITEM = """- Item {n} says what it has to say in a sentence that is wrapped over
  more than one line. Then it goes on with another one, as items do,
  and ends.
"""


@pytest.mark.parametrize("language", ["markdown", "text"])
def test_a_long_list_is_cut_between_its_items(language: str) -> None:
    chunks = cut_text("".join(ITEM.format(n=n) for n in range(40)), language)
    assert len(chunks) > 3
    assert all(chunk.text.startswith("- Item") and chunk.text.endswith("ends.") for chunk in chunks)
    assert min(len(chunk.text) for chunk in chunks[:-1]) > MOST // 2


def test_inner_items_stay_with_the_item_that_they_are_part_of() -> None:
    inner = "  - and a part of it, which says so at some length and with some words\n"
    chunks = cut_text((ITEM + inner * 5) * 20, "markdown")
    assert all(chunk.text.startswith("- Item") for chunk in chunks)


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_long_paragraph_is_cut_between_its_sentences(wrapped: bool) -> None:
    sentence = "Here is a sentence of some length\nthat ends where a line does."
    text = "\n".join([sentence] * 80)
    chunks = cut_text(text if wrapped else text.replace("\n", " "), "text")
    assert len(chunks) > 2
    assert all(chunk.text.startswith("Here is a sentence") for chunk in chunks)
    assert all(chunk.text.strip().endswith("line does.") for chunk in chunks)


def test_a_late_beginning_is_worth_a_smaller_piece_but_not_a_tiny_one() -> None:
    text = (
        "It begins.\n" + "and then words that never come to an end, one line after the other\n" * 60
    )
    assert len(cut_text(text, "text")[0].text) > MOST // 3


@pytest.mark.parametrize("language", CODE)
def test_code_is_whole(language: str) -> None:
    assert_whole(CODE[language], cut_text(CODE[language], language))


@pytest.mark.parametrize(
    ("name", "first_line", "language"),
    [
        ("docs/README.md", "", "markdown"),
        ("a.PY", "", "python"),
        ("x.tsx", "", "typescript"),
        ("bin/run", "#!/usr/bin/env python3", "python"),
        ("bin/go", "#!/bin/sh -e", "shell"),
        ("Makefile", "", "make"),
        ("notes", "", "text"),
        (".py", "", "text"),
        ("a.unknown", "", "text"),
    ],
)
def test_the_name_tells_the_language(name: str, first_line: str, language: str) -> None:
    assert language_of(name, first_line) == language
