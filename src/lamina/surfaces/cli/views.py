"""How records, receipts and reports look to a person."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from lamina.surfaces.cli.marks import Grid, Line, Span, grid, line, one_line

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.record import Record

_SPANS: Final = ((86_400, "day"), (3600, "hour"), (60, "minute"))
_OLD: Final = 60 * 86_400
DIM: Final = "dim"
GOOD: Final = "green"
BAD: Final = "red"


def age(then: datetime, now: datetime) -> str:
    """How long ago, in words; the date when that is long."""
    seconds = int((now - then).total_seconds())
    if seconds >= _OLD:
        return then.strftime("%Y-%m-%d")
    for length, unit in _SPANS:
        if seconds >= length:
            number = seconds // length
            return f"{number} {unit}{'s' if number > 1 else ''} ago"
    return "just now" if seconds >= 0 else f"from {then:%Y-%m-%d %H:%M} UTC"


def cut(text: str, length: int = 72) -> str:
    """The beginning of a text, on one line."""
    short = one_line(text)
    return short if len(short) <= length else f"{short[: length - 1]}…"


def record_grid(records: Sequence["Record"], now: datetime, *, on_terminal: bool) -> Grid:
    """Records as rows: cut to a line on a terminal, whole where a program reads."""
    rows = [
        (
            Span(record.id, DIM),
            Span(record.kind, "cyan"),
            record.key or "-",
            Span(record.scope, DIM),
            age(record.updated_at, now) if on_terminal else _date(record.updated_at),
            cut(record.text) if on_terminal else record.text,
        )
        for record in records
    ]
    return grid(("id", "kind", "key", "scope", "changed", "text"), rows)


def record_lines(record: "Record", now: datetime) -> list[Line]:
    """One record in full."""
    facts: list[tuple[str, str]] = [
        ("id", record.id),
        ("scope", record.scope),
        ("layer", record.layer),
        ("kind", record.kind),
        ("key", record.key or ""),
        ("state", "" if record.state.value == "current" else record.state.value),
        ("tags", ", ".join(record.tags)),
        ("data", _data(record)),
        ("source", f"{record.source} (trust: {record.trust.value})"),
        ("importance", f"{record.importance:g}"),
        ("confidence", f"{record.confidence:g}"),
        ("created", f"{_date(record.created_at)} ({age(record.created_at, now)})"),
        ("changed", f"{_date(record.updated_at)} ({age(record.updated_at, now)})"),
        ("valid from", _date(record.valid_from) if record.valid_from else ""),
        ("expires", _date(record.expires_at) if record.expires_at else ""),
        ("supersedes", record.supersedes or ""),
        ("rev", str(record.rev)),
    ]
    shown = [line(Span(f"{name:<12}", DIM), one_line(value)) for name, value in facts if value]
    return [line(Span(record.text, "bold")), line(""), *shown]


def receipt_lines(receipt: "Receipt") -> list[Line]:
    """What became of each record, and the transaction that undo takes."""
    lines = [
        line(
            Span(_verb(outcome.action.value, outcome.state), GOOD),
            f" {outcome.id} rev {outcome.rev}",
        )
        for outcome in receipt.outcomes
    ]
    again = "the receipt of an earlier call; " if receipt.repeated else ""
    return [*lines, line(Span(f"{again}{receipt.durability.value}, tx {receipt.tx}", DIM))]


def _verb(action: str, state: object) -> str:
    return f"{action} to {state}" if action == "moved" else action


def _data(record: "Record") -> str:
    from lamina.core.canonical import dumps

    return dumps(record.data) if record.data else ""


def _date(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
