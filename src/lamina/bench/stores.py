"""Where the stores of a measurement are made: each is new, and gone when it is done with."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from lamina.errors import InvalidInputError
from lamina.opening import check_driver

Fresh: TypeAlias = Callable[[], AbstractContextManager[str]]
"""Makes what `lamina.open` is given for a store that does not exist yet."""
SQLITE: Final = "sqlite"
POSTGRES: Final = "postgres"
KINDS: Final = (SQLITE, POSTGRES)


def kinds(text: str) -> tuple[str, ...]:
    """The kinds of stores that are named, with commas between them.

    Raises:
        InvalidInputError: There is no such kind, or one is named twice.
    """
    named = tuple(one.strip() for one in text.split(","))
    if len(set(named)) < len(named) or not set(named) <= set(KINDS):
        raise InvalidInputError(
            f"`store` is {' or '.join(KINDS)} or both, not {text!r:.60}",
            remedy=f"Both side by side: --store {','.join(KINDS)}",
        )
    return named


@contextmanager
def places(kind: str, folder: Path, address: str | None) -> Iterator[Fresh]:
    """What makes stores of a kind: below a folder, or in a Postgres, started if need be."""
    if kind == SQLITE:
        yield partial(_directory, folder)
        return
    check_driver()
    from lamina.bench import own_server

    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder)))
        # A server that runs as somebody else has to get there.
        scratch.chmod(0o755)
        server = stack.enter_context(own_server.place(address, scratch))
        yield partial(own_server.schema, server)


@contextmanager
def _directory(folder: Path) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="lamina-bench-", dir=folder) as scratch:
        yield scratch
