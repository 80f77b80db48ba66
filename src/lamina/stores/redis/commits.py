"""A commit as the script takes it: planned here on what stands, done there if it still does."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina.core.changes import Action, Adopt, Erase, Put, Receipt
from lamina.core.instants import to_text
from lamina.core.layers import HOT, LAYERS, Durability, is_indexed, place_of, slot
from lamina.core.planning import Plan, Step, durability_of, make_plan
from lamina.core.retention import kept_when_writing
from lamina.core.scope import stream_of
from lamina.errors import StoreUnavailableError, UnsupportedError
from lamina.stores import receipts
from lamina.stores.redis.present import Present, held_by, look, seen_places, seen_records
from lamina.stores.redis.rows import from_sealed, from_terms, set_of, to_body, to_seqs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from lamina.core.changes import Commit
    from lamina.core.record import Record
    from lamina.stores.redis.server import Server

MOST_EVENTS: Final = 10_000
"""How many events of a stream stay, with the versions that they made."""
_TRIES: Final = 1_000
"""How often others may change what a commit was planned on before it gives up."""
_EPOCH_MS: Final = 1000


class Writing:
    """What carries out commits on one server."""

    def __init__(
        self,
        server: Server,
        *,
        chosen: Callable[[], Mapping[str, str]] | None = None,
        settle: Callable[[str], None] = lambda tx: None,
        claim: Callable[[], object],
        most_events: int = MOST_EVENTS,
    ) -> None:
        self._server = server
        self._chosen = chosen
        """The settings in force, where another store keeps them."""
        self._settle = settle
        """Told the commit that holds what this one needs; returns when it may try again."""
        self._claim = claim
        self._most_events = most_events

    def commit(self, commit: Commit) -> Receipt:
        """Carry out a commit."""
        return self._planned(commit, "commit")

    def prepare(self, commit: Commit) -> Receipt:
        """The first half: decide, and keep others from what it was decided on.

        The receipt has no numbers yet, unless it is that of an earlier request.
        """
        return self._planned(commit, "prepare")

    def finish(self, commit: Commit, prepared: Receipt) -> Receipt:
        """The second half: what was decided is done."""
        answer, *seqs = self._server.run("write", "finish", commit.tx)
        if answer == b"done":
            return replace(prepared, seqs=to_seqs(seqs[0]))
        if all(one.action is Action.UNCHANGED for one in prepared.outcomes):
            return prepared
        # It took so long that somebody took the first half back: it is decided anew.
        return self._planned(commit, "commit")

    def abandon(self, commit: Commit) -> None:
        """Take the first half back: nothing has happened."""
        self._server.run("write", "abandon", commit.tx)

    def _planned(self, commit: Commit, mode: str) -> Receipt:
        _check_layers(commit)
        owner = receipts.owner_of(commit)
        key = None if owner is None else hashlib.sha256("\0".join(owner).encode()).hexdigest()
        for _ in range(_TRIES):
            present = self._present(commit, key)
            if present.earlier is not None:
                receipts.check_same_request(present.earlier[0], commit.request)
                return present.earlier[1]
            plan = make_plan(commit, present)
            durability = min_of(durability_of(commit), self._server.durability())
            receipt = Receipt(commit.tx, plan.outcomes, (), durability)
            if not plan.steps and key is None and mode == "commit":
                return receipt
            said = self._said(plan, present, receipt, key)
            text = json.dumps(said, ensure_ascii=False)
            erases = all(isinstance(change, Erase) for change in commit.changes)
            answer, *more = self._server.run("write", mode, text, without_room=erases)
            if answer == b"done":
                return Receipt(commit.tx, plan.outcomes, to_seqs(more[0]), durability)
            if answer == b"prepared":
                return receipt
            if answer == b"held":
                self._settle(more[0].decode())
            elif answer == b"stranger":
                self._claim()
        raise StoreUnavailableError(
            "others change the same records all the time", remedy="Try again in a moment"
        )

    def _present(self, commit: Commit, key: str | None) -> Present:
        present = look(self._server, commit, key)
        if self._chosen is None:
            return present
        return replace(present, settings=self._chosen())

    def _said(
        self, plan: Plan, present: Present, receipt: Receipt, key: str | None
    ) -> dict[str, Any]:
        commit = plan.commit
        adopted = {one.record.id for one in commit.changes if isinstance(one, Adopt)}
        asked = {} if key is None else {
            "receipt": key, "request": commit.request, "outcomes": receipts.to_text(receipt),
            "durability": receipt.durability.value,
            "asked": list(dict.fromkeys(one.id for one in plan.outcomes)),
        }  # fmt: skip
        return {
            "identity": self._server.identity,
            "tx": commit.tx,
            "at": to_text(commit.at),
            "actor": commit.by.name,
            "surface": commit.by.surface.value,
            "chosen": present.chosen,
            "records": seen_records(present),
            "places": seen_places(present),
            # The key too, or a repeated request would pass by the one that waits.
            "holds": [*held_by(present), *(() if key is None else (f"k:{key}",))],
            "most": str(self._most_events),
            "steps": [
                _step(step, present.settings, told=step.subject.id in adopted)
                for step in plan.steps
            ],
            **asked,
        }


def min_of(wanted: Durability, given: Durability) -> Durability:
    """The lesser of two promises."""
    order = (Durability.EPHEMERAL, Durability.COMMITTED, Durability.SYNCED)
    return min(wanted, given, key=order.index)


def _check_layers(commit: Commit) -> None:
    for change in commit.changes:
        layer = change.layer if isinstance(change, Put) else None
        layer = change.record.layer if isinstance(change, Adopt) else layer
        if layer is not None and layer not in HOT:
            raise UnsupportedError(
                f"Redis keeps no records of the layer `{layer}`",
                remedy=f"It keeps: {', '.join(sorted(HOT))}",
            )


def _step(step: Step, chosen: Mapping[str, str], *, told: bool) -> dict[str, Any]:
    record = step.subject
    said: dict[str, Any] = {
        "action": step.action.value,
        "id": record.id,
        "rev": str(record.rev),
        "stream": stream_of(record.scope),
        "set": set_of(record.scope, record.layer),
        "slot": _slot(record),
    }
    if step.before is not None and (left := place_of(step.before)) is not None:
        said["left"] = left
    if step.after is None:
        return said
    if (place := place_of(step.after)) is not None:
        said["place"] = place
    if record.expires_at is not None:
        said["ends"] = str(_milliseconds(record.expires_at))
    if step.action is not Action.WITNESSED:
        said |= _version(step, chosen, told=told)
    return said


def _version(step: Step, chosen: Mapping[str, str], *, told: bool) -> dict[str, Any]:
    record = step.subject
    said: dict[str, Any] = {
        "body": to_body(record, told=told),
        "sealed": [from_sealed(box) for box in step.sealed],
    }
    kept = kept_when_writing(record.layer, chosen)
    if kept is not None:
        said["kept"] = str(kept)
    if not is_indexed(record):
        said["terms"] = ""
    elif step.terms is not None:
        said["terms"] = from_terms(step.terms)
    return said


def _slot(record: Record) -> str:
    """The slot of a record, whether it holds it or not."""
    if record.key is None:
        return ""
    return slot(LAYERS[record.layer], record.scope, record.kind, record.key)


def _milliseconds(at: datetime) -> int:
    # Rounded up: what has a microsecond left is not gone yet.
    return -int(-at.timestamp() * _EPOCH_MS // 1)
