"""Paging: what is put before a model, within a budget of tokens."""

from typing import TYPE_CHECKING

from lamina.core.lazy import loading

if TYPE_CHECKING:
    from lamina.paging.context import Context, Entry, LeftOut

__all__ = ["Context", "Entry", "LeftOut"]

__getattr__ = loading(__name__, {"lamina.paging.context": ("Context", "Entry", "LeftOut")})
