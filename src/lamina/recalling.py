"""The recall path: understand the question, gather candidates, rank them, know when to be still.

Candidates come from the store with all their scores; what they mean is decided in
`lamina.core.ranking`, by pure functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, TypedDict

from lamina import clock
from lamina.core.filters import Filter, matches, parse
from lamina.core.indexing import embedded_text
from lamina.core.instants import check_instant, looking_back
from lamina.core.options import check_flag, check_options, check_share
from lamina.core.ranking import (
    LIKELY,
    WEIGHTS,
    Background,
    Candidate,
    Options,
    Question,
    Ranked,
    rank,
    understand,
)
from lamina.core.ranking import why_not as why_absent
from lamina.core.settings import FLOOR, HYBRID, PROVIDER, USE, check_setting
from lamina.core.text import query_terms
from lamina.embedding import Question as Placed
from lamina.embedding import Vectors
from lamina.errors import InvalidInputError, StoreError
from lamina.reading import Asked, ReadPath, check_limit, in_layers
from lamina.results import Hit, Recall, WhyNot
from lamina.stores.questions import Found, Match, Query, Search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from lamina.announcing import Announcer
    from lamina.answering import Answered
    from lamina.core.ids import RecordId
    from lamina.core.record import Record
    from lamina.core.usage import Usage
    from lamina.stores.base import Store

_CANDIDATES: Final = 40
"""How many by words, and by nearness, come into question; more when more are asked for."""
_SPARE: Final = 20
_USUAL: Final = 10
"""How many hits there are at most where nobody has said."""
_NOT_AMONG: Final = "It is neither among the best by words nor among the nearest in meaning."
_UNFIT: Final = "It has {:,} tokens, and did not fit into the {:,} of the budget any more."
_OLD_VERSIONS: Final = 64
"""How many replaced versions a recall of the past places anew."""


class How(TypedDict, total=False):
    """What a recall may be told beside what it looks for."""

    k: int
    """So many, if there are; by default at most 10, and none that are hardly likely."""
    layers: Sequence[str] | None
    """The layers to search; by default all but `session`, `archive` and `working`."""
    where: Mapping[str, Any] | Filter | None
    """A filter that hits must pass."""
    scope: str | None
    """The scope to search, with what is below it."""
    as_of: str | datetime | None
    """The time to search, as an instant, a span ago, or a cursor."""
    now: str | datetime
    """The time that words like `yesterday` are read against; the present by default."""
    floor: float
    """How likely a record must be what was asked for; the store's setting by default."""
    diversity: float
    """From 0, best first, to 1, as different from each other as can be."""
    budget: int
    """How many tokens the records may have together."""
    weights: Mapping[str, float]
    """How much signals count, by the names that explain a score; 1 each by default, 0 for not."""
    tentative: bool
    """Whether it is only tried, as while somebody types: then it counts as no question, its hits
    as of no use, and nobody is told."""
    provider: str
    """`hybrid` compares meaning as well as words, `keyword` words alone; by default as the store.
    """


@dataclass(frozen=True, slots=True)
class _Settled:
    """A recall with everything about it decided."""

    query: str
    search: Search
    question: Question
    options: Options
    budget: int | None
    unrelated: float
    degraded: tuple[str, ...]
    counts_use: bool
    """Whether use counts: for questions about the present, where it is not switched off."""
    tentative: bool


class Recalls(Protocol):
    """Recall for one handle, wherever the searching is done."""

    def recall(self, query: str, how: How) -> Recall:
        """The records that are most likely what was asked for; those who listen are told."""

    def find(self, query: str, how: How) -> Recall:
        """The same, but nobody is told."""

    def hand_out(self, query: str, hits: Sequence[Hit]) -> None:
        """These of the records that were found are shown."""

    def count_use(self, ids: Sequence[RecordId]) -> None:
        """These records were of use."""

    def answered(self) -> Answered:
        """How the recalls that this handle may know of went, in the process that does them."""

    def why_not(self, record: Record, query: str, how: How) -> WhyNot:
        """What kept a record out of such a recall."""


