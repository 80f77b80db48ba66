"""What `lamina bench layers` shows."""

from typing import TYPE_CHECKING, Any

from lamina.surfaces.cli.marks import Grid, Line, Span, grid, line

if TYPE_CHECKING:
    from collections.abc import Iterator


def report(found: dict[str, Any]) -> "Iterator[Line | Grid]":
    """The figures of a run for a person, from the document that a program gets."""
    machine = found["machine"]
    yield line(
        f"{machine['system']}, {machine['cpus']} CPUs, Python {machine['python']}, SQLite"
        f" {machine['sqlite']}; {found['filesystem']}; vectors by {found['embedder']};"
        f" load {found['load']} at the end"
    )
    headings = ("what", "aim", "p50", "p99", "of a core", "against", "its p50", "ratio")
    rows = [_row(name, row) for name, row in found["rows"].items()]
    yield grid(headings, rows, headed=True)


def _row(name: str, row: dict[str, Any]) -> list[str | Span]:
    style = {True: "green", False: "red", None: ""}[row["meets_aim"]]
    raw = row["raw"]
    return [
        name,
        "" if row["aim_ms"] is None else f"{row['aim_ms']:g} ms",
        Span(_ms(row["p50_ms"]), style),
        _ms(row["p99_ms"]),
        "" if row["cpu_p50_ms"] is None else _ms(row["cpu_p50_ms"]),
        "" if raw is None else raw["what"],
        "" if raw is None else _ms(raw["p50_ms"]),
        "" if row["ratio"] is None else f"{row['ratio']:,g}",
    ]


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.3f} ms" if milliseconds >= 0.001 else "< 0.001 ms"
