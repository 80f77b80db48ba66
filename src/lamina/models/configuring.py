"""The model that the settings of a store name.

A store is a directory, and whoever comes across one must not have its texts sent to where that
says: an address beyond this machine, and whatever gets a key, is named by the environment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina import config
from lamina.connecting import is_here
from lamina.core.settings import (
    DAY_TOKENS,
    JOB_TOKENS,
    MODEL_KEY,
    MODEL_NAME,
    MODEL_SECONDS,
    MODEL_URL,
    OFF,
    variable,
)
from lamina.errors import InvalidInputError
from lamina.models.governor import DayBook, Governed
from lamina.models.http import ChatModel

if TYPE_CHECKING:
    from lamina.layers.face import Door


def configured_model(memory: Door) -> Governed | None:
    """The model that holds here, within its budget."""
    chosen = memory.settings()
    url, name = chosen[MODEL_URL], chosen[MODEL_NAME]
    if url == OFF:
        return None
    if name == OFF:
        raise InvalidInputError(
            f"`{MODEL_NAME}` says no model for the server that `{MODEL_URL}` names",
            remedy=f"lamina config set {MODEL_NAME} MODEL, as the server calls it",
        )
    named, key = config.load_model(chosen[MODEL_KEY])
    is_named = named == url
    if not is_named and not is_here(url):
        raise InvalidInputError(
            f"`{MODEL_URL}` is not on this machine, and only the environment may name such a place",
            remedy=f"Set {variable(MODEL_URL)} to it if you trust it with what is remembered",
        )
    model = ChatModel(url, name, key=key if is_named else "", seconds=float(chosen[MODEL_SECONDS]))
    return Governed(
        model, DayBook(memory), day=_bound(chosen[DAY_TOKENS]), job=_bound(chosen[JOB_TOKENS])
    )


def _bound(chosen: str) -> int | None:
    return None if chosen == OFF else int(chosen)
