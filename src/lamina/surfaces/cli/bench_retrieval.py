"""What `lamina bench retrieval` shows."""

from typing import TYPE_CHECKING, Any, Final

from lamina.surfaces.cli.marks import Grid, Line, grid, line

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOWN: Final = (
    "mrr", "recall@1", "recall@5", "recall@10", "recall@10_no_floor", "any@10", "all@10", "silent"
)  # fmt: skip
_ORIGINS: Final = {
    "cross_store": "asked of another store",
    "same_set": "  one of the same set",
    "other_sets": "  one of another set",
    "no_gold": "without an answer in its own store",
}


def report(found: dict[str, Any]) -> "Iterator[Line | Grid]":
    """The figures of a run for a person, from the document that a program gets."""
    config = found["config"]
    yield line(f"embedder {config['embedder']} ({config['space']}), floor {config['floor']}")
    yield _sets(found)
    if any(one["categories"] for one in found["sets"].values()):
        yield _categories(found["sets"])
    yield _abstention(found["abstention"])
    yield from _curve(found["abstention"]["curve"])
    if found["ablations"]:
        yield _ablations(found)


def _sets(found: dict[str, Any]) -> Grid:
    rows = [
        (name, f"{one['queries']:,}", *_measures(one), *_speed(one))
        for name, one in found["sets"].items()
    ]
    mean = found["mean"]
    rows.append(("mean of sets", "", *_measures(mean), *_speed(mean)))
    return grid(("set", "queries", *_SHOWN, "p50", "p95", "writes/s", "vectors/s"), rows)


def _measures(one: dict[str, Any]) -> list[str]:
    return [f"{one[name]:.3f}" if name in one else "" for name in _SHOWN]


def _speed(one: dict[str, Any]) -> list[str]:
    waits = [f"{one[name]:.1f} ms" for name in ("ms_p50", "ms_p95")]
    return [*waits, *(f"{one[f'{what}_per_second']:,.0f}" for what in ("writes", "vectors"))]


def _categories(sets: dict[str, Any]) -> Grid:
    rows = [
        (name, category, f"{one['queries']:,}", *_measures(one))
        for name, found in sets.items()
        for category, one in found["categories"].items()
        if one["queries"]
    ]
    return grid(("set", "category", "queries", *_SHOWN), rows)


def _abstention(found: dict[str, Any]) -> Grid:
    rows = [
        (_ORIGINS[name], f"{100 * one['silent']:.1f} %", f"{100 * one['lost']:.1f} points")
        for name, one in found["mean"].items()
    ]
    return grid(("a question", "returns nothing", "recall@10 that the floor costs"), rows)


def _curve(curve: list[dict[str, float]]) -> "Iterator[Line]":
    from lamina.bench.plot import Plot

    if curve:
        points = [(100 * one["lost"], 100 * one["silent"]) for one in curve]
        plot = Plot("Silence against recall, one mark a floor", {"floor from 0 to 1": points},
                    "points of recall@10 lost", "% of unanswerable questions")  # fmt: skip
        yield from map(line, plot.to_lines())


def _ablations(found: dict[str, Any]) -> Grid:
    sets = list(found["sets"])
    rows = [
        (
            f"without {name}",
            f"{one['mean']['recall@10']:.3f}",
            *(_change(figures) for figures in (one["mean"], *(one["sets"][s] for s in sets))),
        )
        for name, one in found["ablations"].items()
    ]
    return grid(("recall@10", "mean", "change", *sets), rows)


def _change(figures: dict[str, float]) -> str:
    return f"{100 * figures['recall@10_change']:+.1f}" if "recall@10_change" in figures else ""