class RecallPath:
    """Recall within one reach, done here."""

    def __init__(
        self,
        store: Store,
        reads: ReadPath,
        vectors: Vectors,
        announcer: Announcer,
        settings: Callable[[], Mapping[str, str]],
    ) -> None:
        self._store = store
        self._reads = reads
        self._vectors = vectors
        self._announcer = announcer
        self._settings = settings

    def recall(self, query: str, how: How) -> Recall:
        """The records that are most likely what was asked for, and none that are not likely."""
        settled = self._settle(query, how)
        found = self._found(settled)
        if settled.tentative:
            return found
        self._announcer.searched(query, found.hits)
        if settled.counts_use:
            self._announcer.used((hit.record.id for hit in found.hits), self._reads.now())
        return found

    def find(self, query: str, how: How) -> Recall:
        """The same, but nobody is told: who shows only some of it says so by `hand_out`."""
        return self._found(self._settle(query, how))

    def hand_out(self, query: str, hits: Sequence[Hit]) -> None:
        """These of the records that were found are shown."""
        if hits:
            self._announcer.searched(query, hits)
            self.count_use([hit.record.id for hit in hits])

    def count_use(self, ids: Sequence[RecordId]) -> None:
        """These records were of use."""
        if self._settings()[USE] == "on":
            self._announcer.used(ids, self._reads.now())

    def _found(self, settled: _Settled) -> Recall:
        start = clock.stopwatch()
        found = self._placed(settled.search, self._store.search(settled.search))
        candidates, background = self._known(settled, found)
        ranked = rank(settled.question, candidates, background, settled.options)
        fitting = list(_within(ranked, settled.budget))
        hits = tuple(Hit(one.record, one.probability, one.terms, one.parts) for one in fitting)
        self._vectors.tend()
        answer = Recall(
            hits,
            sum(hit.record.rev - 1 for hit in hits),
            round((clock.stopwatch() - start) * 1000, 3),
            (*settled.degraded, *found.degraded),
            expired=found.expired,
            doubtful=0 if ranked else len(candidates),
            repeated=sum(len(one.duplicates) for one in ranked),
            unfit=len(ranked) - len(fitting),
        )
        if not settled.tentative:
            self._announcer.answered(answer)
        return answer

    def answered(self) -> Answered:
        """How the recalls that this handle may know of went, in this process."""
        return self._announcer.answers.within(self._reads.within(None))

    def why_not(self, record: Record, query: str, how: How) -> WhyNot:
        """What kept a record, which the handle can see, out of a recall."""
        settled = self._settle(query, how)
        found = self._store.search(settled.search)
        itself = self._itself(settled, record)
        if itself is None:
            return WhyNot(record.id, query, None, self._excluded(settled, record))
        known = {match.record.id for match in found.matches}
        if record.id not in known:
            found = replace(found, matches=(*found.matches, itself))
        found = self._placed(settled.search, found)
        candidates, background = self._known(settled, found)
        absence = why_absent(settled.question, candidates, background, settled.options, record.id)
        reasons: tuple[str, ...] = () if absence.reason == "returned" else (absence.sentence,)
        if not reasons and settled.budget is not None:
            ranked = rank(settled.question, candidates, background, settled.options)
            if record.id not in {one.record.id for one in _within(ranked, settled.budget)}:
                reasons = (_UNFIT.format(record.tokens, settled.budget),)
        if record.id not in known:
            reasons = (_NOT_AMONG, *reasons)
        one = absence.ranked
        if one is None:
            return WhyNot(record.id, query, None, reasons)
        place = None if reasons else absence.place
        return WhyNot(record.id, query, place, reasons, one.probability, one.parts)

    # -- inside

    def _settle(self, query: str, how: How) -> _Settled:
        _check_query(query)
        settings = self._settings()
        options = _options(how, settings[FLOOR])
        asked = Asked(how.get("where"), how.get("scope"), how.get("as_of"))
        wanted = self._reads.asked(asked)
        now = self._now(how, wanted)
        terms = query_terms(query)
        # A question without a word has no meaning either, though an embedder would find some.
        by_meaning = bool(terms) and _provider(how, settings[PROVIDER]) == HYBRID
        placed = self._vectors.question(query, wanted.reach) if by_meaning else Placed()
        search = Search(
            reach=wanted.reach,
            terms=terms,
            where=wanted.where & in_layers(how.get("layers"), wanted.where),
            vector=placed.vector,
            around=True,
            live_at=wanted.live_at,
            as_of=wanted.as_of,
            limit=max(_CANDIDATES, options.limit + _SPARE),
        )
        degraded = () if placed.degraded is None else (placed.degraded,)
        return _Settled(
            query, search, understand(query, now, terms), options, how.get("budget"),
            placed.unrelated, degraded, settings[USE] == "on" and wanted.as_of is None,
            check_flag(how.get("tentative", False), "tentative"),
        )  # fmt: skip

    def _now(self, how: How, wanted: Query) -> datetime:
        present = wanted.live_at or self._reads.now()
        given = how.get("now")
        if given is None:
            return present
        return (
            looking_back(given, present, "now")
            if isinstance(given, str)
            else check_instant(given, "now")
        )

    def _known(self, settled: _Settled, found: Found) -> tuple[list[Candidate], Background]:
        """What ranking has to know of a search."""
        used = self._used(settled, found)
        candidates = [_candidate(one, used.get(one.record.id)) for one in found.matches]
        general = found.general
        return candidates, Background(
            documents=found.documents,
            weights=found.worths,
            cosine_mean=None if general is None else general.mean,
            cosine_sample=0 if general is None else general.size,
            unrelated=settled.unrelated,
        )

    def _used(self, settled: _Settled, found: Found) -> Mapping[RecordId, Usage]:
        """How often the candidates were of use; recall does not depend on it."""
        if settled.counts_use:
            with suppress(StoreError):
                ids = [match.record.id for match in found.matches]
                return self._store.usage(self._reads.within(None), ids)
        return {}

    def _placed(self, search: Search, found: Found) -> Found:
        """Versions of the past have no vector any more: a few are worth making one again."""
        if search.vector is None or search.as_of is None:
            return found
        missing = [one for one in found.matches if one.cosine is None][:_OLD_VERSIONS]
        near = self._vectors.near([embedded_text(one.record) for one in missing], search.vector)
        made = {one.record.id: cosine for one, cosine in zip(missing, near.cosines, strict=True)}
        matches = (
            replace(one, cosine=made[one.record.id]) if one.record.id in made else one
            for one in found.matches
        )
        told = () if near.degraded is None else (near.degraded,)
        return replace(found, matches=tuple(matches), degraded=(*found.degraded, *told))

    def _itself(self, settled: _Settled, record: Record) -> Match | None:
        """The record with its scores, if the search may find it at all."""
        only = settled.search.where & parse({"id": record.id})
        found = self._store.search(replace(settled.search, where=only, around=False, limit=1))
        if found.matches:
            return found.matches[0]
        wanted = Query(reach=settled.search.reach, where=only, live_at=settled.search.live_at,
                       as_of=settled.search.as_of)  # fmt: skip
        return Match(record, 0.0, ()) if self._store.count(wanted) else None

    def _excluded(self, settled: _Settled, record: Record) -> tuple[str, ...]:
        """Why a record was not even looked at."""
        search, reasons = settled.search, []
        if not search.reach.sees(record):
            reasons.append(f"it is in `{record.scope}`, outside the scope that was searched")
        if search.live_at is not None and not record.is_live(search.live_at):
            expired = record.state.value == "current"
            reasons.append("its time has run out" if expired else f"it is {record.state.value}")
        reasons += [
            f"the filter on `{condition.field}` leaves it out"
            for condition in search.where.conditions
            if not matches(record, Filter((condition,)))
        ]
        return tuple(reasons) or ("it was not there at the time asked about",)


