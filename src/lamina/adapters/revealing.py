"""Secrets back in their places, for frameworks that get what they have put."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lamina.core.sealed import REFERENCE, SCHEME, in_texts, references
from lamina.errors import ForbiddenError, NotFoundError, SecretError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.record import Record
    from lamina.memory import Memory


def revealed(
    memory: Memory, value: Any, records: Sequence[Record], known: dict[str, str] | None = None
) -> Any:
    """A value that records hold together, as it was put.

    What the handle may not read, or no vault can open, stays a reference. Each secret that is read
    stands in the log, so who reads the same ones often passes what is `known` along.
    """
    secrets = {} if known is None else known
    for reference in references(json.dumps(value)):
        if reference not in secrets:
            secrets[reference] = _opened(memory, reference, records)
    if not secrets:
        return value
    return in_texts(
        value, lambda text: REFERENCE.sub(lambda one: secrets.get(one[0], one[0]), text)
    )


def _opened(memory: Memory, reference: str, records: Sequence[Record]) -> str:
    for record in records:
        held = str(record.data)
        if SCHEME not in held or reference not in held:
            continue
        try:
            return memory.reveal(record.id, reference)
        except (ForbiddenError, NotFoundError, SecretError):
            # Not for this handle, not to be opened, or none of this record: somebody quoted it.
            continue
    return reference
