"""Tasks as a tree: each below the first of those that it waits for."""

from typing import TYPE_CHECKING

from lamina.layers.tasks import awaited, status_of
from lamina.surfaces.cli.marks import Span, grid
from lamina.surfaces.cli.views import DIM, cut

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.record import Record
    from lamina.surfaces.cli.marks import Grid


def tree(records: "Sequence[Record]", styles: "Mapping[str, str]") -> "Grid":
    """Names indented by what they wait for, with what else they wait for, and how they stand."""
    rows = []
    for depth, task in _placed(records):
        status, said = status_of(task).value, task.data
        rows.append(
            (
                (Span("  " * depth, DIM), Span(str(task.key), "bold")),
                Span(status, styles.get(status, "")),
                str(said.get("agent", "-")), ", ".join(awaited(task)[1:]) or "-",
                cut(str(said.get("note") or task.text)),
            )
        )  # fmt: skip
    return grid(("name", "status", "agent", "waits also for", "note or description"), rows)


def _placed(records: "Sequence[Record]") -> "list[tuple[int, Record]]":
    """Every task once with its depth; those that wait for each other stand at the top."""
    every = {str(one.key): one for one in records}
    below: dict[str, list[str]] = {}
    for name, one in every.items():
        first = next((other for other in awaited(one) if other in every), "")
        below.setdefault(first, []).append(name)
    placed: dict[str, int] = {}
    for start in (*below.get("", ()), *every):
        left = [(start, 0)]
        while left:
            name, depth = left.pop()
            if name not in placed:
                placed[name] = depth
                left += [(one, depth + 1) for one in reversed(below.get(name, ()))]
    return [(depth, every[name]) for name, depth in placed.items()]
