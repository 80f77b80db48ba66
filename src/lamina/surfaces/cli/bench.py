"""`lamina bench`."""

from pathlib import Path
from typing import Any, Final

import click

from lamina.surfaces.cli import bench_context, bench_http, bench_scale, bench_ui
from lamina.surfaces.cli.benching import phase, scratch
from lamina.surfaces.cli.marks import Grid, grid, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

_RECORDS: Final = 20_000
_SECONDS: Final = 1.0
_EPISODES: Final = 100_000
_EACH: Final = 500
_FACTS: Final = 1_000


@click.group()
def bench() -> None:
    """Measure how well recall finds things, and how fast."""


@bench.command(cls=Command)
@click.option(
    "--records", type=int, default=_RECORDS, show_default=True, metavar="N",
    help="How large the large store is.",
)  # fmt: skip
@click.option(
    "--seconds", type=float, default=_SECONDS, show_default=True, metavar="S",
    help="How long each measurement takes.",
)  # fmt: skip
@click.option("--keep", is_flag=True, help="Keep the large store, and use one that was kept.")
@pass_session
def write(session: Session, /, records: int, seconds: float, keep: bool) -> None:
    """Measure synced writes: next to the disk, by many writers, on a large store.

    Works in a scratch folder below --dir, or below the system's temporary directory. Threads share
    the price of a sync, so they gain where a sync is slow and little where it is fast. A store of
    1,000,000 records takes some minutes and 2 GB; with --keep only once.
    """
    from lamina.bench.write import Plan, measure

    plan = Plan(scratch(session), records, seconds, keep)
    found = measure(plan, phase(session)).to_json()
    if session.out.as_json:
        session.out.document(found)
        return
    session.out.show(line(_headline(found)), _disk(found), _crowds(found))
    session.out.show(_growth(found["growth"]), _size(found))
    if keep:
        session.out.note(f"The large store was kept in {plan.kept}")


@bench.command(cls=Command)
@click.option(
    "--data", required=True, metavar="DIR", type=click.Path(path_type=Path),
    help="The folder with the sets, as NAME.jsonl.gz.",
)  # fmt: skip
@click.option("--sets", multiple=True, metavar="NAME", help="Only this set; may be repeated.")
@click.option(
    "--embedder", metavar="SPEC", help="The embedder, as `minilm` or `off`; else the default."
)
@click.option("--ablations/--no-ablations", default=True, help="Also without each signal.")
@click.option("--limit-queries", type=int, metavar="N", help="So many queries of each set.")
@click.option(
    "--store", default="sqlite", show_default=True, metavar="NAME,...",
    help="In which: `sqlite`, `postgres`, or both side by side.",
)  # fmt: skip
@click.option(
    "--address", metavar="URL",
    help="The Postgres, in schemas that are dropped afterwards; else one is started.",
)  # fmt: skip
@click.option(
    "--run-dir", metavar="DIR", type=click.Path(path_type=Path),
    help="Also write what was found, for another program to score.",
)  # fmt: skip
@pass_session
def retrieval(session: Session, /, data: Path, embedder: str | None, **options: Any) -> None:
    """Measure how well recall finds what it was told.

    A set is a file of questions with known answers in known documents. Each of its stores begins
    empty, is told its documents and asked its questions, and some questions of other stores, which
    it should not answer. Works in a scratch folder below --dir, or below the system's temporary
    directory.
    """
    from lamina.bench.retrieval import Plan, measure
    from lamina.bench.stores import kinds
    from lamina.core.embedder_spec import DEFAULT
    from lamina.surfaces.cli.bench_retrieval import report

    plan = Plan(
        data, options["sets"], options["limit_queries"], embedder or DEFAULT,
        ablations=options["ablations"], runs=options["run_dir"], folder=scratch(session),
        stores=kinds(options["store"]), address=options["address"],
    )  # fmt: skip
    found = measure(plan, phase(session)).to_json()
    if session.out.as_json:
        session.out.document(found)
    else:
        session.out.show(*report(found))


