"""The owner's key for the tools of this machine: a file in the directory of the store.

Who can read the store's files needs no key to read its memories, so this gives nothing away. It
lets local tools speak to a server without anybody copying a key by hand.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

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

    Returns where it lies; nothing for a store without a directory of its own.
    """
    path = key_file(whole)
    if path is None:
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
    database = Path(whole.store.location)
    return database.parent / FILE if database.name == DATABASE else None


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
