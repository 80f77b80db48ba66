"""The one JSON shape of everything that leaves Lamina, and what each error means to a caller.

Every surface uses these functions; none formats a record, a receipt or an error by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import errors
from lamina.core.instants import to_text
from lamina.core.record import Record, to_json
from lamina.errors import LaminaError

if TYPE_CHECKING:
    from lamina.core.changes import Event, Outcome, Receipt, Version
    from lamina.results import Erasure, Hit, Recall
    from lamina.stores.base import Finding

INTERNAL: Final = 1
USAGE: Final = 2
DAMAGED: Final = 9
"""Doctor found damage, or an erase left something behind."""

EXIT: Final[dict[type[LaminaError], int]] = {
    LaminaError: INTERNAL,
    errors.InvalidInputError: USAGE,
    errors.NotFoundError: 3,
    errors.ForbiddenError: 4,
    errors.ConflictError: 5,
    errors.UnsupportedError: 6,
    errors.StoreError: 7,
    # EX_TEMPFAIL of sysexits.h: the same command may succeed later.
    errors.StoreUnavailableError: 75,
    errors.StoreReadOnlyError: 7,
    errors.StoreFullError: 7,
    errors.StoreVersionError: 7,
    errors.StoreDamagedError: 7,
    errors.SecretError: 8,
}
"""The exit status of the command line for each class of the error tree."""


def record_out(record: Record) -> dict[str, Any]:
    """A record."""
    return to_json(record)


def hit_out(hit: Hit) -> dict[str, Any]:
    """A record that recall found, with its score and the words that matched."""
    return {"record": record_out(hit.record), "score": hit.score, "terms": list(hit.terms)}


def recall_out(recall: Recall) -> dict[str, Any]:
    """The answer of a recall."""
    return {
        "hits": [hit_out(hit) for hit in recall.hits],
        "abstained": recall.abstained,
        "suppressed": recall.suppressed,
        "degraded": list(recall.degraded),
        "took_ms": recall.took_ms,
    }


def receipt_out(receipt: Receipt) -> dict[str, Any]:
    """What a commit did."""
    return {
        "tx": receipt.tx,
        "outcomes": [_outcome_out(outcome) for outcome in receipt.outcomes],
        "seqs": dict(receipt.seqs),
        "durability": receipt.durability.value,
        "pending": list(receipt.pending),
        "repeated": receipt.repeated,
    }


def event_out(event: Event) -> dict[str, Any]:
    """One link of a stream's chain."""
    return {
        "stream": event.stream,
        "seq": event.seq,
        "tx": event.tx,
        "record": event.record,
        "rev": event.rev,
        "action": event.action.value,
        "actor": event.actor,
        "surface": event.surface,
        "at": to_text(event.at),
        "digest": event.digest,
        "hash": event.hash,
    }


def version_out(version: Version) -> dict[str, Any]:
    """One state of a record in its history; the record is null when it was erased or pruned."""
    record = None if version.record is None else record_out(version.record)
    return {"event": event_out(version.event), "record": record}


def erasure_out(erasure: Erasure) -> dict[str, Any]:
    """The report of an erase."""
    return {
        "records": list(erasure.records),
        "versions": erasure.versions,
        "sealed": erasure.sealed,
        "files": erasure.files,
        "bytes": erasure.bytes,
        "residue": list(erasure.residue),
        "unlooked": list(erasure.unlooked),
        "mentions": list(erasure.mentions),
        "chain_verified": erasure.chain_verified,
        "complete": erasure.complete,
    }


def finding_out(finding: Finding) -> dict[str, Any]:
    """One result of looking over a store."""
    return {
        "check": finding.check,
        "severity": finding.severity.value,
        "message": finding.message,
        "remedy": finding.remedy,
    }


def error_out(error: LaminaError) -> dict[str, Any]:
    """An error, with what to do about it."""
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "remedy": error.remedy,
            "retryable": error.retryable,
        }
    }


def exit_status(error: LaminaError) -> int:
    """The exit status of an error; a class from elsewhere counts as its nearest ancestor here."""
    return next(EXIT[kind] for kind in type(error).__mro__ if kind in EXIT)


def _outcome_out(outcome: Outcome) -> dict[str, Any]:
    return {
        "id": outcome.id,
        "rev": outcome.rev,
        "action": outcome.action.value,
        "state": None if outcome.state is None else outcome.state.value,
    }
