"""Names of a package that are loaded when they are first used.

A command that reads one record should not wait for what it does not need.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loading(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package, from the modules that its names live in."""

    def load(name: str) -> Any:
        for module, names in homes.items():
            if name in names:
                return getattr(import_module(module), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load
