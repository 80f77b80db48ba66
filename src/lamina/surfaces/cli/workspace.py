"""Which folder the paths of artifacts are relative to."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lamina.surfaces.cli.session import Session


def around_store(session: "Session") -> Path | None:
    """The folder that holds `.lamina`; nothing where the store lies elsewhere."""
    from lamina.config import FOLDER

    store = session.config.folder
    return None if store is None or store.name != FOLDER else store.absolute().parent


def named(given: str) -> Path:
    """The folder that an option names."""
    from lamina.errors import InvalidInputError

    if not given or not Path(given).is_dir():
        raise InvalidInputError(
            f"`--workspace` is not a folder: {given!r:.120}",
            remedy="Name one that is there, or leave it out for the one that holds `.lamina`",
        )
    return Path(given).absolute()


def of_server(session: "Session", given: str | None) -> Path | None:
    """Where a server looks for files: not just wherever it happens to be started."""
    return around_store(session) if given is None else named(given)
