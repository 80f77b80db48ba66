"""How records, receipts and reports look to a person."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from lamina.surfaces.cli.marks import Grid, Line, Span, grid, line, one_line

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.record import Record
    from lamina.stores.base import Finding

_SPANS: Final = ((86_400, "day"), (3600, "hour"), (60, "minute"))
_OLD: Final = 60 * 86_400
_CUT: Final = 100
DIM: Final = "dim"
GOOD: Final = "green"
BAD: Final = "red"
_SEVERITIES: Final = {"ok": GOOD, "note": "cyan", "derived": "yellow", "record": "bold red"}


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


def first_line(text: str) -> str:
    """The first line that says something, and a mark where there are more."""
    lines = [found for found in text.splitlines() if found.strip()]
    return f"{lines[0]} …" if len(lines) > 1 else "".join(lines)


def record_grid(records: Sequence["Record"]) -> Grid:
    """Records as rows for a program: every column, and the whole text."""
    rows = [
        (
            record.id,
            record.layer,
            record.kind,
            record.key or "-",
            record.scope,
            instant(record.updated_at),
            record.text,
        )
        for record in records
    ]
    return grid(("id", "layer", "kind", "key", "scope", "changed", "text"), rows)


def short_lines(records: Sequence["Record"], now: datetime, width: int) -> Iterator[Line]:
    """Records for a terminal: the text, and what is known about it below."""
    mixed = _mixed(records)
    for record in records:
        yield line(cut(first_line(record.text) or _data(record), max(width, _CUT)))
        facts = [record.kind, record.key or "", *(str(getattr(record, field)) for field in mixed)]
        facts += [age(record.updated_at, now), *speaker(record), record.id]
        yield from about_lines([fact for fact in facts if fact], width)


def about_lines(facts: Sequence[str], width: int | None) -> Iterator[Line]:
    """Facts about a memory, dim; none is broken where a terminal is narrow."""
    shown = ""
    for fact in map(one_line, facts):
        longer = f"{shown} · {fact}" if shown else f"   {fact}"
        if shown and width is not None and len(longer) > width:
            yield line(Span(shown, DIM))
            longer = f"   {fact}"
        shown = longer
    yield line(Span(shown, DIM))


def speaker(record: "Record") -> Iterator[str]:
    """Who said it and what that is worth, where the one does not say the other."""
    if record.source != record.trust.value:
        yield f"{record.source} ({record.trust.value})"


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
        ("source", next(speaker(record), record.source)),
        ("importance", f"{record.importance:g}"),
        ("confidence", f"{record.confidence:g}"),
        ("created", f"{instant(record.created_at)} ({age(record.created_at, now)})"),
        ("changed", f"{instant(record.updated_at)} ({age(record.updated_at, now)})"),
        ("valid from", instant(record.valid_from) if record.valid_from else ""),
        ("expires", instant(record.expires_at) if record.expires_at else ""),
        ("supersedes", record.supersedes or ""),
        ("rev", str(record.rev)),
    ]
    shown = [line(Span(f"{name:<12}", DIM), one_line(value)) for name, value in facts if value]
    return [line(Span(record.text, "bold")), line(""), *shown]


def finding_grid(findings: Sequence["Finding"]) -> Grid:
    """What a look at the store found, as a table."""
    rows = [
        (
            finding.check,
            Span(finding.severity.value, _SEVERITIES[finding.severity.value]),
            finding.message,
            finding.truth,
            finding.remedy,
        )
        for finding in findings
    ]
    return grid(("check", "result", "what", "right is", "remedy"), rows)


def receipt_lines(receipt: "Receipt") -> list[Line]:
    """What became of each record, and the transaction that undo takes."""
    lines = [
        line(
            Span(_verb(outcome.action.value, outcome.state), GOOD),
            f" {outcome.id} rev {outcome.rev}",
        )
        for outcome in receipt.outcomes
    ]
    if receipt.sealed:
        number = f"{len(receipt.sealed)} secret{'s' if len(receipt.sealed) > 1 else ''}"
        lines.append(line(Span(f"{number} sealed:", GOOD), f" {', '.join(receipt.sealed)}"))
    if all(outcome.action.value == "unchanged" for outcome in receipt.outcomes):
        # Nothing was written, so there is nothing that undo could take back.
        return lines
    again = "the receipt of an earlier call; " if receipt.repeated else ""
    return [*lines, line(Span(f"{again}{receipt.durability.value}, tx {receipt.tx}", DIM))]


def _mixed(records: Sequence["Record"]) -> list[str]:
    """Of layer, scope and state, those that differ from record to record."""
    return [
        field
        for field in ("layer", "scope", "state")
        if len({getattr(record, field) for record in records}) > 1
    ]


def _verb(action: str, state: object) -> str:
    return f"{action} to {state}" if action == "moved" else action


def _data(record: "Record") -> str:
    from lamina.core.canonical import dumps

    return dumps(record.data) if record.data else ""


def instant(then: datetime) -> str:
    """A time for a column."""
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")
