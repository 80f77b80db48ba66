"""The JSON shapes of what imports came to: each of its own, and one for all of them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from itertools import islice
from typing import Any, Final

from lamina.exchange import ImportReport
from lamina.importing.brought import Brought, Told
from lamina.importing.formats.telling import LAMINA
from lamina.importing.report import Became, Fate, NotesReport

_COUNTED: Final = ("added", "revised", "unchanged", "proposed", "erased")
_NAMED: Final = 1_000
_SAMPLES: Final = 20
_TO_LOOK_AT: Final = (Fate.FAILED, Fate.CONFLICT, Fate.PROPOSED, Fate.KEPT)


def brought_out(report: Brought) -> dict[str, Any]:
    """What became of the items of a file, or would."""
    return {
        "applied": report.applied,
        "format": report.format,
        "scope": report.scope,
        "sessions": report.sessions,
        "counts": {fate.value: number for fate, number in report.counts.items()},
        "reasons": dict(report.reasons),
        "problems": [_told_out(one) for one in report.problems],
        "samples": [_told_out(one) for one in report.samples],
        "sealed": report.sealed,
        "transactions": list(report.transactions),
    }


def lines_out(report: ImportReport) -> dict[str, Any]:
    """What became of exported lines."""
    failed = [{"line": number, "message": message} for number, message in report.failed]
    return {**asdict(report), "failed": failed, "transactions": list(report.transactions)}


def import_out(report: Brought | NotesReport | ImportReport) -> dict[str, Any]:
    """What an import came to, or would, in the same shape whatever was imported."""
    match report:
        case Brought():
            return brought_out(report)
        case NotesReport():
            return _notes(report)
        case ImportReport():
            return _lines(report)


def _notes(report: NotesReport) -> dict[str, Any]:
    looked = (one for one in report.entries if one.fate in _TO_LOOK_AT)
    seen: Counter[Fate] = Counter()
    samples = []
    for one in report.entries:
        seen[one.fate] += 1
        samples += [one] if seen[one.fate] <= _SAMPLES else []
    reasons = Counter(one.note for one in report.entries if one.note)
    reasons.update(reason for _, reason in report.skipped)
    return {
        "applied": report.applied,
        "format": report.format,
        "scope": report.scope,
        "sessions": 0,
        "counts": {fate.value: number for fate, number in seen.items()},
        "reasons": dict(reasons),
        "problems": [_became_out(one) for one in islice(looked, _NAMED)],
        "samples": [_became_out(one) for one in samples],
        "sealed": report.sealed,
        "transactions": [tx for _, tx in report.transactions],
    }


def _lines(report: ImportReport) -> dict[str, Any]:
    counts = {name: getattr(report, name) for name in _COUNTED} | {"failed": len(report.failed)}
    reasons = Counter(message for _, message in report.failed)
    if report.unknown_secrets:
        reasons["a secret whose value is not in this store"] = report.unknown_secrets
    return {
        "applied": report.applied,
        "format": LAMINA,
        "scope": "",
        "sessions": 0,
        "counts": {name: number for name, number in counts.items() if number},
        "reasons": _first(reasons.items()),
        "problems": [_failed_out(*one) for one in report.failed[:_NAMED]],
        "samples": [],
        "sealed": 0,
        "transactions": list(report.transactions),
    }


def _first(reasons: Iterable[tuple[str, int]]) -> dict[str, int]:
    return dict(islice(reasons, _NAMED))


def _failed_out(line: int, message: str) -> dict[str, Any]:
    return {
        "fate": Fate.FAILED.value, "item": 0, "line": line, "session": None, "text": "",
        "note": message,
    }  # fmt: skip


def _became_out(one: Became) -> dict[str, Any]:
    return {
        "fate": one.fate.value, "item": 0, "line": one.line, "session": None, "text": one.text,
        "note": one.note,
    }  # fmt: skip


def _told_out(told: Told) -> dict[str, Any]:
    return {
        "fate": told.fate.value,
        "item": told.place.item,
        "line": told.place.line,
        "session": told.session,
        "text": told.text,
        "note": told.note,
    }
