"""`lamina index`."""

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import Grid, grid
from lamina.surfaces.cli.options import Command, scope_options
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.results import IndexReport

_NAMED: Final = 10
"""How many files are named for each reason; `--json` names them all."""


@click.command(cls=Command)
@click.argument("path", shell_complete=completing.files)
@scope_options
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--all", "reread", is_flag=True, help="Read also the files that look unchanged.")
@click.option("--no-vectors", is_flag=True, help="Leave the vectors to later recalls.")
@click.pass_context
def index(context: click.Context, /, path: str, *, no_vectors: bool, **how: Any) -> None:
    """Take in the text files of a folder, and follow them.

    Markdown is cut by heading, code by definition, other text by paragraph; `lamina recall` finds
    the pieces with file and lines. Run it again to follow what was changed, renamed or deleted:
    only that is read. What .gitignore and .laminaignore name is left out, and so are hidden files
    and keys, unless .laminaignore asks for them by a line such as !.github
    """
    from lamina.surfaces import wire

    session = context.ensure_object(Session)
    session.may_create = not how["dry_run"]
    memory = session.memory(how["scope"])
    with progress(session, "Indexing", 100) as advance:
        report = memory.index(
            path,
            vectors=not no_vectors,
            on_progress=lambda share: advance(round(100 * share)),
            **how,
        )
    if session.out.as_json:
        session.out.document(wire.index_out(report))
    elif not session.out.quiet:
        session.out.show(_table(report))
        _tell(session, report)
    session.tell_if_new()


def _table(report: "IndexReport") -> Grid:
    would = "" if report.applied else "would be "
    rows = [
        ("files", f"{report.files:,}"),
        (f"{would}indexed", f"{report.indexed:,}"),
        ("unchanged", f"{report.unchanged:,}"),
        (f"{would}removed", f"{report.removed:,}"),
        ("skipped", f"{len(report.skipped):,}"),
        (f"chunks {would}written", f"{report.chunks_written:,}"),
        ("chunks unchanged", f"{report.chunks_unchanged:,}"),
        (f"chunks {would}removed", f"{report.chunks_removed:,}"),
        ("text", f"{report.bytes:,} bytes"),
        ("secrets sealed", f"{report.sealed:,}"),
        ("scope", report.scope),
    ]
    return grid(("what", report.root), rows)


def _tell(session: Session, report: "IndexReport") -> None:
    """Name what was left out, a few of each reason."""
    from lamina.sources.guarding import HIDDEN, KEY

    for file, reason in few(report.skipped):
        session.out.note(f"skipped {file}: {reason}")
    if any(reason in (HIDDEN, KEY) for _, reason in report.skipped):
        session.out.note("A line as !NAME in .laminaignore takes in what is hidden or a key")
    for file, note in few(report.notes):
        session.out.note(f"{file}: {note}")
    for missing in report.degraded:
        session.out.note(f"Note: {missing}; `lamina reindex` makes those that are missing")


def few(pairs: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """The first files of each reason, and how many more there are."""
    seen: Counter[str] = Counter()
    named = []
    for file, reason in pairs:
        seen[reason] += 1
        if seen[reason] <= _NAMED:
            named.append((file, reason))
    more = [(f"{n - _NAMED:,} more", reason) for reason, n in seen.items() if n > _NAMED]
    return named + more
