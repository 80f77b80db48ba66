"""What every measurement shares: where it works, and how it tells how far it is."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.bench.measure import Phase


def scratch(session: Session) -> Path:
    """Where to work: stores that are thrown away belong into no store."""
    folder = Path(session.directory or tempfile.gettempdir())
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def phase(session: Session) -> "Phase":
    """Shows a bar for each part of a measurement."""
    return lambda what, total: progress(session, what, total)
