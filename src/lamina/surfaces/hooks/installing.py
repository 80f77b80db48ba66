"""Where the settings of harnesses are, and changing them: whole, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina import config
from lamina.surfaces.hooks.settings_file import wanted, with_hooks
from lamina.surfaces.other_settings import Change, program, read_settings

if TYPE_CHECKING:
    from pathlib import Path

_FILES: Final = {"claude": "settings.json", "codex": "hooks.json"}


def settings_path(harness: str, folder: Path | None) -> Path:
    """The settings of a harness: for a folder, or for all that its user does."""
    home = config.harness_folder(harness) if folder is None else folder / f".{harness}"
    return home / _FILES[harness]


def installed(
    path: Path, harness: str, options: list[str], *, tools: bool, shared: bool = False
) -> Change:
    """The settings with our hooks in them; `options` go into every call, a team shares some."""
    before = read_settings(path)
    hooks = wanted(harness, program(shared=shared), tools=tools)
    for one in hooks.values():
        one["command"] = " ".join([one["command"], *options])
    return Change(path, before, with_hooks(before, path, hooks))


def removed(path: Path) -> Change:
    """The settings without them."""
    before = read_settings(path)
    return Change(path, before, with_hooks(before, path, {}) if before else before)
