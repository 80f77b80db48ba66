"""Paging: what is put before a model, within a budget of tokens."""

from lamina.paging.context import Context, Entry, LeftOut

__all__ = ["Context", "Entry", "LeftOut"]
