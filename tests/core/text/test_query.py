"""What a query asks for; above all, that no query is an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.text import Term, query_terms, tokens
from tests.core.text.hostile import BITS, hostile


def _by_token(query: str) -> dict[str, Term]:
    return {term.token: term for term in query_terms(query)}


def test_ten_thousand_hostile_queries_are_no_error() -> None:
    for query in hostile(10_000):
        terms = query_terms(query)
        assert len({term.token for term in terms}) == len(terms) <= 128
        assert {term.token for term in terms} <= set(tokens(query))


@pytest.mark.parametrize("bit", BITS)
def test_a_long_run_of_anything_is_no_error(bit: str) -> None:
    assert len(query_terms(bit * (100_000 // len(bit)))) <= 128


@pytest.mark.parametrize("query", ["", " ", "...", "\0", "\ud800", "\u200f", "\"'()[]{}"])
def test_a_query_without_words_has_no_terms(query: str) -> None:
    assert query_terms(query) == ()


@given(st.text())
def test_terms_of_any_text_are_tokens_of_it(text: str) -> None:
    terms = query_terms(text)
    assert {term.token for term in terms} <= set(tokens(text))
    assert all(0 < term.weight <= 3 for term in terms)
    assert bool(terms) == bool(tokens(text))


def test_the_whole_counts_more_than_its_parts() -> None:
    terms = _by_token("ProcessEvent")
    assert terms["processevent"].weight == 1.0
    assert terms["process"].weight == terms["event"].weight == 0.4


def test_a_part_that_is_also_asked_for_counts_as_a_whole_said_twice() -> None:
    assert _by_token("process ProcessEvent")["process"].weight == 1.5


def test_what_is_said_again_counts_more_up_to_a_limit() -> None:
    assert _by_token("tea or more tea")["tea"].weight == 1.5
    assert _by_token("tea " * 100)["tea"].weight == 3.0


def test_a_chinese_character_is_asked_for_alone_but_counts_less_than_a_pair() -> None:
    terms = _by_token("東京")
    assert terms["東京"].weight == 1.0
    assert terms["東"].weight == terms["京"].weight == 0.1


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("where is the key", {"key"}),
        ("wo ist der Schlüssel", {"schlussel"}),
        ("où est le coffre", {"coffr"}),
        ("¿dónde está la llave?", {"llav"}),
        ("dove è il contratto", {"contratto"}),
        ("onde está o contrato", {"contrato"}),
        ("waar is de sleutel", {"sleutel"}),
        ("где наш пароль", {"парол"}),
        ("don't use tabs", {"use", "tab"}),
    ],
)
def test_function_words_go_when_others_remain(query: str, kept: set[str]) -> None:
    assert kept <= _by_token(query).keys()
    assert len(_by_token(query)) <= len(kept) + 1


def test_function_words_stay_when_nothing_else_is_asked() -> None:
    assert set(_by_token("to be or not to be")) == {"to", "be", "or", "not"}


def test_at_most_128_terms_remain_and_names_come_first() -> None:
    query = " ".join([*(f"w{n}" for n in range(200)), "someVeryLongIdentifier"])
    terms = query_terms(query)
    assert len(terms) == 128
    assert terms[0].token == "someverylongidentifier"


@pytest.mark.parametrize("piece", ["ng", "gin", "каз", "सर", "قاه", "犬", "20", "c++"])
def test_a_short_piece_is_marked_for_expansion(piece: str) -> None:
    assert query_terms(piece)[0].expand


@pytest.mark.parametrize("word", ["nginx", "пароль", "東京", "c"])
def test_whole_words_and_pairs_are_not(word: str) -> None:
    assert not query_terms(word)[0].expand


def test_terms_are_the_same_every_time() -> None:
    assert query_terms("Deploy C++ to /etc/hosts") == query_terms("Deploy C++ to /etc/hosts")
