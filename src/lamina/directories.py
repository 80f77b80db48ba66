"""What may be the directory of a store, and what was meant to be an address.

A mistyped address would be a fine name for a folder, with a password in it.
"""

import re
from pathlib import Path
from typing import Final

from lamina.errors import InvalidInputError, UnsupportedError

_BEGUN: Final = re.compile(
    r"\s*(?:(?P<scheme>[a-z][a-z0-9+.-]*):/|(?P<known>postgres(?:ql)?|rediss?|valkeys?|https?)(?::|//))",
    re.IGNORECASE,
)
_LIKE_ONE: Final = re.compile(r"://|\b(?:password|dbname)\s*=", re.IGNORECASE)
"""What no name of a folder holds, and addresses in the forms of other programs do."""
_DATABASE: Final = "postgresql://USER@HOST/DATABASE?schema=NAME"


def check_directory(where: str | Path, argument: str = "where") -> Path:
    """Return `where` as a directory, or refuse what cannot be one."""
    named = str(where)
    if begun := _BEGUN.match(named):
        raise _refusal((begun["scheme"] or begun["known"]).lower(), argument)
    if _LIKE_ONE.search(named):
        raise _refusal("postgresql", argument)
    if not named or "\0" in named:
        raise InvalidInputError(f"`{argument}` is not a directory: {named!r:.40}")
    return Path(where)


def _refusal(scheme: str, argument: str) -> Exception:
    # Nothing of what comes behind it is shown: a password may stand there.
    if scheme.startswith(("redis", "valkey")):
        return UnsupportedError(
            "Redis keeps no whole memory: only what agents are at right now",
            remedy='Name it beside one that does: lamina.open(DIRECTORY, hot="redis://…")',
        )
    if scheme.startswith(("postgres", "http")):
        form = _DATABASE if scheme.startswith("postgres") else f"{scheme}://HOST:PORT"
        return InvalidInputError(
            f"`{argument}` looks like an address ({scheme}:) and is none", remedy=f"Write {form}"
        )
    return UnsupportedError(
        f"there is no store for {scheme[:20]}:// yet",
        remedy="Use a directory, postgresql://…, or `:memory:`",
    )