@bench.command(cls=Command)
@click.option(
    "--records", type=int, metavar="N", help="The largest size; 10,000 and its tenfolds before it.",
)  # fmt: skip
@click.option("--steps", metavar="N,N,...", help="The sizes to measure at, instead.")
@click.option(
    "--embedder", default="static", show_default=True, metavar="SPEC",
    help="What makes the vectors; a slow one takes hours at a million.",
)  # fmt: skip
@click.option("--each", type=int, default=50, metavar="N", help="Questions of each of six sorts.")
@click.option(
    "--plot", metavar="FILE", type=click.Path(path_type=Path), help="Write the growth as SVG too.",
)  # fmt: skip
@pass_session
def speed(
    session: Session, /, records: int | None, steps: str | None, plot: Path | None, **options: Any
) -> None:
    """Measure recall, writing and opening as a store grows, next to a plain search.

    Generates texts, in four projects and a hundred scopes, and asks questions of many sorts. Works
    in a scratch folder below --dir, or below the system's temporary directory. A million records
    take a quarter of an hour on two free cores, and 6 GB of disk.
    """
    from lamina.bench.speed import Plan, measure, sizes
    from lamina.surfaces.cli.bench_speed import growth, report

    plan = Plan(scratch(session), sizes(records, steps), options["embedder"], options["each"])
    found = measure(plan, phase(session)).to_json()
    if plot is not None:
        plot.write_text(growth(found).to_svg(), encoding="utf-8")
    if session.out.as_json:
        session.out.document(found)
    else:
        session.out.show(*report(found))


@bench.command(cls=Command)
@click.option(
    "--episodes", type=int, default=_EPISODES, show_default=True, metavar="N",
    help="How many episodes are asked about.",
)  # fmt: skip
@click.option(
    "--each", type=int, default=_EACH, show_default=True, metavar="N",
    help="How often each thing is measured, for two seconds at most.",
)  # fmt: skip
@click.option(
    "--facts", type=int, default=_FACTS, show_default=True, metavar="N",
    help="How many facts the agent at work knows.",
)  # fmt: skip
@pass_session
def layers(session: Session, /, episodes: int, each: int, facts: int) -> None:
    """Measure each layer by its own words, next to a plain file or dictionary.

    What is compared takes turns. Works in a scratch folder below --dir, or below the system's
    temporary directory.
    """
    from lamina.bench.layers import Plan, measure
    from lamina.surfaces.cli.bench_layers import report

    found = measure(Plan(scratch(session), episodes, each, facts), phase(session)).to_json()
    if session.out.as_json:
        session.out.document(found)
    else:
        session.out.show(*report(found))


@bench.command(cls=Command)
@click.option(
    "--tokens", type=int, default=150_000, show_default=True, metavar="N",
    help="How long the session is.",
)  # fmt: skip
@click.option(
    "--entries", type=int, default=500, show_default=True, metavar="N", help="How long the log is."
)
@pass_session
def compaction(session: Session, /, tokens: int, entries: int) -> None:
    """Measure compaction of a long session and of a long log, and what is found again.

    Each archived text is asked for by its own words. Works in a scratch folder below --dir, or
    below the system's temporary directory.
    """
    from lamina.bench.compaction import Plan, measure

    found = measure(Plan(scratch(session), tokens, entries), phase(session))
    if session.out.as_json:
        session.out.document(found)
    else:
        rows = [(name, *map(str, row.values())) for name, row in found["rows"].items()]
        session.out.show(grid(("what", *next(iter(found["rows"].values()))), rows, headed=True))


bench.add_command(bench_context.context)
bench.add_command(bench_http.http)
bench.add_command(bench_scale.scale)
bench.add_command(bench_ui.ui)


def _headline(found: dict[str, Any]) -> str:
    machine = found["machine"]
    return (
        f"records of {found['record_bytes']} bytes on {found['filesystem']};"
        f" {machine['system']}, {machine['cpus']} CPUs, Python {machine['python']},"
        f" SQLite {machine['sqlite']}"
    )


