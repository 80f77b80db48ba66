"""`lamina import`, and files that are written whole."""

import errno
import io
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import grid
from lamina.surfaces.cli.options import Command, scope_options
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.exchange import ImportReport

_ABOUT_THE_PATH: Final = frozenset(
    (errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS,
     errno.ENAMETOOLONG, errno.ELOOP)
)  # fmt: skip
OWN: Final = "lamina"
_NOTES: Final = ("markdown", "basic-memory")
FORMATS: Final = (
    OWN, *_NOTES, "server-memory", "mem0", "chatgpt", "claude", "jsonl", "csv",
)  # fmt: skip
"""As `lamina.importing.FORMATS` has them, which is too much to load for help."""
_COUNTED: Final = (
    "read", "added", "revised", "unchanged", "proposed", "erased", "unknown_secrets",
)  # fmt: skip
_ROWS: Final = {
    "erased": "skipped, erased here",
    "unknown_secrets": "secrets not in this store",
}


@click.command("import", cls=Command)
@click.argument("source", metavar="PATH|-", shell_complete=completing.files)
@scope_options
@click.option("--format", "form", type=click.Choice(("auto", *FORMATS)), default="auto",
              metavar="FORMAT", help="What it is, where the content does not tell: "
              + ", ".join(FORMATS) + ".")  # fmt: skip
@click.option("--map", "mapping", multiple=True, metavar="FIELD=COLUMN",
              help="Of rows: which column is text, id, key, kind, tags, created, …")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only show what would become of each entry.")
@click.option("--all", "again", is_flag=True, help="Also what was forgotten here by hand.")
@click.pass_context
def import_path(context: click.Context, /, source: str, **how: Any) -> None:
    """Take in notes, other tools' memories and chats, or an export.

    What PATH is, its content tells: a Markdown file such as CLAUDE.md, a folder of them or a vault
    (each entry becomes knowledge); memory.jsonl of the reference MCP server, an export of Mem0,
    rows of JSON or CSV (each becomes knowledge); conversations.json or the archive that ChatGPT or
    Claude sends (each conversation becomes a session); JSON lines that export wrote, - for standard
    input; or a folder that `lamina sync` wrote.

    Run it again to go on where it was cut off, or to follow what changed there: nothing comes in
    twice, what was changed here is never overwritten, what was erased here stays erased, and the
    source is never written. What cannot be taken is reported and the rest goes on; the status is 2.
    """
    from lamina.files.rebuilding import is_projected
    from lamina.importing.sorting import Sort, sort_of

    form, mapping = how.pop("form"), how.pop("mapping")
    if form == "auto" and is_projected(Path(source)):
        _refuse_options(how)
        _import_projected(context, Path(source))
    elif form in _NOTES or (form == "auto" and sort_of(source) is Sort.NOTES):
        from lamina.surfaces.cli.notes import import_notes

        import_notes(context, source, how)
    else:
        _import_stream(context, source, {**how, "format": form, "mapping": mapping})


def _import_stream(context: click.Context, source: str, how: dict[str, Any]) -> None:
    from lamina.importing.bringing import told_format
    from lamina.importing.formats.opened import opened
    from lamina.surfaces.cli import bringing

    mapping = bringing.read_mapping(how["mapping"])
    with naming(source, "read"), opened(source) as streams:
        form = how["format"]
        form = told_format(streams, mapping) if form == "auto" else form
        if form != OWN:
            bringing.import_items(context, streams, {**how, "format": form, "mapping": mapping})
            return
        _refuse_options({**how, "dry_run": False})
        _import_lines(context, streams[0].stream(), dry_run=how["dry_run"])


def _refuse_options(how: dict[str, Any]) -> None:
    from lamina.errors import InvalidInputError

    flags = {"scope": "--scope", "dry_run": "--dry-run", "again": "--all"}
    given = [flag for name, flag in flags.items() if how[name]]
    if given:
        raise InvalidInputError(
            f"`{given[0]}` is for what others wrote; this says itself where it belongs",
            remedy="Leave it out",
        )


def _import_projected(context: click.Context, folder: Path) -> None:
    from lamina.files.rebuilding import rebuild

    session = context.ensure_object(Session)
    session.may_create = True
    _tell_imported(context, rebuild(session.unbound, folder))


def _import_lines(context: click.Context, stream: BinaryIO, *, dry_run: bool) -> None:
    from lamina.exchange import import_lines

    session = context.ensure_object(Session)
    session.may_create = not dry_run
    lines = io.TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape")
    with progress(session, "Importing", None) as advance:
        report = import_lines(session.handle, lines, advance, dry_run=dry_run, at_once=True)
    _tell_imported(context, report)


def _tell_imported(context: click.Context, report: "ImportReport") -> None:
    from lamina.surfaces.wire import USAGE
    from lamina.surfaces.wire_importing import lines_out

    session = context.ensure_object(Session)
    if report.applied:
        make_vectors(session)
    if session.out.as_json:
        session.out.document(lines_out(report))
    else:
        _show(session, report)
    session.tell_if_new()
    if report.failed:
        context.exit(USAGE)


def make_vectors(session: Session) -> None:
    """Make the vectors of what came in, while somebody waits for it anyway."""
    with progress(session, "Making vectors", 100) as advance:
        missing = session.handle.catch_up(lambda share: advance(round(100 * share)))
    if missing:
        session.out.note(f"Note: {missing}; `lamina reindex` makes those that are missing")


def write_whole(path: Path, lines: Iterable[str], advance: Callable[[int], None]) -> int:
    """Write a file that appears under its name only when it is complete and on the disk."""
    from lamina.durable import replace_file

    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    written = 0

    def pieces() -> Iterator[str]:
        nonlocal written
        for text in lines:
            yield text + "\n"
            written += 1
            advance(written)

    replace_file(path, pieces())
    return written


def _show(session: Session, report: "ImportReport") -> None:
    rows = [(_ROWS.get(name, name), str(getattr(report, name))) for name in _COUNTED]
    rows.append(("failed", str(len(report.failed))))
    if not session.out.quiet:
        session.out.show(grid(("lines", "number"), rows))
    for number, message in report.failed[:20]:
        session.out.complain(f"line {number}: {message}", "")


@contextmanager
def naming(file: str, done: str) -> Iterator[None]:
    """Say which file of the caller cannot be used."""
    from lamina.errors import InvalidInputError

    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno not in _ABOUT_THE_PATH:
            raise
        raise InvalidInputError(
            f"{file:.200} cannot be {done}: {error.strerror}",
            remedy="Check the path, its owner and its mode",
        ) from error
