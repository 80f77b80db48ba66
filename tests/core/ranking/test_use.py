"""Use in ranking: nothing without counts, little with them, and never against relevance."""

import math
from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from lamina.core.ranking import WEIGHTS, Options, order, rank, understand
from lamina.core.usage import HALF_LIFE_DAYS, MOST_HITS, Usage, worth
from tests.core.ranking.samples import NOW, a_record, found

QUESTION = understand("where is the deploy key kept?", NOW)
RECORDS = (
    a_record("vault", "the deploy key is kept in vault X"),
    a_record("safe", "the spare deploy key is kept in the safe of the office"),
    a_record("tea", "Ann prefers green tea and never drinks coffee after noon"),
)
COSINES = {"vault": 0.6, "safe": 0.5, "tea": 0.05}
USAGES = st.one_of(
    st.none(),
    st.builds(
        Usage,
        st.integers(0, 10**9),
        st.timedeltas(timedelta(days=-900), timedelta(days=9)).map(lambda ago: NOW + ago),
    ),
)


def test_without_counts_nothing_changes() -> None:
    candidates, background = found(QUESTION, RECORDS, COSINES)
    plain = rank(QUESTION, candidates, background, Options(floor=0.0))
    assert all("use" not in one.parts for one in plain)
    never = [replace(one, used=Usage(0, NOW)) for one in candidates]
    assert rank(QUESTION, never, background, Options(floor=0.0)) == plain


def test_what_was_of_use_comes_first_among_equals() -> None:
    twins = (a_record("a", "the deploy key"), a_record("b", "the deploy key"))
    candidates, background = found(QUESTION, twins, {"a": 0.5, "b": 0.5})
    used = [replace(one, used=Usage(3, NOW) if one.record.id == "b" else None)
            for one in candidates]  # fmt: skip
    first, second = order(QUESTION, used, background, Options())
    assert (first.record.id, second.record.id) == ("b", "a")
    assert first.parts["use"] > 0
    assert "use" not in second.parts
    off = order(QUESTION, used, background, Options(weights={"use": 0.0}))
    assert off == order(QUESTION, candidates, background, Options(weights={"use": 0.0}))


@given(st.tuples(USAGES, USAGES, USAGES))
def test_popularity_never_beats_relevance(used: tuple[Usage | None, ...]) -> None:
    candidates, background = found(QUESTION, RECORDS, COSINES)
    plain = order(QUESTION, candidates, background, Options())
    counted = [replace(one, used=use) for one, use in zip(candidates, used, strict=True)]
    ranked = order(QUESTION, counted, background, Options())
    assert [one.record.id for one in ranked] == [one.record.id for one in plain]
    assert ranked[0].probability == plain[0].probability or math.isclose(
        ranked[0].probability, plain[0].probability
    )
    for one in ranked:
        assert one.parts.get("use", 0.0) <= WEIGHTS["use"] * 1.1


def test_use_is_the_least_of_all_signals() -> None:
    assert WEIGHTS["use"] == min(WEIGHTS.values())


def test_worth_grows_by_the_logarithm_and_has_an_end() -> None:
    values = [worth(Usage(hits, NOW), NOW) for hits in (0, 1, 3, 7, 15, 31, 63, 64, 10**12)]
    assert values == [0, *(n / 6 for n in range(1, 7)), 1, 1]
    assert worth(Usage(MOST_HITS, NOW - timedelta(days=HALF_LIFE_DAYS)), NOW) == 0.5
    assert worth(Usage(1, NOW + timedelta(days=9)), NOW) == worth(Usage(1, NOW), NOW)
    assert worth(Usage(-5, NOW), NOW) == 0


def test_counts_add_up() -> None:
    earlier = NOW - timedelta(days=1)
    assert Usage(1, NOW).plus(Usage(2, earlier)) == Usage(3, NOW)
    assert Usage(2, earlier).plus(Usage(1, NOW)) == Usage(3, NOW)
    assert Usage(2, earlier).plus(None) == Usage(2, earlier)
