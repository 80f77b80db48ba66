"""Lessons of tasks that have ended, proposed by a model where somebody has switched that on."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from lamina import proposing
from lamina.core.complaints import named
from lamina.core.settings import PROPOSE_LESSONS
from lamina.errors import InvalidInputError
from lamina.models import configured

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.core.chat import Model
    from lamina.layers.face import Door

_log = logging.getLogger(__name__)


def learn(door: Door, tasks: Iterable[str], model: Model | None = None) -> None:
    """Have a model propose lessons of tasks: the one given, else the one that the settings name.

    The tasks have ended, and nothing that goes wrong here may change how.
    """
    if door.settings()[PROPOSE_LESSONS] == "off":
        return
    try:
        asked = model or configured(door)
        for task in dict.fromkeys(tasks):
            # Somebody may have opened it again meanwhile.
            with suppress(InvalidInputError):
                proposing.after_task(door, task, asked)
    except Exception as error:  # the tasks have ended, and what came of them must not be lost
        _log.warning("no lessons were proposed: %s", named(error))
