"""What `lamina bench retrieval` shows."""

from typing import TYPE_CHECKING, Any, Final

from lamina.surfaces.cli.marks import Grid, Line, grid, line

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOWN: Final = {
    "mrr": "mrr", "recall@1": "r@1", "recall@5": "r@5", "recall@10": "r@10",
    "recall@10_no_floor": "no floor", "all@10": "all@10", "silent": "silent",
}  # fmt: skip
"""The figures of the table by their heading, so that it fits; `--json` has them all."""
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
    for other in found.get("beside", {}).values():
        yield _beside(config["store"], other)
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
    return grid(("set", "queries", *_SHOWN.values(), "p50 ms", "p95 ms"), rows, headed=True)


def _beside(first: str, other: dict[str, Any]) -> Grid:
    """What is otherwise in another store, in points of a hundred."""
    points, unlike = other["points"], other["answered_otherwise"]
    rows = [
        (name, f"{unlike[name]:,}", *_points(points["sets"][name]), *_speed(one))
        for name, one in other["sets"].items()
    ]
    total = f"{sum(unlike.values()):,}"
    rows.append(("mean of sets", total, *_points(points["mean"]), *_speed(other["mean"])))
    heading = f"{other['config']['store']}, points against {first}"
    return grid((heading, "unlike", *_SHOWN.values(), "p50 ms", "p95 ms"), rows, headed=True)


def _points(one: dict[str, float]) -> list[str]:
    return [f"{one[name]:+.2f}" if name in one else "" for name in _SHOWN]


def _measures(one: dict[str, Any]) -> list[str]:
    return [f"{one[name]:.3f}" if name in one else "" for name in _SHOWN]


def _speed(one: dict[str, Any]) -> list[str]:
    return [f"{one[name]:.1f}" for name in ("ms_p50", "ms_p95")]


def _categories(sets: dict[str, Any]) -> Grid:
    rows = [
        (name, category, f"{one['queries']:,}", *_measures(one))
        for name, found in sets.items()
        for category, one in found["categories"].items()
        if one["queries"]
    ]
    return grid(("set", "category", "queries", *_SHOWN.values()), rows, headed=True)


def _abstention(found: dict[str, Any]) -> Grid:
    rows = [
        (_ORIGINS[name], f"{100 * one['silent']:.1f}%", f"{100 * one['lost']:.1f} points")
        for name, one in found["mean"].items()
    ]
    return grid(
        ("a question", "returns nothing", "recall@10 that the floor costs"), rows, headed=True
    )


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
    return grid(("recall@10", "mean", "change", *sets), rows, headed=True)


def _change(figures: dict[str, float]) -> str:
    return f"{100 * figures['recall@10_change']:+.1f}" if "recall@10_change" in figures else ""
