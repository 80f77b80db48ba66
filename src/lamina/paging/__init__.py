"""Paging: what is put before a model, within a budget of tokens."""

from typing import TYPE_CHECKING

from lamina.core.lazy import loading

if TYPE_CHECKING:
    from lamina.paging.context import Context, Entry, LeftOut
    from lamina.paging.shown import forget_shown

__all__ = ["Context", "Entry", "LeftOut", "forget_shown"]

__getattr__ = loading(
    __name__,
    {
        "lamina.paging.context": ("Context", "Entry", "LeftOut"),
        "lamina.paging.shown": ("forget_shown",),
    },
)