def _disk(found: dict[str, Any]) -> Grid:
    raw, single, batch = found["raw"], found["single"], found["batch"]
    against = f"{single['ratio_to_raw']} times"
    rows = [
        ("raw append and sync", _per_second(1000 / raw["p50_ms"]), *_wait(raw), ""),
        ("one memory, synced", _per_second(single["per_second"]), *_wait(single), against),
        (f"a batch of {batch['size']:,}", _per_second(batch["records_per_second"]), *_NO_WAIT, ""),
    ]
    return grid(("what", "per second", *_WAIT, "against raw"), rows)


def _crowds(found: dict[str, Any]) -> Grid:
    rows = [
        (
            _plural(crowd["writers"], sort), _per_second(crowd["per_second"]), *_wait(crowd),
            f"{crowd['ratio_to_one']} times", f"{100 * crowd['least_share']:.0f}%",
        )
        for sort, plural in (("thread", "threads"), ("process", "processes"))
        for crowd in found[plural].values()
    ]  # fmt: skip
    return grid(("writers", "per second", *_WAIT, "against one", "least share"), rows)


def _growth(found: dict[str, Any]) -> Grid:
    small, large = (f"{found[end]:,} records" for end in ("from", "to"))
    rows = [
        (
            _writers(name), _per_second(both["small"]["per_second"]),
            _per_second(both["large"]["per_second"]),
            f"{both['ratio']} times", f"{both['ratio_p50']} times",
        )
        for name, both in found.items()
        if isinstance(both, dict)
    ]  # fmt: skip
    return grid(("growth", small, large, "dearer", "p50 dearer"), rows)


def _size(found: dict[str, Any]) -> Grid:
    opening, resident = found["opening"], found["resident"]
    many = resident["writes"] * len(resident["after_kb"])
    rows = [
        ("open and get", f"{opening['open_p50_ms']} ms", f"aim {opening['aim_ms']} ms"),
        ("first recall", f"{opening['first_recall_p50_ms']} ms", ""),
        ("a process that does both", f"{opening['process_p50_ms']} ms", ""),
        *(
            (f"{verb}, {reads['stored']:,} records", f"{reads[f'{verb}_p50_ms']} ms", "")
            for verb in ("get", "recall")
            for reads in found["reads"].values()
        ),
        *_feed(found["feed"]),
        ("resident after opening", _megabytes(resident["opened_kb"]), ""),
        (
            f"resident after {many:,} writes", _megabytes(resident["after_kb"][-1]),
            f"{_megabytes(resident['growth_kb'])} more than after {resident['writes']:,}",
        ),
        ("log of the large store", _megabytes(found["log_kb"]["large"]), ""),
    ]  # fmt: skip
    return grid((f"large store, {found['records']:,} records", "figure", ""), rows)


def _feed(feed: dict[str, Any]) -> list[tuple[str, str, str]]:
    wake, aim = feed["wake"], feed["idle_cpu_aim_percent"]
    return [
        ("feed wakes another process", f"p50 {wake['p50_ms']} ms", f"p99 {wake['p99_ms']} ms"),
        ("idle subscriber", f"{feed['idle_cpu_percent']}% of a core", f"aim {aim}%"),
    ]


_WAIT: Final = ("p50", "p99", "worst")
_NO_WAIT: Final = ("", "", "")


def _wait(found: dict[str, Any]) -> list[str]:
    return [f"{found[f'{name}_ms']} ms" for name in _WAIT]


def _per_second(rate: float) -> str:
    return f"{rate:,.0f}"


def _plural(number: int, sort: str) -> str:
    ending = "" if number == 1 else "es" if sort.endswith("s") else "s"
    return f"{number} {sort}{ending}"


def _writers(name: str) -> str:
    sort, _, number = name.partition("_")
    return f"{number} {sort}" if number else "one by one"


def _megabytes(kilobytes: int) -> str:
    return f"{kilobytes / 1024:,.1f} MB"
