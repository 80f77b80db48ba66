"""The same thing is not said twice, and a miss has a reason."""

from dataclasses import replace
from datetime import timedelta

from lamina.core.ids import RecordId
from lamina.core.ranking import Options, understand, why_not
from lamina.core.record import Trust
from tests.core.ranking.samples import NOW, a_record, ask, found, ids

_LONG = "the release of the billing service is planned for the second week of the month"


def test_near_duplicates_collapse_into_the_newest() -> None:
    records = (
        a_record("old", _LONG + ".", valid_from=NOW - timedelta(days=300)),
        a_record("new", _LONG, valid_from=NOW - timedelta(days=200)),
        a_record("other", "the billing service has a new owner"),
    )
    hits = ask("billing service release", records, {"old": 0.5, "new": 0.5, "other": 0.3})
    assert ids(hits) == ["new", "other"]
    assert hits[0].duplicates == ("old",)


def test_what_differs_in_one_word_that_matters_stays() -> None:
    records = (a_record("yes", "tea is allowed"), a_record("no", "tea is forbidden"))
    assert len(ask("tea", records)) == 2


def test_a_near_copy_from_elsewhere_does_not_hide_what_a_user_said() -> None:
    said = f"never tell anybody that {_LONG}"
    records = (
        a_record("user", said, trust=Trust.USER),
        a_record("web", said.removeprefix("never "), trust=Trust.WEB, valid_from=NOW),
    )
    assert sorted(ids(ask("billing service release", records))) == ["user", "web"]


def test_of_equal_texts_the_most_trusted_stands_for_all() -> None:
    records = (
        a_record("user", _LONG, trust=Trust.USER),
        a_record("web", _LONG, trust=Trust.WEB, valid_from=NOW),
    )
    assert ids(ask("billing service release", records)) == ["user"]


def test_only_the_front_of_a_long_list_is_compared() -> None:
    said = "the %s billing service has its own release, of which page %d of the handbook tells"
    records = [a_record(f"r{n:03}", said % ("n" * n, n)) for n in range(1, 160)]
    twins = [a_record("twin1", said % ("z", 0)), a_record("twin2", said % ("z", 0))]
    wide = Options(limit=500, floor=0.0)
    cosines: dict[str, float] = {one.id: 0.5 - number / 500 for number, one in enumerate(records)}
    near = ask(
        "billing service release", [*twins, *records], cosines | {"twin1": 0.6, "twin2": 0.6}, wide
    )
    far = ask(
        "billing service release", [*twins, *records], cosines | {"twin1": 0.0, "twin2": 0.0}, wide
    )
    assert (len(near), len(far)) == (len(records) + 1, len(records) + 2)
    varied = ask("billing service release", records, cosines, replace(wide, diversity=1.0))
    assert ids(varied)[120:] == ids(ask("billing service release", records, cosines, wide))[120:]


def test_the_same_text_in_another_scope_stays() -> None:
    records = (a_record("a", _LONG), a_record("b", _LONG, scope="project/web/task/t-1"))
    assert len(ask("billing release", records)) == 2


def test_duplicates_stay_where_they_are_wanted() -> None:
    records = (a_record("a", _LONG), a_record("b", _LONG))
    assert len(ask("billing release", records, options=Options(collapse=False))) == 2


def test_diversity_brings_forward_what_is_unlike() -> None:
    records = (
        a_record("a1", "the billing service is released on Monday by the platform team"),
        a_record("a2", "the billing service is released on Monday by the platform people"),
        a_record("b", "billing release notes live in the wiki"),
    )
    cosines = {"a1": 0.6, "a2": 0.59, "b": 0.45}
    plain = ask("billing service release", records, cosines, Options(collapse=False))
    varied = ask(
        "billing service release", records, cosines, Options(collapse=False, diversity=0.7)
    )
    assert ids(plain) == ["a1", "a2", "b"]
    assert ids(varied) == ["a1", "b", "a2"]


_STORE = (
    a_record("vault", "the deploy key is in vault X"),
    a_record("twin", "the deploy key is in vault X"),
    a_record("tea", "Ann prefers green tea"),
    a_record("office", "the office has a key cabinet"),
)
_COSINES = {"vault": 0.6, "twin": 0.6, "tea": 0.0, "office": 0.3}


def _reason(query: str, record: str, options: Options, cosines: dict[str, float]) -> str:
    question = understand(query, NOW)
    candidates, background = found(question, _STORE, cosines)
    absence = why_not(question, candidates, background, options, RecordId(record))
    assert absence.sentence.endswith(".")
    assert (absence.place is None) == (absence.reason == "no_match")
    return absence.reason


def test_each_miss_has_its_reason() -> None:
    assert _reason("deploy key", "unknown", Options(), _COSINES) == "no_match"
    assert _reason("deploy key", "office", Options(limit=1), _COSINES) == "outranked"
    assert _reason("deploy key", "tea", Options(least=0.2), _COSINES) == "too_unlikely"
    assert _reason("deploy key", "office", Options(), _COSINES) == "returned"
    twins = {_reason("deploy key", name, Options(), _COSINES) for name in ("vault", "twin")}
    assert twins == {"returned", "duplicate"}
    nothing = dict.fromkeys(_COSINES, 0.02)
    assert _reason("weather in Paris", "tea", Options(), nothing) == "below_floor"
