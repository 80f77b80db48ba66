"""Receipts as stores keep them for repeated requests: outcomes, never bodies."""

import hashlib
from typing import Any

from lamina.core import canonical
from lamina.core.changes import Action, Commit, Outcome, Receipt
from lamina.core.ids import RecordId
from lamina.core.layers import Durability
from lamina.core.record import State
from lamina.errors import ConflictError


def owner_of(commit: Commit) -> tuple[str, str] | None:
    """Who asked under which key; the key as a digest, because it may itself say something."""
    if commit.idempotency_key is None:
        return None
    return commit.by.identity, hashlib.sha256(commit.idempotency_key.encode()).hexdigest()


def check_same_request(earlier: str, request: str) -> None:
    """Refuse an idempotency key that stood for something else."""
    if earlier != request:
        raise ConflictError(
            "`idempotency_key` was used before for something else",
            remedy="Use a new key for a new request",
        )


def to_text(receipt: Receipt) -> str:
    """Write a receipt for keeping."""
    outcomes = [
        [one.id, one.rev, one.action.value, one.state and one.state.value]
        for one in receipt.outcomes
    ]
    return canonical.dumps(
        [receipt.tx, outcomes, [list(pair) for pair in receipt.seqs], receipt.durability.value]
    )


def from_text(text: str) -> Receipt:
    """Read a receipt that was kept; it is marked as repeated."""
    tx, outcomes, seqs, durability = canonical.loads(text, "receipt")
    return Receipt(
        tx,
        tuple(_outcome(*one) for one in outcomes),
        tuple((stream, seq) for stream, seq in seqs),
        Durability(durability),
        repeated=True,
    )


def _outcome(record_id: Any, rev: int, action: str, state: str | None) -> Outcome:
    return Outcome(RecordId(record_id), rev, Action(action), State(state) if state else None)
