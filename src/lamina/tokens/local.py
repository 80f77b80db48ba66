"""The owner's key for the tools of this machine: a file in the directory of the store.

Who can read the store's files needs no key to read its memories, so this gives nothing away. It
lets local tools speak to a server without anybody copying a key by hand. Beside a store in a
database there are no files but the key to its secrets, so it lies there.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lamina import config
from lamina.core.principal import Role
from lamina.durable import replace_file
from lamina.errors import SecretError, UnauthenticatedError
from lamina.stores.sqlite import DATABASE
from lamina.tokens import forms
from lamina.tokens.keys import Keys

if TYPE_CHECKING:
    from lamina.memory import Memory

FILE: Final = "server.key"


def ensure_owner_key(whole: Memory) -> Path | None:
    """Leave a key for the owner in the store's directory, unless one that works lies there.

    Returns where it lies; nothing for a store without a place of its own that can be written to.
    """
    path = key_file(whole)
    if path is None or not _is_writable(path.parent):
        return None
    keys = Keys(whole)
    try:
        keys.identify(read_owner_key(path))
    except UnauthenticatedError:
        made = keys.create(whole.principal.name, Role.ADMIN, label=FILE)
        replace_file(path, [made.text, "\n"])
    return path


def key_file(whole: Memory) -> Path | None:
    """Where the owner's key of a store lies, or would."""
    if config.is_database(whole.store.location):
        return config.keys_folder() / f"{whole.store.identity}.{FILE}"
    database = Path(whole.store.location)
    return database.parent / FILE if database.name == DATABASE else None


def _is_writable(folder: Path) -> bool:
    """Whether a key can be left there; the keys of servers may be lent to them to be read only."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def read_owner_key(path: Path) -> str | None:
    """The key in a file; nothing where there is none.

    Raises:
        SecretError: Somebody else could have read or placed it.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unsafe(path, error.strerror or str(error)) from error
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
            raise _unsafe(path, "others may read it")
        return os.read(handle, forms.LONGEST + 1).decode("ascii", "replace").strip()
    finally:
        os.close(handle)


def _unsafe(path: Path, why: str) -> SecretError:
    return SecretError(
        f"The key file `{path}` cannot be used: {why}",
        remedy="Remove it and revoke its key: `lamina token list`; `lamina serve` leaves a new one",
    )
