"""`lamina demo`: a story of two agents, and a tour of real commands, on temporary stores."""

import shlex
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import click

from lamina.surfaces.cli.marks import Span, line
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.output import Printer
from lamina.surfaces.cli.session import Session, pass_session
from lamina.surfaces.cli.story import tell

_SECRET: Final = "ghp_" + "k3jQz81mVtR7xYbN20aLwPdE5sHcUf946TgO"
_PAUSE_SECONDS: Final = 0.6
"""Only on a terminal: long enough to read a heading."""


@click.command(cls=Command)
@pass_session
def demo(session: Session) -> None:
    """See two agents share a memory, then take a short tour.

    The agents are two processes, and every command shown is run as it is shown, in temporary
    folders that are removed at the end.
    """
    # Prose; JSON is what the commands of the tour print when asked.
    out = Printer(quiet=session.out.quiet)
    if not tell(out):
        raise click.ClickException("the story did not go as it is told")
    out.show(line())
    with tempfile.TemporaryDirectory(prefix="lamina-demo-") as folder:
        tour = _Tour(Path(folder) / "store", out)
        tour.opening()
        for step in (_remember, _correct, _undo, _secret, _projects, _forget, _erase):
            step(tour)
        tour.closing()


class _Tour:
    """Says what comes, shows the command, runs it."""

    def __init__(self, folder: Path, out: Printer) -> None:
        self.folder = folder
        self._out = out
        self._number = 0

    def opening(self) -> None:
        self._out.show(
            line(Span("Lamina in a minute", "bold magenta")),
            line(Span(f"Everything happens in {self.folder} and goes away afterwards.", "dim")),
        )

    def closing(self) -> None:
        self._out.show(
            line(),
            line(Span("That was the tour. ", "bold magenta"), "Start with `lamina init`."),
        )

    def heading(self, title: str, told: str) -> None:
        self._number += 1
        self._out.show(
            line(), line(Span(f"{self._number}. {title}", "bold cyan")), line(Span(told, "dim"))
        )
        sys.stdout.flush()
        if self._out.on_terminal:
            time.sleep(_PAUSE_SECONDS)

    def run(self, *arguments: str, project: str = "web") -> None:
        """Show a command and run it; the tour ends if it fails."""
        from lamina.surfaces.cli.main import main

        shown = shlex.join(("lamina", *(("--project", project) * (project != "web")), *arguments))
        self._out.show(line(Span(f"$ {shown}", "bold green")))
        sys.stdout.flush()
        if main(["--dir", str(self.folder), "--project", project, *arguments]):
            raise click.ClickException(f"the tour stopped at: {shown}")

    def say(self, text: str, style: str = "") -> None:
        self._out.show(line(Span(text, style)))

    def newest_tx(self, name: str) -> str:
        """The transaction to undo, as a person would read it off the history."""
        from lamina.opening import open as open_memory

        with open_memory(self.folder, project="web") as mem:
            return mem.history(mem.get(name).id)[-1].event.tx

    def find_id(self, text: str) -> str:
        """The id of the best hit, as a person would read it off a recall."""
        from lamina.opening import open as open_memory

        with open_memory(self.folder, project="web") as mem:
            return mem.recall(text).hits[0].record.id

    def count_files_with(self, value: str) -> tuple[int, int]:
        """How many files of the store there are, and in how many of them a value stands."""
        from lamina.stores.looking import look

        seen = look(self.folder.rglob("*"), [value.encode()])
        return seen.files, len(seen.hits)


def _remember(tour: _Tour) -> None:
    tour.heading(
        "Remember and recall", "Durable when the command returns; found by any of its words."
    )
    tour.run(
        "remember", "Deploys go out on Tuesdays", "--key", "deploy-day", "--kind", "convention"
    )
    tour.run("remember", "The staging database is rebuilt every night", "--tag", "database")
    tour.run("recall", "when do we deploy?")
    tour.run("recall", "favourite ice cream")


def _correct(tour: _Tour) -> None:
    tour.heading(
        "Correct", "The same key again: recall gives the new value, and only the new value."
    )
    tour.run(
        "remember", "Deploys go out on Thursdays", "--key", "deploy-day", "--kind", "convention"
    )
    tour.run("recall", "deploy day")
    tour.run("history", "deploy-day")


def _undo(tour: _Tour) -> None:
    tour.heading("Undo", "Any transaction can be taken back, unless something was built on it.")
    tour.run("undo", tour.newest_tx("deploy-day"))
    tour.run("get", "deploy-day", "--quiet")


def _secret(tour: _Tour) -> None:
    tour.heading("Secrets", "A credential is sealed before anything is stored; a reference stays.")
    tour.run("remember", f"The build bot's GitHub token is {_SECRET}", "--key", "bot-token")
    tour.run("get", "bot-token", "--quiet")
    files, hits = tour.count_files_with(_SECRET)
    found = "nowhere" if hits == 0 else f"in {hits} files"
    tour.say(f"Looked for the token in {files} files of the store: {found}.", "green")


def _projects(tour: _Tour) -> None:
    tour.heading("Projects", "Another project on the same store: neither sees the other.")
    tour.run("remember", "Payroll closes on the 25th", "--key", "payroll", project="finance")
    tour.run("recall", "payroll", project="finance")
    tour.run("recall", "payroll")


def _forget(tour: _Tour) -> None:
    tour.heading("Forget", "Hidden from every search, and undoable.")
    found = tour.find_id("staging database")
    tour.run("forget", found)
    tour.run("recall", "staging database")
    tour.run("undo", tour.newest_tx(found))
    tour.run("recall", "staging database")


def _erase(tour: _Tour) -> None:
    tour.heading(
        "Erase", "Gone for good, with every version, and the files are searched to prove it."
    )
    tour.run("erase", "bot-token", "--yes")
    tour.run("doctor")
