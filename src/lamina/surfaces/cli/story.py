"""The story of module X, told on a terminal."""

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lamina.surfaces.cli.marks import Line, Span, line
from lamina.surfaces.cli.output import Printer

if TYPE_CHECKING:
    from lamina.story.playing import Step

_STYLES: Final = {"A": "bold magenta", "B": "bold cyan"}
_PAUSE_SECONDS: Final = 0.35
"""Only on a terminal: a step should be seen before the next one."""


def tell(out: Printer) -> bool:
    """Play the story in a temporary folder; whether everything went as it is told."""
    from lamina.story.playing import play

    with tempfile.TemporaryDirectory(prefix="lamina-story-", ignore_cleanup_errors=True) as folder:
        out.show(
            line(Span("Two agents and module X", "bold magenta")),
            line(Span("A and B are two processes. All they share is a folder:", "dim")),
            line(Span(folder, "dim")),
            line(),
        )
        steps = []
        for step in play(Path(folder) / "store"):
            out.show(_line(step))
            sys.stdout.flush()
            steps.append(step)
            if out.on_terminal:
                time.sleep(_PAUSE_SECONDS)
    good = sum(step.holds for step in steps)
    all_good = good == len(steps)
    style = "green" if all_good else "bold red"
    out.show(line(), line(Span(f"{good} of {len(steps)} steps went as the story goes.", style)))
    return all_good


def _line(step: "Step") -> Line:
    style = _STYLES.get(step.who, "bold")
    told = [Span(f"{step.who}  ", style), Span(f"{step.layer:<11}", "dim"), Span(step.text)]
    return line(*told, *([] if step.holds else [Span("  NOT AS TOLD", "bold red")]))
