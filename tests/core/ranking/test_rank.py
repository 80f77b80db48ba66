"""From candidates to an answer."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.ranking import DEFAULT_FLOOR, WEIGHTS, Candidate, Options, order, rank, understand
from lamina.core.record import Trust
from tests.core.ranking.samples import NOW, a_record, a_turn, ask, found, ids

_VAULT = a_record("vault", "the deploy key is in vault X")
_TEA = a_record("tea", "Ann prefers green tea and never drinks coffee after noon")
_OFFICE = a_record("office", "the office moves to the fourth floor")
_STORE = (_VAULT, _TEA, _OFFICE)


def test_no_candidates_give_no_answer() -> None:
    assert ask("anything", []) == []


def test_a_store_of_one_record_finds_it_and_is_sure() -> None:
    [hit] = ask("deploy key", [_VAULT], {"vault": 0.62})
    assert hit.record == _VAULT
    assert hit.probability > 0.5


def test_a_store_of_one_record_has_nothing_to_say_about_something_else() -> None:
    assert ask("weather in Paris", [_VAULT], {"vault": 0.05}) == []


@pytest.mark.parametrize("query", ["deploy key", "where did we put the deploy key?", "vault"])
def test_a_small_store_finds_by_words_alone(query: str) -> None:
    assert ids(ask(query, _STORE))[0] == "vault"


def test_a_small_store_finds_by_meaning_alone() -> None:
    cosines = {"vault": 0.05, "tea": 0.6, "office": 0.02}
    assert ids(ask("which beverage does she like?", _STORE, cosines))[0] == "tea"


def test_nothing_is_said_about_what_nobody_wrote() -> None:
    cosines = {"vault": 0.05, "tea": 0.04, "office": 0.1}
    assert ask("weather in Paris", _STORE, cosines) == []
    assert ask("weather in Paris", _STORE) == []


def test_a_floor_of_zero_returns_everything() -> None:
    cosines = {"vault": 0.05, "tea": 0.04, "office": 0.1}
    assert len(ask("weather in Paris", _STORE, cosines, Options(floor=0.0))) == 3


def test_a_floor_of_the_caller_holds_for_the_best() -> None:
    cosines = {"vault": 0.62, "tea": 0.04, "office": 0.1}
    [best, *others] = ask("deploy key", _STORE, cosines, Options(floor=0.5))
    assert best.probability >= 0.5
    assert any(hit.probability < 0.5 for hit in others)
    assert ask("deploy key", _STORE, cosines, Options(floor=0.999)) == []


def test_a_least_probability_holds_for_each() -> None:
    cosines = {"vault": 0.62, "tea": 0.04, "office": 0.1}
    assert ids(ask("deploy key", _STORE, cosines, Options(least=0.3))) == ["vault"]


@pytest.mark.parametrize("query", ["what is up with INC-10422 these days", "is api_v2 slow today"])
def test_a_name_given_on_purpose_is_never_silenced(query: str) -> None:
    records = (
        a_record("incident", "INC-10422 was closed by the night shift"),
        a_record("api", "api_v2 goes through the old gateway"),
        *(a_record(f"other{n}", f"note number {n} about gardens") for n in range(40)),
    )
    cosines: dict[str, float] = {record.id: 0.02 for record in records}
    expected = "incident" if "INC" in query else "api"
    assert ids(ask(query, records, cosines))[0] == expected


def test_what_is_named_is_not_cut_off_with_the_tail() -> None:
    records = (
        a_record("incident", "INC-10422 was closed by the night shift"),
        *(a_record(f"near{n}", f"the weather in the garden, part {n}") for n in range(20)),
    )
    cosines: dict[str, float] = {record.id: 0.6 for record in records} | {"incident": -0.2}
    query = "did INC-10422 change the weather in the garden?"
    [named] = (hit for hit in ask(query, records, cosines, Options(floor=0.0, limit=30))
               if hit.record.id == "incident")  # fmt: skip
    cut = Options(least=0.9, limit=30)
    assert named.probability < cut.least
    assert "incident" in ids(ask(query, records, cosines, cut))
    assert "incident" not in ids(ask(query, records, cosines, replace(cut, floor=0.0)))


def test_an_identifier_that_merely_contains_a_word_of_the_question_names_nothing() -> None:
    question = understand("how do I update the calendar for one of my friends?", NOW)
    candidates, background = found(question, _STORE, {"vault": 0.05, "tea": 0.04, "office": 0.1})
    inside = [replace(one, terms=("update_one",), coverage=0.3) for one in candidates]
    assert rank(question, inside, background, Options()) == []
    named = understand("what does update_one do?", NOW)
    assert rank(named, inside, background, Options()) != []


def test_an_identifier_in_passing_is_not_what_a_long_question_asks_for() -> None:
    question = understand("which of my friends likes utf-8 best, and who has been to Lisbon?", NOW)
    candidates, background = found(question, _STORE, {"vault": 0.05, "tea": 0.04, "office": 0.1})
    passing = [replace(one, terms=("utf-8",), coverage=0.1) for one in candidates]
    assert rank(question, passing, background, Options()) == []


def test_of_more_records_one_has_to_be_nearer() -> None:
    question = understand("which beverage does she like?", NOW)
    candidates, background = found(question, _STORE, {"vault": 0.05, "tea": 0.4, "office": 0.02})
    sure = [
        order(question, candidates, replace(background, cosine_sample=many), Options())[0]
        for many in (20, 2_000, 200_000)
    ]
    first, second, third = (hit.probability for hit in sure)
    assert first > second > third


def test_the_key_of_a_record_is_its_name() -> None:
    records = (a_record("a", "whatever it says", key="release-day"), _TEA, _OFFICE)
    [best, *_] = ask("release-day", records, {"a": 0.1, "tea": 0.12, "office": 0.12})
    assert best.record.id == "a"
    assert best.parts["key"] > 0


def test_the_limit_is_kept() -> None:
    records = [a_record(f"r{n}", f"tea sort number {n} of many kinds") for n in range(30)]
    assert len(ask("tea", records, options=Options(limit=7))) == 7


def test_words_win_over_meaning_where_the_embedder_knows_nothing() -> None:
    cosines = {"vault": 0.80, "tea": 0.82, "office": 0.84}
    assert ids(ask("deploy key", _STORE, cosines))[0] == "vault"


def test_an_embedder_to_which_all_is_near_is_read_on_its_own_scale() -> None:
    question = understand("kayak", NOW)
    cosines = {"vault": 0.42, "tea": 0.43, "office": 0.41}
    candidates, background = found(question, _STORE, cosines)
    assert rank(question, candidates, replace(background, unrelated=0.4), Options()) == []
    near = [replace(one, cosine=0.8) if one.record == _TEA else one for one in candidates]
    [best, *_] = rank(question, near, replace(background, unrelated=0.4), Options())
    assert best.record == _TEA


def test_a_record_without_a_vector_yet_is_not_behind_those_that_have_one() -> None:
    cosines = {"tea": 0.30, "office": 0.32}
    assert ids(ask("deploy key vault", _STORE, cosines))[0] == "vault"


def test_an_answer_is_found_by_its_question() -> None:
    told = (
        a_turn("ask", "which colour is the new kayak?", source="ann"),
        a_turn("answer", "orange, with a white stripe", source="bob"),
        a_turn("later", "nice, see you at the lake", source="ann"),
    )
    cosines = {"ask": 0.5, "answer": 0.2, "later": 0.2}
    hits = ask("colour of the kayak", told, cosines)
    assert ids(hits).index("answer") < ids(hits).index("later")
    assert hits[ids(hits).index("answer")].parts["answers"] > 0


def test_a_question_between_people_counts_less_than_a_statement() -> None:
    told = (
        a_turn("one", "the kayak is orange"),
        a_turn("two", "is the kayak orange?"),
        a_turn("three", "hello there"),
    )
    hits = ask("kayak orange", told, {"one": 0.5, "two": 0.5, "three": 0.0})
    assert ids(hits)[0] == "one"
    assert hits[1].parts["asks"] < 0


def test_what_people_say_comes_before_what_an_assistant_repeats() -> None:
    told = (
        a_turn("mine", "my kayak is orange and long"),
        a_turn("its", "so your kayak is orange and long", kind="assistant"),
    )
    cosines = {"mine": 0.5, "its": 0.5}
    assert ids(ask("kayak orange", told, cosines))[0] == "mine"
    asked_back = ask("what did you say about the kayak?", told, cosines)
    assert abs(asked_back[-1].parts["voice"]) < abs(
        next(hit for hit in ask("kayak", told, cosines) if hit.record.id == "its").parts["voice"]
    )


def test_a_named_time_lifts_what_was_said_then() -> None:
    june = NOW.replace(year=2023, month=6)
    records = (
        a_record("june", "camping at the lake", valid_from=june),
        a_record("march", "camping at the lake", valid_from=june - timedelta(days=90), layer="log"),
    )
    [first, second] = ask("camping in June 2023", records, {"june": 0.5, "march": 0.5})
    assert first.record.id == "june"
    assert first.parts["time"] > 0
    assert "time" not in second.parts


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"trust": Trust.USER}, {"trust": Trust.WEB}),
        ({"confidence": 1.0}, {"confidence": 0.3}),
        ({"importance": 0.9}, {"importance": 0.2}),
        ({"valid_from": NOW}, {"valid_from": NOW - timedelta(days=700)}),
        ({"tags": ("kayak",)}, {"tags": ("boat",)}),
    ],
)
def test_equal_texts_are_told_apart_by_what_else_is_known(
    better: dict[str, object], worse: dict[str, object]
) -> None:
    records = (
        a_record("worse", "the kayak is orange", **worse),
        a_record("better", "the kayak is orange", **better),
    )
    cosines = {"better": 0.5, "worse": 0.5}
    assert ids(ask("kayak", records, cosines, Options(collapse=False))) == ["better", "worse"]


def test_no_adjustment_beats_a_record_that_fits() -> None:
    fits = a_record("fits", "the kayak is orange", trust=Trust.WEB, confidence=0.5, importance=0.1)
    misses = a_record("misses", "the canoe is green", valid_from=NOW, importance=1.0)
    assert ids(ask("kayak orange", (misses, fits), {"fits": 0.5, "misses": 0.25}))[0] == "fits"


def test_parts_can_be_left_out() -> None:
    cosines = {"vault": 0.62, "tea": 0.04, "office": 0.1}
    [hit, *_] = ask("deploy key", _STORE, cosines, Options(weights={"coverage": 0.0}))
    assert "coverage" not in hit.parts
    assert "meaning" in hit.parts


_SIGNALS = st.tuples(st.floats(0, 20), st.floats(0, 1), st.none() | st.floats(-1, 1))


@given(st.lists(_SIGNALS, min_size=1, max_size=12), st.booleans())
def test_parts_add_up_and_order_follows_the_score(
    signals: list[tuple[float, float, float | None]], vectors: bool
) -> None:
    question = understand("kayak orange lake", NOW)
    records = [a_record(f"r{n}", f"text {n}") for n in range(len(signals))]
    candidates, background = found(question, records)
    if vectors:
        background = replace(background, cosine_mean=0.2, cosine_sample=len(records))
    scored = [
        replace(candidate, keyword=keyword, coverage=coverage, cosine=cosine)
        for candidate, (keyword, coverage, cosine) in zip(candidates, signals, strict=True)
    ]
    hits = order(question, scored, background, Options())
    assert sorted(ids(hits)) == sorted(record.id for record in records)
    for hit in hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score)
        assert 0 <= hit.probability <= 1
        assert hit.parts.keys() <= WEIGHTS.keys() | {"base"}
    scores = [hit.score for hit in hits]
    assert scores == pytest.approx(sorted(scores, reverse=True))


@given(
    st.floats(0, 10), st.floats(0, 0.9), st.floats(-0.5, 0.9), st.floats(0, 3), st.floats(0, 0.1)
)
def test_more_of_a_signal_never_lowers_a_record(
    keyword: float, coverage: float, cosine: float, more_words: float, more: float
) -> None:
    question = understand("kayak orange lake", NOW)
    records = [a_record(f"r{n}", f"text {n}") for n in range(3)]
    plain, background = found(question, records)
    background = replace(background, cosine_mean=0.2, cosine_sample=3)
    others = [replace(one, keyword=5.0, coverage=0.4, cosine=0.4) for one in plain[1:]]
    mine = replace(plain[0], keyword=keyword, coverage=coverage, cosine=cosine)
    place = _place([mine, *others])
    for better in (
        replace(mine, keyword=keyword + more_words),
        replace(mine, coverage=coverage + more),
        replace(mine, cosine=cosine + more),
    ):
        assert _place([better, *others]) <= place


def _place(candidates: list[Candidate]) -> int:
    question = understand("kayak orange lake", NOW)
    _, background = found(question, [one.record for one in candidates])
    background = replace(background, cosine_mean=0.2, cosine_sample=3)
    return ids(order(question, candidates, background, Options())).index("r0")


def test_an_irrelevant_candidate_does_not_reorder_the_others() -> None:
    question = understand("kayak orange lake", NOW)
    records = [a_record(f"r{n}", f"text {n}") for n in range(5)]
    plain, background = found(question, records)
    background = replace(background, cosine_mean=0.2, cosine_sample=5)
    scored = [
        replace(one, keyword=float(n), coverage=n / 10, cosine=0.1 * n)
        for n, one in enumerate(plain)
    ]
    alone = ids(order(question, scored[1:], background, Options()))
    together = ids(order(question, scored, background, Options()))
    assert [name for name in together if name != "r0"] == alone


def test_the_default_floor_is_a_small_probability() -> None:
    assert 0 < DEFAULT_FLOOR < 0.2
