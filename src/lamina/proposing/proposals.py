"""Statements of a model become proposals: beside what is known, with where they are from.

Proposals never replace, change or remove anything. What is known already, waits already, or was
forgotten by somebody is not proposed.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lamina.core.chat import MOST_CONFIDENT
from lamina.core.instants import from_text, to_text
from lamina.core.ranking.duplicates import SAME, likeness, shingles
from lamina.core.record import State, Trust
from lamina.core.scope import GLOBAL, Scope
from lamina.errors import InvalidInputError, SecretError
from lamina.layers.face import Face, every
from lamina.proposing.asking import ask, batches
from lamina.proposing.statements import UnreadableAnswerError, normal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.core.changes import Put
    from lamina.core.chat import Model
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.proposing.asking import Task
    from lamina.proposing.statements import Piece, Statement

PROPOSED: Final = "proposed"
"""Where a proposal says who made it, and from what."""
_MARK: Final = "proposing"
_log: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Report:
    """What became of what a model said."""

    model: str
    read: int = 0
    """How many messages, notes or episodes it was shown."""
    proposals: list[Draft] = field(default_factory=list)
    """What waits for somebody to accept it, or would in a dry run."""
    ids: list[str] = field(default_factory=list)
    """The records that these are, in the same order; none in a dry run."""
    known: int = 0
    """How many statements said nothing new."""
    left_out: list[str] = field(default_factory=list)
    """Why other statements, or a whole answer, cannot be believed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where proposals go: a layer of a scope, and what about them is the same."""

    layer: str
    scope: str
    about: dict[str, Any]
    """What each one says of where it is from."""


class Proposing(Face):
    """Asks a model about what it has not seen of a session or task, and keeps what it says."""

    layer = "blackboard"

    def __init__(self, door: Door, scope: Scope, place: Place) -> None:
        super().__init__(door, scope)
        self._place = place

    def unread(self, records: Sequence[Record]) -> list[Record]:
        """Those that no model was asked about yet, of records in the order they were made in."""
        mark = self._mark()
        if mark is None:
            return list(records)
        # Ids of one instant are in no order, so that the place of the last one read tells.
        for place, one in enumerate(records):
            if one.id == mark.data.get("upto"):
                return list(records[place + 1 :])
        at = from_text(str(mark.data.get("at")))
        return [one for one in records if one.created_at >= at]

    def propose(
        self, model: Model, task: Task, pieces: Iterable[Piece], *, dry_run: bool
    ) -> Report:
        """Ask about all pieces, a batch at a time; each answer is kept before the next question.

        An answer of which nothing can be believed ends it: what it was about is asked about the
        next time, perhaps another model.
        """
        report = Report(model.name)
        for batch in batches(pieces):
            try:
                statements, left_out = ask(model, task, batch)
            except UnreadableAnswerError as error:
                _log.warning("%s proposed nothing: %s", model.name, error)
                report.left_out.append(str(error))
                break
            report.left_out += left_out
            if left_out and not statements:
                _log.warning("%s proposed nothing that can be believed", model.name)
                break
            report.read += len(batch)
            self._keep(statements, batch, report, dry_run=dry_run)
        return report

    def _keep(
        self, statements: Sequence[Statement], batch: Sequence[Piece], report: Report, *,
        dry_run: bool,
    ) -> None:  # fmt: skip
        drafts = self._new(statements, trust_in(batch), report)
        puts = [put for draft in drafts if (put := self._put_for(draft, report)) is not None]
        if dry_run:
            return
        marked = self._path.puts([self._marking(batch)], self._door.scope)
        receipt = self._path.commit([*puts, *marked])
        report.ids += [outcome.id for outcome in receipt.outcomes[: len(puts)]]

    def _new(self, statements: Sequence[Statement], trust: Trust, report: Report) -> list[Draft]:
        """Drafts for what is not known, nor said twice."""
        known = list(self._known()) if statements else []
        texts = [(_normal_key(one.key), one.text) for one in known]
        texts += [(one.get("key"), one["text"]) for one in report.proposals]
        turned_down = {_evidence(one) for one in known if one.state is State.FORGOTTEN}
        drafts: list[Draft] = []
        for one in statements:
            same = any(says_the_same(one.key, one.text, *other) for other in texts)
            if same or (one.key, normal(one.quote)) in turned_down:
                report.known += 1
                continue
            texts.append((one.key, one.text))
            drafts.append(self._draft(one, trust, report.model, known))
        return drafts

    def _known(self) -> list[Record]:
        states = [State.CURRENT.value, State.PROPOSED.value, State.FORGOTTEN.value]
        root = self._door.principal.common.path
        places = dict.fromkeys((self._place.scope, root, GLOBAL.path))
        where = {"layer": self._place.layer, "state": {"$in": states}}
        # One scope at a time: that is an index, several at once are not.
        return [one for place in places for one in every(self._door, {**where, "scope": place})]

    def _draft(self, one: Statement, trust: Trust, model: str, known: Sequence[Record]) -> Draft:
        cited = {"from": [one.piece.record.id]} if one.piece.record is not None else {}
        draft: Draft = {
            "layer": self._place.layer, "scope": self._place.scope, "kind": one.kind,
            "text": one.text, "confidence": MOST_CONFIDENT, "via": trust.value,
            "data": {PROPOSED: {**self._place.about, **cited, "by": model, "quote": one.quote}},
        }  # fmt: skip
        if one.key is None:
            return draft
        # Accepted, it is to stand in the place of what is there, however that is spelled.
        same = (held.key for held in known if held.key and _normal_key(held.key) == one.key)
        return {**draft, "key": next(same, one.key)}

    def _put_for(self, draft: Draft, report: Report) -> Put | None:
        """The change that proposes something, unless the write path would not take it."""
        try:
            [put] = self._path.puts([draft], self._door.scope)
        except (InvalidInputError, SecretError) as error:
            report.left_out.append(error.message)
            return None
        report.proposals.append(draft)
        return replace(put, proposal=True)

    def _marking(self, batch: Sequence[Piece]) -> Draft:
        mark = self._mark()
        last = next(one.record for one in reversed(batch) if one.record is not None)
        return {
            "layer": self.layer, "scope": self.scope, "kind": _MARK, "key": self._key,
            "text": f"A model was asked for {self._place.layer} up to {last.id}",
            "data": {"upto": last.id, "at": to_text(last.created_at)},
            "expect": 0 if mark is None else mark.rev,
        }  # fmt: skip

    def _mark(self) -> Record | None:
        return self._holder(self._key, kind=_MARK)

    @property
    def _key(self) -> str:
        return f"{_MARK} {self._place.layer}"


def trust_in(batch: Iterable[Piece]) -> Trust:
    """How far a model's reading is believed: no further than anything that it had before it."""
    shown = (one.record.trust for one in batch if one.record is not None)
    return Trust.lowest(Trust.AGENT, *shown)


def _normal_key(key: str | None) -> str | None:
    return None if key is None else normal(key)


def _evidence(record: Record) -> tuple[str | None, str | None]:
    """The key of a proposal and the words that it was read in."""
    told = record.data.get(PROPOSED)
    quote = told.get("quote") if isinstance(told, dict) else None
    return _normal_key(record.key), normal(quote) if isinstance(quote, str) else None


def says_the_same(key: str | None, text: str, other_key: str | None, other: str) -> bool:
    """Whether a statement would tell nothing that another does not."""
    one, two = normal(text).rstrip("."), normal(other).rstrip(".")
    if one == two:
        return True
    if key is not None and key == other_key and two and f" {two} " in f" {one} ":
        # A fact is often kept as its value alone.
        return True
    first, second = shingles(one), shingles(two)
    return min(len(first), len(second)) > 6 and likeness(first, second) >= SAME
