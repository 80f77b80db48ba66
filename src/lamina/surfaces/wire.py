"""The one JSON shape of everything that leaves Lamina, and what each error means to a caller.

Every surface uses these functions; none formats a record, a receipt or an error by hand.

The exit statuses of the command line:

    0    done
    1    something unexpected happened, or a question was answered with no
    2    the call is wrong, or lines of an import were refused
    3    not there, or not visible to the one who asks
    4    the role may not do this
    5    someone changed it first
    6    this store cannot do that
    7    the store failed or is damaged
    8    a secret cannot be sealed or opened
    9    damage was found, or an erase left something behind
    10   the embedder or the model refused, answered wrongly or may not be asked
    75   the store, a service or the place is busy; the same command may succeed later
    130  interrupted
    141  the reader of the output has gone
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from lamina import errors
from lamina.core.instants import to_text
from lamina.core.record import Record, to_json
from lamina.errors import LaminaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.announcements import Announcement
    from lamina.core.changes import Changed, Event, Outcome, Receipt, Version
    from lamina.importing import NotesReport
    from lamina.results import (
        BackupReport,
        Erasure,
        ExtractReport,
        Hit,
        IndexReport,
        MaintenanceReport,
        Recall,
        Reindexed,
        RestoreReport,
        VectorHealth,
        WhyNot,
    )
    from lamina.stores.base import Finding

INTERNAL: Final = 1
USAGE: Final = 2
DAMAGED: Final = 9

MEANINGS: Final = {
    0: "done",
    INTERNAL: "something unexpected happened, or a question was answered with no",
    USAGE: "the call is wrong, or lines of an import were refused",
    3: "not there, or not visible to the one who asks",
    4: "the role may not do this",
    5: "someone changed it first",
    6: "this store cannot do that",
    7: "the store failed or is damaged",
    8: "a secret cannot be sealed or opened",
    DAMAGED: "damage was found, or an erase left something behind",
    10: "the embedder or the model refused, answered wrongly or may not be asked",
    75: "the store, a service or the place is busy; the same command may succeed later",
    130: "interrupted",
    141: "the reader of the output has gone",
}
"""Every exit status of the command line, and what it says."""

EXIT: Final[dict[type[LaminaError], int]] = {
    LaminaError: INTERNAL,
    errors.InvalidInputError: USAGE,
    errors.NotFoundError: 3,
    errors.ForbiddenError: 4,
    errors.UnauthenticatedError: 4,
    errors.ConflictError: 5,
    errors.UnsupportedError: 6,
    errors.BusyError: 75,
    errors.StoreError: 7,
    # EX_TEMPFAIL of sysexits.h: the same command may succeed later.
    errors.StoreUnavailableError: 75,
    errors.StoreReadOnlyError: 7,
    errors.StoreFullError: 7,
    errors.StoreVersionError: 7,
    errors.StoreDamagedError: 7,
    errors.IndexDamagedError: 7,
    errors.SecretError: 8,
    errors.EmbedderError: 10,
    errors.EmbedderUnavailableError: 75,
    errors.ModelError: 10,
    errors.ModelUnavailableError: 75,
    errors.BudgetError: 10,
    errors.BusyError: 75,
}
"""The exit status of the command line for each class of the error tree."""


def record_out(record: Record) -> dict[str, Any]:
    """A record."""
    return to_json(record)


def records_out(records: Sequence[Record], total: int) -> dict[str, Any]:
    """Records that were listed, and how many there are without a limit."""
    return {"records": [record_out(record) for record in records], "total": total}


def hit_out(hit: Hit) -> dict[str, Any]:
    """A record that recall found, how likely it is what was meant, and why."""
    return {
        "record": record_out(hit.record),
        "score": hit.score,
        "terms": list(hit.terms),
        "parts": dict(hit.parts),
    }


def recall_out(recall: Recall) -> dict[str, Any]:
    """The answer of a recall."""
    return {
        "hits": [hit_out(hit) for hit in recall.hits],
        "abstained": recall.abstained,
        "suppressed": recall.suppressed,
        "expired": recall.expired,
        "doubtful": recall.doubtful,
        "repeated": recall.repeated,
        "unfit": recall.unfit,
        "degraded": list(recall.degraded),
        "took_ms": recall.took_ms,
    }


def why_not_out(found: WhyNot) -> dict[str, Any]:
    """What kept a record out of a recall; its rank is null when it is not in it."""
    return {
        "record": found.record,
        "query": found.query,
        "rank": found.rank,
        "reasons": list(found.reasons),
        "score": found.score,
        "parts": dict(found.parts),
    }


def vectors_out(health: VectorHealth) -> dict[str, Any]:
    """How far the vectors of a store have come."""
    return {
        "embedder": health.embedder,
        "space": health.space,
        "next_space": health.next_space,
        "usable": health.usable,
        "made": health.made,
        "pending": health.pending,
        "refused": health.refused,
        "set_aside": health.set_aside,
        "error": health.error,
    }


def reindexed_out(done: Reindexed) -> dict[str, Any]:
    """What indexing anew has done."""
    return {"records": done.records, "vectors": vectors_out(done.vectors)}


def receipt_out(receipt: Receipt) -> dict[str, Any]:
    """What a commit did."""
    return {
        "tx": receipt.tx,
        "outcomes": [outcome_out(outcome) for outcome in receipt.outcomes],
        "seqs": dict(receipt.seqs),
        "durability": receipt.durability.value,
        "pending": list(receipt.pending),
        "repeated": receipt.repeated,
        "sealed": list(receipt.sealed),
    }


def untouched_out(record: Record) -> dict[str, Any]:
    """A receipt where nothing was committed, because nothing was to change."""
    state = record.state.value
    outcome = {"id": record.id, "rev": record.rev, "action": "unchanged", "state": state}
    nothing: dict[str, Any] = {"seqs": {}, "durability": None, "pending": [], "repeated": False}
    return {"tx": None, "outcomes": [outcome], **nothing, "sealed": []}


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


def change_out(change: Changed) -> dict[str, Any]:
    """One entry of the change feed: the event, the version that it made, the one before it."""
    record, before = change.record, change.before
    return {
        "event": event_out(change.event),
        "record": None if record is None else record_out(record),
        "before": None if before is None else record_out(before),
        "cursor": change.cursor,
    }


def announcement_out(said: Announcement, cursor: str) -> dict[str, Any]:
    """One read, write, flush, compaction or search, and the place right behind it."""
    return {**said.to_json(), "cursor": cursor}


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
        "sources": list(erasure.sources),
        "chain_verified": erasure.chain_verified,
        "complete": erasure.complete,
    }


def backup_out(report: BackupReport) -> dict[str, Any]:
    """What a backup holds."""
    heads = [{"stream": name, "seq": seq, "hash": last} for name, seq, last in report.heads]
    return {
        "file": report.file,
        "bytes": report.bytes,
        "sha256": report.sha256,
        "at": to_text(report.at),
        "format": report.format,
        "identity": report.identity,
        "heads": heads,
        "records": report.records,
        "events": report.events,
        "secrets": report.secrets,
        "tombstones": report.tombstones,
    }


def restore_out(report: RestoreReport) -> dict[str, Any]:
    """What a restore put in place."""
    return {
        "directory": report.directory,
        "at": to_text(report.at),
        "format": report.format,
        "identity": report.identity,
        "records": report.records,
        "erased": list(report.erased),
        "replaced": report.replaced,
        "secrets": report.secrets,
        "has_key": report.has_key,
    }


def maintenance_out(report: MaintenanceReport) -> dict[str, Any]:
    """What maintenance took away, or would take away."""
    return {
        "applied": report.applied,
        "at": to_text(report.at),
        "versions": report.versions,
        "pruned": report.pruned,
        "layers": {
            one.layer: {"versions": one.versions, "pruned": one.pruned} for one in report.layers
        },
        "receipts": report.receipts,
        "asks": report.asks,
        "tidied": report.tidied,
    }


def index_out(report: IndexReport) -> dict[str, Any]:
    """What following the files of a folder came to, or would come to."""
    return {
        "applied": report.applied,
        "root": report.root,
        "scope": report.scope,
        "files": report.files,
        "indexed": report.indexed,
        "unchanged": report.unchanged,
        "removed": report.removed,
        "chunks": {
            "written": report.chunks_written,
            "unchanged": report.chunks_unchanged,
            "removed": report.chunks_removed,
        },
        "bytes": report.bytes,
        "sealed": report.sealed,
        "skipped": [{"file": file, "reason": reason} for file, reason in report.skipped],
        "notes": [{"file": file, "note": note} for file, note in report.notes],
        "degraded": list(report.degraded),
    }


def notes_out(report: NotesReport) -> dict[str, Any]:
    """What became of the entries of Markdown files, or would."""
    return {
        "applied": report.applied,
        "format": report.format,
        "scope": report.scope,
        "files": report.files,
        "counts": dict(Counter(one.fate.value for one in report.entries)),
        "entries": [
            {
                "fate": one.fate.value, "file": one.file, "line": one.line, "kind": one.kind,
                "key": one.key, "text": one.text, "id": one.id, "note": one.note,
            }
            for one in report.entries
        ],
        "skipped": [{"file": file, "reason": reason} for file, reason in report.skipped],
        "notes": [{"file": file, "note": note} for file, note in report.notes],
        "sealed": report.sealed,
        "transactions": [{"file": file, "tx": tx} for file, tx in report.transactions],
    }  # fmt: skip


def extract_out(report: ExtractReport) -> dict[str, Any]:
    """What reading items out of files came to, or would come to."""
    return {
        "applied": report.applied,
        "root": report.root,
        "scope": report.scope,
        "files": report.files,
        "added": report.added,
        "replaced": report.replaced,
        "unchanged": report.unchanged,
        "expired": report.expired,
        "kept_out": report.kept_out,
        "proposed": report.proposed,
        "kinds": dict(report.kinds),
        "sealed": report.sealed,
        "skipped": [{"file": file, "reason": reason} for file, reason in report.skipped],
        "notes": [{"file": file, "note": note} for file, note in report.notes],
        "degraded": list(report.degraded),
    }


def finding_out(finding: Finding) -> dict[str, Any]:
    """One result of looking over a store."""
    return {
        "check": finding.check,
        "severity": finding.severity.value,
        "message": finding.message,
        "truth": finding.truth,
        "remedy": finding.remedy,
    }


def error_out(error: LaminaError) -> dict[str, Any]:
    """An error, with what to do about it; a credential that was typed in is not repeated."""
    from lamina.sealing import scrub

    return {
        "error": {
            "code": error.code,
            "message": scrub(error.message),
            "remedy": error.remedy,
            "retryable": error.retryable,
        }
    }


def exit_status(error: LaminaError) -> int:
    """The exit status of an error; a class from elsewhere counts as its nearest ancestor here."""
    return next(EXIT[kind] for kind in type(error).__mro__ if kind in EXIT)


def outcome_out(outcome: Outcome) -> dict[str, Any]:
    """What a commit did to one record."""
    return {
        "id": outcome.id,
        "rev": outcome.rev,
        "action": outcome.action.value,
        "state": None if outcome.state is None else outcome.state.value,
    }
