"""What `lamina bench speed` shows."""

from typing import TYPE_CHECKING, Any

from lamina.bench.plot import Plot
from lamina.surfaces.cli.marks import Grid, Line, grid, line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def report(found: dict[str, Any]) -> "Iterator[Line | Grid]":
    """The figures of a run for a person, from the document that a program gets."""
    machine = found["machine"]
    yield line(
        f"{machine['system']}, {machine['cpus']} CPUs, Python {machine['python']}, SQLite"
        f" {machine['sqlite']}; {found['filesystem']}; vectors by {found['embedder']};"
        f" load {found['load']} at the start"
    )
    yield _sizes(found["steps"])
    yield _sorts(found["steps"])
    for spec, followed in found["following"].items():
        yield line(
            f"vectors by {spec} follow at {followed['followed_per_second']:,.0f} a second,"
            f" {100 * followed['share']:.0f}% of the embedder's own"
            f" {followed['own_per_second']:,.0f}"
        )
    yield from map(line, growth(found).to_lines())


def growth(found: dict[str, Any]) -> Plot:
    """What becomes slower with size."""
    return Plot("Growth", found["growth"], "records", "ms", logarithmic=True)


def _sizes(steps: "Sequence[dict[str, Any]]") -> Grid:
    rows = [(name, *map(show, steps)) for name, show in _ROWS.items()]
    return grid(("figure", *(f"{step['records']:,} records" for step in steps)), rows)


def _sorts(steps: "Sequence[dict[str, Any]]") -> Grid:
    sorts = steps[0]["recall"]["kinds"]
    rows = [
        (sort, *(f"{step['recall']['kinds'][sort]} | {step['plain']['kinds'][sort]}"
                 for step in steps))
        for sort in sorts
    ]  # fmt: skip
    headings = (f"{step['records']:,}: recall | plain, ms" for step in steps)
    return grid(("p50 by sort of question", *headings), rows)


def _vectors(step: dict[str, Any]) -> str:
    made = step["vectors"]
    return f"{made['backlog']:,} behind, {made['seconds']} s"


_ROWS: "dict[str, Callable[[dict[str, Any]], str]]" = {
    "records written per second": lambda step: f"{step['ingest']['per_second']:,.0f}",
    "found by words when acknowledged": lambda step: (
        "yes" if step["ingest"]["found_when_acknowledged"] else "NO"
    ),
    "vectors when writing stops": _vectors,
    "all indexes built in": lambda step: f"{step['index']['build_seconds']} s",
    "one write": lambda step: f"{step['single_write']['p50_ms']} ms",
    "recall p50": lambda step: f"{step['recall']['p50_ms']} ms",
    "recall p99": lambda step: f"{step['recall']['p99_ms']} ms",
    "recall, time of a core, p50": lambda step: f"{step['recall']['cpu_p50_ms']} ms",
    "recall in a scope of 1%, p50": lambda step: f"{step['recall_in_scope']['p50_ms']} ms",
    "recall in a scope of 1%, p99": lambda step: f"{step['recall_in_scope']['p99_ms']} ms",
    "plain search p50": lambda step: f"{step['plain']['p50_ms']} ms",
    "plain search, time of a core, p50": lambda step: f"{step['plain']['cpu_p50_ms']} ms",
    "plain search of content words p50": lambda step: (
        f"{step['plain']['content_words']['p50_ms']} ms"
    ),
    "recall is faster": lambda step: (
        f"{step['against_plain']['faster_p50']} times"
        f" ({step['against_plain']['faster_p50_content_words']})"
    ),
    "nearest ten that the index finds": lambda step: f"{100 * step['vector_recall@10']:.1f}%",
    "open, in a fresh process": lambda step: f"{step['cold']['open_ms']} ms",
    "first recall": lambda step: f"{step['cold']['first_recall_ms']} ms",
    "resident": lambda step: f"{step['resident_mb']} MB (plain {step['plain']['resident_mb']})",
    "disk for a record": lambda step: f"{step['disk']['bytes_per_record']:,.0f} bytes",
}
