"""Names for what other people's frameworks call as they like."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from lamina.core.names import check_name, to_name
from lamina.errors import InvalidInputError

_MARKED: Final = re.compile(r"-[0-9a-f]{16}$")
_SLUG: Final = 40
_TAKEN: Final = frozenset({"user"})
"""The person's own name, which no agent may have."""


def name_for(told: str, argument: str) -> str:
    """A text as a name: itself, or where it can be none, one made from it."""
    if not isinstance(told, str) or not told:
        raise InvalidInputError(f"`{argument}` must be a text, not {told!r:.60}")
    try:
        if told not in _TAKEN and not _MARKED.search(told):
            return check_name(told, argument)
    except InvalidInputError:
        pass
    # Nobody may choose a text whose name is that of another's.
    mark = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{to_name(told[:_SLUG], argument.replace('_', '-'))[:_SLUG]}-{mark}"
