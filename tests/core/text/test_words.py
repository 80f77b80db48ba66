"""What a text is indexed by, kind of word by kind of word."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.text import ANALYSER_VERSION, query_terms, tokens

_SCRIPTS = st.sampled_from(
    "abcxyzABCXYZ0189éßøłüÑşİıàабвёйЯΩσςάאבגםاأةىمे्कखगाি日本語かなカー한국어กรุงไทยខ្មែរမြန်მაኢት🦦€→"
)
_ANY_WORD = st.text(_SCRIPTS, min_size=1, max_size=12)


def _asked(query: str) -> set[str]:
    return {term.token for term in query_terms(query)}


def _finds(query: str, text: str) -> bool:
    return bool(_asked(query) & set(tokens(text)))


def test_the_analyser_has_a_version() -> None:
    assert ANALYSER_VERSION == 2


def test_repetitions_are_kept() -> None:
    assert tokens("tea tea tea") == ["tea", "tea", "tea"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ProcessEvent", {"processevent", "process", "event"}),
        ("snake_case", {"snake_case", "snake", "case"}),
        ("kebab-case", {"kebab-case", "kebab", "case"}),
        ("HTTPServer2", {"httpserver2", "http", "server", "2"}),
        ("C++", {"c++", "c"}),
        ("C#", {"c#", "c"}),
        ("C++/C#", {"c++/c#", "c++", "c#", "c"}),
        (".NET", {".net", "net"}),
        ("v1.2.3-rc.1", {"v1.2.3-rc.1", "v1", "rc"}),
        ("/etc/hosts", {"/etc/hosts", "etc/hosts", "etc", "hosts"}),
        ("user@example.com", {"user@example.com", "user", "example.com", "example"}),
        ("https://a.b/c?d=e", {"https://a.b/c?d=e", "https", "a.b", "c", "d", "e"}),
        ("20.04", {"20.04", "20", "04"}),
        ("multi-agent", {"multi-agent", "multiagent", "multi", "agent"}),
        ("$HOME", {"$home", "home"}),
        ("--no-verify", {"--no-verify", "no-verify", "verify"}),
        ("a->b", {"a->b", "a", "b"}),
        ("std::vector", {"std::vector", "std", "vector"}),
        ("__init__", {"__init__", "init"}),
        ("python3", {"python3", "python", "3"}),
        ("SHA256sum", {"sha256sum", "sha256", "sha", "sum"}),
        ("O'Brien", {"obrien", "brien"}),
        ("Python's", {"python"}),
    ],
)
def test_an_identifier_is_found_whole_and_in_parts(text: str, expected: set[str]) -> None:
    assert expected <= set(tokens(text))


@pytest.mark.parametrize(
    "text", ["C++", "C#", "snake_case", "v1.2.3-rc.1", "/etc/hosts", "$HOME", "--lf", "don't"]
)
@pytest.mark.parametrize("frame", ["{}", "({}),", '"{}".', "see {}!", "[{}]:", "`{}`"])
def test_punctuation_around_a_name_does_not_hide_it(text: str, frame: str) -> None:
    [whole, *_] = query_terms(text)
    assert whole.token in tokens(frame.format(text))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("cafe", "café"), ("strasse", "Straße"), ("lodz", "Łódź"), ("smorrebrod", "smørrebrød"),
        ("istanbul", "İSTANBUL"), ("елка", "Ёлка"), ("ΟΔΟΣ", "οδός"), ("سلام", "سَلَامٌ"),
        ("سلام", "ســلام"), ("احمد", "أحمد"), ("مكتب", "المكتب"), ("שלום", "שָׁלוֹם"),
        ("Lamina", "Ｌａｍｉｎａ"), ("カナ", "ｶﾅ"), ("1000", "1,000"), ("1,000", "1000"),
        ("1000", "1.000"), ("1000000", "1_000_000"), ("2024", "٢٠٢٤"), ("dont", "don’t"),
        ("homme", "l’homme"), ("email", "e-mail"), ("lamina", "Lamina™"), ("ज़रूरत", "जरूरत"),
        ("deploy", "deployed"), ("deploying", "deploys"), ("cache", "caching"), ("code", "coded"),
        ("log", "logging"), ("setting", "settings"), ("story", "stories"), ("box", "boxes"),
        ("control", "controlled"), ("quick", "quickly"), ("Einstellung", "Einstellungen"),
        ("servidor", "servidores"), ("journal", "journaux"), ("canción", "canciones"),
        ("ação", "ações"), ("configurazione", "configurazioni"), ("сервер", "серверами"),
    ],
)  # fmt: skip
def test_spellings_and_forms_of_a_word_find_each_other(query: str, text: str) -> None:
    assert _finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [("note", "not"), ("https", "http"), ("string", "str"), ("नल", "नाला"), ("bus", "bu")],
)
def test_different_words_stay_apart(query: str, text: str) -> None:
    assert not _finds(query, text)


def test_scripts_without_spaces_give_pairs() -> None:
    assert tokens("東京都") == ["東京", "京都", "東", "京", "都"]
    assert tokens("カメラ") == ["カメ", "メラ"]
    assert tokens("犬") == ["犬"]
    assert tokens("使用Docker部署") == ["使用", "docker", "部署", "使", "用", "部", "署"]
    assert tokens("กรุง") == ["กร", "รุ", "ุง"]


def test_vowel_signs_are_letters() -> None:
    assert tokens("हिन्दी") == ["हिन्दी"]


def test_symbols_are_found_by_themselves() -> None:
    assert tokens("ok👍🏽→€") == ["ok", "👍", "→", "€"]
    assert tokens("🇩🇪🇫🇷") == ["🇩🇪", "🇫🇷"]
    assert tokens("a -> b") == ["a", "->", "b"]


def test_a_surface_is_kept_beside_its_stem() -> None:
    assert tokens("caching") == ["cach", "caching"]


def test_a_very_long_word_finds_itself_and_no_other() -> None:
    word = "x" * 300
    [token] = tokens(word)
    assert len(token) == 64
    assert _asked(word) == {token}
    assert not _finds("x" * 301, word)


@given(st.text())
def test_any_text_gives_valid_tokens(text: str) -> None:
    found = tokens(text)
    assert found == tokens(text)
    for token in found:
        assert 1 <= len(token) <= 64
        assert token.isprintable() or not {unicodedata.category(c) for c in token} & {"Cc", "Cs"}
        assert not any(char.isspace() for char in token)


@given(st.text(), st.text())
def test_texts_side_by_side_give_the_tokens_of_both(left: str, right: str) -> None:
    assert tokens(f"{left} {right}") == tokens(left) + tokens(right)


@given(st.lists(_ANY_WORD, min_size=1, max_size=6))
def test_every_word_of_a_text_finds_it(words: list[str]) -> None:
    text = " ".join(words)
    for word in words:
        assert not tokens(word) or _finds(word, text)


@given(st.text(st.characters(categories=["L", "N"]), min_size=1))
def test_every_written_word_has_a_token(word: str) -> None:
    assert tokens(word)


@given(st.text(st.sampled_from("aB1.-_'/:@+#>,$ "), max_size=40))
def test_every_name_finds_itself(text: str) -> None:
    assert not tokens(text) or _finds(text, text)


@given(st.from_regex(r"[\"'(\[]?[A-Z]?[a-z]{1,12}[.,;:!?)\]]?", fullmatch=True))
def test_plain_words_take_a_shortcut_to_the_same_tokens(chunk: str) -> None:
    # A trailing control character separates, and keeps a chunk off the shortcut.
    assert tokens(chunk) == tokens(chunk + "\x00")
