"""Who words a summary: the rules of Lamina, or a model where the store asks for one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from lamina.compaction import by_model, extract
from lamina.core.settings import BY_MODEL, SUMMARY
from lamina.errors import InvalidInputError
from lamina.models import configured

if TYPE_CHECKING:
    from lamina.compaction.checking import Summarise
    from lamina.core.chat import Model
    from lamina.layers.face import Door


_log: Final = logging.getLogger(__name__)


def summariser(door: Door, model: Model | None = None) -> Summarise | None:
    """What sums up for this store; `None` leaves it to the rules.

    The `model` is asked, or the one that is configured; the rules stand in where it fails.
    """
    if door.settings()[SUMMARY] != BY_MODEL:
        return None
    try:
        asked = model or configured(door)
    except InvalidInputError as error:
        # What is due does not wait until somebody names the model rightly.
        _log.warning("no model is asked for summaries: %s", error)
        return None
    return None if asked is None else by_model(asked, otherwise=extract)
