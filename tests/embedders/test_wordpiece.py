"""Texts are cut as an uncased BERT cuts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.embedders.wordpiece import WordPiece

WORDS = (
    "[PAD] [UNK] [CLS] [SEP] un ##aff ##able naive cafe ##s istanbul ß ' t won ; _ snake case"
    " 中 文 → ok ##→ σ ##σ ο ##δος ( ) = < [ ] sep a b ab ##b"
).split()


def pieces(text: str, limit: int = 64) -> list[str]:
    return [WORDS[number] for number in WordPiece(WORDS).encode(text, limit)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \t\r\n\u3000\u2028", ""),
        ("unaffable", "un ##aff ##able"),
        ("UNAFFABLE", "un ##aff ##able"),
        ("Naïve cafés", "naive cafe ##s"),
        ("nai\u0308ve", "naive"),
        ("İstanbul", "istanbul"),
        ("ß", "ß"),
        ("won't;", "won ' t ;"),
        ("snake_case", "snake _ case"),
        ("中文ok", "中 文 ok"),
        ("ok→", "ok ##→"),
        ("ΟΔΟΣ", "[UNK]"),
        ("Σσ", "σ ##σ"),
        ("(≠)≮\u037e", "( = ) < ;"),
        ("a\x00b a\x0bb a\u200bb a\ufffdb a\ufeffb", "ab ab ab ab ab"),
        ("[SEP]", "[ sep ]"),
        ("zzz ab", "[UNK] ab"),
        ("ab" * 51 + " ab", "[UNK] ab"),
        ("a" + "b" * 99, "ab" + " ##b" * 98),
        ("a" + "b" * 100, "[UNK]"),
    ],
)
def test_words_become_pieces(text: str, expected: str) -> None:
    assert pieces(text, 200) == ["[CLS]", *expected.split(), "[SEP]"]


@pytest.mark.parametrize("limit", [2, 3, 4, 10])
def test_what_is_beyond_the_limit_is_left_out_between_the_markers(limit: int) -> None:
    found = pieces("unaffable unaffable unaffable", limit)
    assert found == ["[CLS]", *(["un", "##aff", "##able"] * 3)[: limit - 2], "[SEP]"]


@given(st.text())
def test_every_text_has_pieces_within_the_limit(text: str) -> None:
    numbers = WordPiece(WORDS).encode(text, 16)
    assert 2 <= len(numbers) <= 16
    assert (numbers[0], numbers[-1]) == (2, 3)
    assert all(0 <= number < len(WORDS) for number in numbers)
