"""Models that answer in words: what one must be, and those that are asked over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.core.chat import Message, Model, Reply, ToolCall

if TYPE_CHECKING:
    from lamina.layers.face import Door
    from lamina.models.governor import Governed

__all__ = ["Message", "Model", "Reply", "ToolCall", "configured"]


def configured(memory: Door) -> Governed | None:
    """The model that the settings name, within its budget; `None` while they name none.

    Each one that is returned is a job of its own; those of one project share the day.

    Raises:
        InvalidInputError: The settings name only half of it, or an address that is not theirs to
            name.
    """
    # Imported here, for most processes ask no model.
    from lamina.models.configuring import configured_model

    return configured_model(memory)
