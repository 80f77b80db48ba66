"""Names are safe as path segments; keys and tags are free text that a person can tell apart."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.names import (
    MAX_KEY,
    MAX_TAG,
    MAX_TAGS,
    check_key,
    check_kind,
    check_name,
    check_tags,
    to_name,
)
from lamina.errors import InvalidInputError

HOSTILE_NAMES = [
    "", " ", ".", "..", "../etc", "..\\windows", "a/b", "a\\b", "/abs", "~", "~root", "C:", "c:x",
    "agent\n", "\nagent", "agent\0", "agent\r", "a b", " a", "a ", "Agent", "AGENT", "agènt",
    "аgent", "agent\u200b", "\u202eagent", "ａgent", "①", "con", "nul", "prn", "aux", "com1",
    "lpt9", "com0", "-rf", "_x", "a.b", "a" * 65, "$(id)", "`id`", "a;b", "a%2fb", "%2e%2e", "*",
    "?", "a:b", "ﬁ", "ß", "ı", "K",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_a_hostile_name_is_refused_in_every_role(name: str) -> None:
    with pytest.raises(InvalidInputError, match="project"):
        check_name(name, "project")


@pytest.mark.parametrize("name", [None, 1, b"web", ["web"], True])
def test_a_name_is_text(name: object) -> None:
    with pytest.raises(InvalidInputError):
        check_name(name, "project")


@pytest.mark.parametrize("name", ["a", "0", "web", "web-2", "a_b", "con2", "console", "a" * 64])
def test_a_plain_name_is_taken_as_it_is(name: str) -> None:
    assert check_name(name, "project") == name


def test_an_error_shows_only_a_piece_of_an_endless_name() -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_name("a" * 1_000_000, "project")
    assert len(str(caught.value)) < 300


@given(st.text(max_size=80), st.just("fallback"))
def test_any_display_name_becomes_a_name(text: str, fallback: str) -> None:
    assert check_name(to_name(text, fallback), "project")


@pytest.mark.parametrize(
    ("text", "name"),
    [("My Project!", "my-project"), ("Zażółć", "zazoc"), ("记忆", "x"), ("CON", "x"),
     ("--a--", "a"), ("../etc/passwd", "etc-passwd"), ("a" * 100, "a" * 64), ("\0", "x")],
)  # fmt: skip
def test_a_display_name_keeps_what_it_can(text: str, name: str) -> None:
    assert to_name(text, "x") == name


@pytest.mark.parametrize(
    "kind", ["", "a b", "1st", "a/b", "décision", "a\n", "a" * 65, "-x", None, 3, "TOOL USE"]
)
def test_a_hostile_kind_is_refused(kind: object) -> None:
    with pytest.raises(InvalidInputError, match="kind"):
        check_kind(kind)


@pytest.mark.parametrize("kind", ["fact", "TOOL_USE", "a-b", "x" * 64])
def test_a_kind_is_one_word(kind: str) -> None:
    assert check_kind(kind) == kind


HOSTILE_KEYS = [
    "", " ", "\t", " a", "a ", "a\u00a0", "\u3000a", "a\nb", "a\tb", "a\0b", "a\x1fb", "a\x7fb",
    "a\u200bb", "a\ufeffb", "a\u202eb", "a\u2066b", "a\u00adb", "a\u2028b", "a\u2029b", "a\ue000b",
    "\ud800", "a\U000e0041b", "\u200b", "k" * (MAX_KEY + 1), "k" * 1_000_000,
]  # fmt: skip


@pytest.mark.parametrize("key", HOSTILE_KEYS, ids=lambda key: ascii(key)[:20])
def test_a_key_that_nobody_could_tell_apart_is_refused(key: str) -> None:
    with pytest.raises(InvalidInputError, match="key") as caught:
        check_key(key)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "key",
    ["a", "two words", "path/to.file", "ключ", "鍵", "👩‍💻", "a'b\"c", "%_", "نام‌خانوادگی",
     "k" * MAX_KEY],
)  # fmt: skip
def test_a_key_is_free_text(key: str) -> None:
    assert check_key(key) == unicodedata.normalize("NFC", key)


def test_two_spellings_of_one_key_are_one_key() -> None:
    assert check_key("caf\u00e9") == check_key("cafe\u0301")
    assert check_key("\u212b") == "\u00c5"


@pytest.mark.parametrize("tags", ["tag", None, 3, [1], [None], ["a", ""], ["a\n"], ["x" * 129]])
def test_tags_are_a_list_of_labels(tags: object) -> None:
    with pytest.raises(InvalidInputError, match="tags"):
        check_tags(tags)


def test_tags_keep_their_order_and_lose_repetitions() -> None:
    assert check_tags(["b", "a", "b", "cafe\u0301", "caf\u00e9"]) == ("b", "a", "caf\u00e9")
    assert check_tags(t for t in ("x" * MAX_TAG,)) == ("x" * MAX_TAG,)
    assert len(check_tags([str(n) for n in range(MAX_TAGS)])) == MAX_TAGS
    with pytest.raises(InvalidInputError):
        check_tags([str(n) for n in range(MAX_TAGS + 1)])
