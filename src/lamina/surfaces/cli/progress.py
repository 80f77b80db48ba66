"""Progress bars: on standard error, and only while a person watches."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lamina.surfaces.cli.session import Session


@contextmanager
def progress(session: Session, what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes how much is done by now."""
    if session.out.as_json or session.out.quiet or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
