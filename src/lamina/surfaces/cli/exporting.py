"""`lamina export`: everything as JSON lines, or what stands now as pages or for other tools."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.exchange import naming, write_whole
from lamina.surfaces.cli.marks import line, safe_json, visible
from lamina.surfaces.cli.options import Command, kind_option, layer_option
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.exporting import Chosen

_FORMATS: Final = ("jsonl", "markdown", "server-memory", "mem0")
_PAGE: Final = (".md", ".markdown")


@click.command(cls=Command)
@click.argument("target", metavar="[PATH]", default="-", shell_complete=completing.files)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="jsonl", show_default=True,
              help="JSON lines hold everything; the others what stands now.")  # fmt: skip
@layer_option("layers", multiple=True, help="Only this layer; may be repeated.")
@kind_option("kinds", multiple=True, help="Only this kind; may be repeated.")
@click.option("--history", is_flag=True, help="Every kept version, not the newest alone.")
@pass_session
def export(session: Session, /, target: str, **how: Any) -> None:
    """Write memories as JSON lines, Markdown or for other tools.

    To standard output unless PATH is named, which appears or is replaced only once everything is
    written. Markdown goes into one page where PATH ends in .md, else into a new folder with a page
    for each layer of each scope. Secrets are exported as references; their values stay in the
    store. --project NAME exports what that project can see.
    """
    from lamina.errors import InvalidInputError
    from lamina.exchange import exported
    from lamina.exporting import Chosen

    form, history = how["form"], how["history"]
    if history and form != "jsonl":
        raise InvalidInputError("`--history` is for JSON lines", remedy="Leave it out")
    chosen = Chosen(tuple(how["layers"]), tuple(how["kinds"]))
    secrets: set[str] = set()
    if form == "markdown" and target != "-" and not target.lower().endswith(_PAGE):
        written = _write_folder(session, Path(target), chosen, secrets)
    else:
        lines = exported(session.handle, form, chosen, history=history)
        lines = _noting_secrets(lines, secrets)
        if target == "-":
            for text in lines:
                session.out.raw(_shown(text, form))
            _tell_secrets(session, len(secrets))
            return
        total = _total(session, chosen) if form == "jsonl" and not history else None
        with naming(target, "written"), progress(session, "Exporting", total) as advance:
            written = write_whole(Path(target), lines, advance)
    _tell(session, target, written, len(secrets))


def _write_folder(session: Session, folder: Path, chosen: "Chosen", secrets: set[str]) -> int:
    """Write pages into a folder that appears only when all of them are in it."""
    from lamina.durable import replace_file, sync_folder
    from lamina.errors import InvalidInputError
    from lamina.exporting import markdown_pages

    if os.path.lexists(folder):
        raise InvalidInputError(
            f"{folder!s:.200} is there already", remedy="Name a new folder, or a file ending in .md"
        )
    fresh = folder.with_name(f".{folder.name}.{os.urandom(6).hex()}")
    written = 0
    with naming(str(folder), "written"), progress(session, "Exporting", None) as advance:
        try:
            fresh.mkdir(mode=0o700)
            for name, page in markdown_pages(session.handle, chosen):
                (fresh / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                replace_file(fresh / name, _noting_secrets(page, secrets))
                written += 1
                advance(written)
            fresh.rename(folder)
        except BaseException:
            import shutil

            shutil.rmtree(fresh, ignore_errors=True)
            raise
    sync_folder(folder.parent)
    return written


def _total(session: Session, chosen: "Chosen") -> int:
    from lamina.exchange import count_exported

    return count_exported(session.handle, chosen)


def _shown(text: str, form: str) -> str:
    if not sys.stdout.isatty():
        return text
    return visible(text) if form == "markdown" else safe_json(text)


def _tell(session: Session, target: str, written: int, secrets: int) -> None:
    if session.out.as_json:
        session.out.document({"file": target, "written": written, "secrets": secrets})
    elif not session.out.quiet:
        what = "page" if Path(target).is_dir() else "line"
        session.out.show(
            line(f"{written} {what}{'' if written == 1 else 's'} written to {target}.")
        )
    _tell_secrets(session, secrets)


def _noting_secrets(lines: Iterable[str], found: set[str]) -> Iterator[str]:
    from lamina.core.sealed import references

    for text in lines:
        found.update(references(text))
        yield text


def _tell_secrets(session: Session, number: int) -> None:
    if number == 1:
        session.out.note("1 secret is exported as a reference, not its value")
    elif number:
        session.out.note(f"{number} secrets are exported as references, not values")
