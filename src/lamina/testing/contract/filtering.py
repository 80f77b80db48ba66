"""The clause that every store compiles the filter language to the same meaning."""

from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lamina.core.filters import matches, parse
from lamina.core.record import State
from lamina.stores.base import Store
from lamina.stores.questions import Query
from lamina.testing.builders import a_put, after_noon, an_id, ask, sight_of, someday, write

# Few names and values, so that filters and records meet; odd ones, so that they meet badly.
NAMES = [
    "a", "a", "a", "b", "task", "0", "é", 'q"', "a'b", "x\\y", "$", "tab\t", "[0]", "ключ", "🔑",
]  # fmt: skip
# Values that one language or another takes for each other.
ALIKE = [None, False, 0, 0.0, -0.0, "", "0", True, 1, 1.0, "1", "1.0", "true", "null", "a", "A"]
ODD_FLOATS = [
    0.0, -0.0, 1.0, 0.1, 0.30000000000000004, 1e-7, 5e-324, 2.2250738585072014e-308, 1e308,
    1.7976931348623157e308, 123456789.12345679, 9007199254740993.0, -1.5, 9.223372036854775e18,
    6.02214076e23, 2.5e-323, 1e22, 8.41e21, 0.1e-6, 4.35, 1.1125369292536007e-308,
]  # fmt: skip
ODD_INTEGERS = [0, 1, -1, 2, 10, 2**53, 2**53 + 1, 2**63 - 1, -(2**63) + 1, 9007199254740993]
ODD_TEXTS = [
    "", "a", "A", "ab", "abc", "b", "1", "1.0", "true", "null", "é", "e\u0301", "%", "_", "a%",
    "'", '"', "\\", "[1]", '{"a": 1}', "\U0010ffff", "ß", "ss", "tab\t", "new\nline", "\x1f",
]  # fmt: skip
SCALARS = st.one_of(
    st.sampled_from(ALIKE),
    st.sampled_from(ALIKE),
    st.sampled_from(ODD_INTEGERS),
    st.sampled_from(ODD_FLOATS),
    st.sampled_from(ODD_TEXTS),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**63) + 1, 2**63 - 1),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=6,
)
TAGS = st.lists(st.sampled_from([text for text in ODD_TEXTS if text]), max_size=3, unique=True)
SHARES = st.sampled_from([0.0, 0.1, 0.30000000000000004, 0.5, 1.0])
INSTANTS = st.sampled_from([None, *(after_noon(minutes) for minutes in (-1, 0, 0.5, 1))])
# A store may take away what has run out.
ENDS = st.sampled_from([None, *(someday(minutes) for minutes in (-1, 0, 0.5, 1))])
CONTENTS = st.fixed_dictionaries(
    {
        "text": st.sampled_from(ODD_TEXTS),
        "kind": st.sampled_from(["fact", "Fact", "decision"]),
        "data": st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3),
        "tags": TAGS.map(tuple),
        "importance": SHARES,
        "confidence": SHARES,
        "valid_from": INSTANTS,
        "expires_at": ENDS,
        "supersedes": st.sampled_from([None, an_id(1), an_id(2)]),
        "state": st.sampled_from([State.CURRENT, State.PROPOSED, State.ARCHIVED]),
    }
)
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(
    lambda names: "data." + ".".join(names)
)
# Explaining a failure takes longer than finding and shrinking it.
PHASES = [phase for phase in Phase if phase is not Phase.explain]
COMPARISONS = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]


def _tests(values: st.SearchStrategy[Any], *, texts: bool) -> st.SearchStrategy[Any]:
    several = st.lists(values, max_size=4)
    choices = [
        values,
        st.tuples(st.sampled_from(COMPARISONS), values).map(lambda pair: {pair[0]: pair[1]}),
        several.map(lambda listed: {"$in": listed}),
    ]
    if texts:
        choices.append(st.sampled_from(ODD_TEXTS).map(lambda start: {"$prefix": start}))
    return st.one_of(choices)


TEXT_FIELDS = st.sampled_from(["text", "kind", "key", "source", "state", "scope", "supersedes"])
TEXT_VALUES = st.sampled_from([None, "fact", "current", "user", *ODD_TEXTS])
CONDITIONS = st.one_of(
    st.tuples(PATHS, _tests(SCALARS, texts=True) | st.lists(SCALARS, max_size=3)),
    st.tuples(TEXT_FIELDS, _tests(TEXT_VALUES, texts=True)),
    st.tuples(
        st.sampled_from(["importance", "confidence", "tokens", "rev"]),
        _tests(SHARES | st.sampled_from([None, 0, 1, 2**62, 1e300]), texts=False),
    ),
    st.tuples(
        st.sampled_from(["created_at", "updated_at", "valid_from"]), _tests(INSTANTS, texts=False)
    ),
    st.tuples(st.just("expires_at"), _tests(ENDS, texts=False)),
    st.tuples(st.just("tags"), st.sampled_from(ODD_TEXTS) | TAGS),
)
FILTERS = st.lists(CONDITIONS, min_size=1, max_size=2).map(dict)


class FilteringClauses:
    """`lamina.core.filters.matches` is what a filter means."""

    def test_values_compare_within_their_json_type_only(self, store: Store) -> None:
        held = [*ALIKE, 2, 1.5, "b", [], ["1"], [1, None], {}, {"a": 1}]
        # A store may look for some names, such as a task, in a way of its own.
        drafts = (a_put("held", data={"v": value, "task": value}) for value in held)
        write(store, *drafts, a_put("held"))
        records = ask(store)
        tests: list[Any] = [{op: value} for op in COMPARISONS for value in ALIKE]
        tests += [{"$in": [one, other]} for one in ALIKE for other in (1, "b", None)]
        tests += [{"$prefix": start} for start in ("", "1", "t", "1.")]
        for wanted in (*tests, *([value] for value in ALIKE)):
            for name in ("data.v", "data.task"):
                where = parse({name: wanted})
                expected = [record for record in records if matches(record, where)]
                assert ask(store, {name: wanted}) == expected, wanted

    def test_numbers_compare_by_their_exact_value(self, store: Store) -> None:
        near = [9.223372036854775e18, 9223372036854774784, 9223372036854774785, 2**53, 2**53 + 1]
        near += [9007199254740992.0, 1e22, 0.1, 0.30000000000000004, 0.3]
        write(store, *(a_put("held", data={"v": value}) for value in near))
        records = ask(store)
        for value in near:
            for op in COMPARISONS:
                where = parse({"data.v": {op: value}})
                expected = [record for record in records if matches(record, where)]
                assert ask(store, {"data.v": {op: value}}) == expected, (op, value)

    @settings(deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)
    @given(
        contents=st.lists(CONTENTS, min_size=1, max_size=6),
        wheres=st.lists(FILTERS, min_size=4, max_size=12),
    )
    def test_filters_mean_what_the_reference_says(
        self, store: Store, contents: list[dict[str, Any]], wheres: list[dict[str, Any]]
    ) -> None:
        # Each example has a project of its own, so that one store serves them all.
        scope = f"project/{an_id()}"
        write(store, *(a_put(scope=scope, **content) for content in contents))
        reach = sight_of(scope)
        records = store.query(Query(reach=reach))
        for where in wheres:
            query = Query(reach=reach, where=parse(where))
            expected = [record for record in records if matches(record, query.where)]
            assert store.query(query) == expected, where
            assert store.count(query) == len(expected), where
