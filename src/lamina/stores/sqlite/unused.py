"""Taking a store away again that was made and never used."""

import os
from contextlib import closing, suppress
from pathlib import Path
from shutil import rmtree

from lamina.errors import StoreError
from lamina.stores.sqlite import DATABASE
from lamina.stores.sqlite.driver import connect
from lamina.stores.sqlite.locks import LOCKS, alone


def remove_unused(folder: Path, *, whole: bool) -> None:
    """Remove the store in a directory, if nothing was ever written to it and nobody is in it.

    With `whole`, the directory goes too.
    Whoever comes to it at this moment waits at its lock, and then finds what there is. Wherever
    anything is in doubt, it stays.
    """
    with suppress(OSError, StoreError), alone(folder):
        mine = {f"{DATABASE}{ending}" for ending in ("", "-wal", "-shm")}
        if {found.name for found in folder.iterdir()} - {*mine, LOCKS}:
            return
        with closing(connect(folder / DATABASE, create=False)) as connection:
            if connection.execute("select exists (select 1 from event)").get:
                return
        for name in mine:
            (folder / name).unlink(missing_ok=True)
        rmtree(folder / LOCKS)
        if whole:
            os.rmdir(folder)