def _candidate(match: Match, used: Usage | None) -> Candidate:
    return Candidate(
        record=match.record, keyword=match.score, terms=match.terms, coverage=match.coverage,
        cosine=match.cosine, before=match.before, used=used,
    )  # fmt: skip


def _within(ranked: Sequence[Ranked], budget: int | None) -> Iterator[Ranked]:
    """The best whose tokens fit together; one that is too long makes room for shorter ones."""
    left = budget
    for one in ranked:
        if left is None:
            yield one
        elif one.record.tokens <= left:
            left -= one.record.tokens
            yield one


def _provider(how: How, usual: str) -> str:
    """What takes part in a recall: as the question says, else as the store does."""
    return check_setting(PROVIDER, how["provider"]) if "provider" in how else usual


def _check_query(query: object) -> None:
    if not isinstance(query, str):
        raise InvalidInputError(f"`query` must be text, not {type(query).__name__}")


def _options(how: How, floor: str) -> Options:
    check_options(how, How, "something that recall takes")
    chosen = {"auto": None, "off": 0.0}.get(floor, -1.0)
    in_force = float(floor) if chosen == -1.0 else chosen
    budget = how.get("budget")
    if budget is not None and (type(budget) is not int or budget < 1):
        raise InvalidInputError(
            f"`budget` must be a number of tokens, not {budget!r:.40}",
            remedy="Use a whole number from 1, or none for no limit",
        )
    given = check_share(how["floor"], "floor") if "floor" in how else in_force
    diversity = check_share(how.get("diversity", 0.0), "diversity")
    # Who wants so and so many wants the last of them too; but variety is no reason for rubbish.
    usual = 0.0 if "k" in how and not diversity else LIKELY
    return Options(
        limit=check_limit(how.get("k", _USUAL), "k"),
        floor=given,
        least=usual if given is None else given,
        diversity=diversity,
        weights=_checked_weights(how.get("weights", {})),
    )


def _checked_weights(weights: object) -> Mapping[str, float]:
    if not isinstance(weights, Mapping) or weights.keys() - WEIGHTS.keys():
        raise InvalidInputError(
            f"`weights` names no signals of recall: {weights!r:.60}",
            remedy=f"Use numbers from 0 to 10 for any of: {', '.join(WEIGHTS)}",
        )
    for name, value in weights.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 10:
            raise InvalidInputError(
                f"`weights` has {value!r:.20} for `{name}`", remedy="Use a number from 0 to 10"
            )
    return weights
