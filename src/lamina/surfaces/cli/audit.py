"""`lamina audit`."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import line
from lamina.surfaces.cli.options import Command, global_options
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.core.anchor import Anchor
    from lamina.errors import InvalidInputError
    from lamina.memory import Memory
    from lamina.stores.base import Finding

_LARGEST: Final = 64_000_000
"""More than a million streams; whoever names a disk by mistake should not wait for all of it."""
_REMEDY: Final = "Check the path, its owner and its mode"


@click.group(params=global_options(hidden=True))
def audit() -> None:
    """Verify the log, and anchor it elsewhere.

    Every change is in the log, and each entry seals all before it. An anchor, kept where the store
    is not, shows later that nothing was cut off, put back or rewritten since.
    """


@audit.command(cls=Command)
@click.option(
    "--anchor", "file", metavar="FILE", help="Compare with an anchor made before.",
    shell_complete=completing.files,
)  # fmt: skip
@click.pass_context
def verify(context: click.Context, /, file: str | None) -> None:
    """Check that the log is whole.

    Each entry follows from the one before, every memory stands where the log left it and says what
    was recorded. Exits with 9 when it does not.
    """
    from lamina.surfaces import wire
    from lamina.surfaces.cli.views import finding_grid

    session = context.ensure_object(Session)
    # Before the store is open: to open and close one of its files would drop its locks.
    known = None if file is None else _read(file)
    findings = _verified(session, known)
    damaged = any(finding.severity.is_damage for finding in findings)
    if session.out.as_json:
        found = [wire.finding_out(finding) for finding in findings]
        session.out.document({"ok": not damaged, "findings": found})
    else:
        session.out.show(finding_grid(findings))
    if damaged:
        context.exit(wire.DAMAGED)


@audit.command(cls=Command)
@click.argument("file", metavar="[FILE]", default="-", shell_complete=completing.files)
@pass_session
def anchor(session: Session, /, file: str) -> None:
    """Print how far the log has come, or write it to FILE.

    Keep it where the one who may write the store may not: on another machine, in a mail, in a
    repository. FILE may replace an older anchor, and nothing else.
    """
    target = None if file == "-" else _target(session, file)
    made = _memory(session).anchor()
    if target is not None:
        _write(target, made)
    if target is None or session.out.as_json:
        session.out.document(made.to_json())
    elif not session.out.quiet:
        session.out.show(line(f"The log of {len(made.heads)} streams is anchored in {file}."))


def _memory(session: Session) -> "Memory":
    """The whole store, unless somebody else acts or a project was asked for."""
    is_whole = not session.is_acting and session.project is None
    return session.unbound if is_whole else session.handle


def _verified(session: Session, known: "Anchor | None") -> "list[Finding]":
    from lamina.errors import StoreDamagedError
    from lamina.stores.base import Finding, Severity

    try:
        return _memory(session).verify(known)
    except StoreDamagedError as error:
        return [Finding("store", Severity.RECORD, error.message, error.remedy)]


def _read(file: str) -> "Anchor":
    from lamina.core.anchor import parse_anchor

    try:
        with Path(file).open("rb") as opened:
            found = opened.read(_LARGEST)
    except (OSError, ValueError) as error:
        raise _unusable(file, "read", error) from error
    return parse_anchor(found.decode(errors="replace"), file)


def _target(session: Session, file: str) -> Path:
    """Where the anchor goes: out of the store, and over an anchor at most."""
    from lamina.errors import InvalidInputError

    path, folder = Path(file), session.config.folder
    try:
        inside = folder is not None and path.parent.resolve().is_relative_to(folder.resolve())
        is_taken = path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise _unusable(file, "written", error) from error
    if inside:
        raise InvalidInputError(
            f"{file:.200} lies in the store's own directory, and would be put back with it",
            remedy="Choose a place outside, best on another machine",
        )
    if is_taken:
        _check_replaceable(file)
    return path


def _check_replaceable(file: str) -> None:
    from lamina.errors import InvalidInputError

    try:
        _read(file)
    except InvalidInputError:
        raise InvalidInputError(
            f"{file:.200} is there, and is not an anchor", remedy="Choose another name"
        ) from None


def _write(path: Path, made: "Anchor") -> None:
    from lamina.durable import replace_file

    try:
        replace_file(path, [made.to_text()])
    except OSError as error:
        raise _unusable(str(path), "written", error) from error


def _unusable(file: str, done: str, error: Exception) -> "InvalidInputError":
    from lamina.errors import InvalidInputError

    why = getattr(error, "strerror", None) or str(error)
    return InvalidInputError(f"{file:.200} cannot be {done}: {why}", remedy=_REMEDY)
