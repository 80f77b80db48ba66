"""Where the settings of harnesses are, and changing them: whole, or not at all."""

from __future__ import annotations

import shutil
import stat
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina import config
from lamina.durable import make_folder, replace_file
from lamina.errors import InvalidInputError
from lamina.surfaces.hooks.settings_file import wanted, with_hooks

if TYPE_CHECKING:
    from pathlib import Path

_FILES: Final = {"claude": "settings.json", "codex": "hooks.json"}
_LARGEST: Final = 4 << 20
_MODE: Final = 0o600


@dataclass(frozen=True, slots=True)
class Change:
    """The settings of a harness, before and after."""

    path: Path
    before: str
    after: str

    @property
    def is_any(self) -> bool:
        """Whether there is anything to change."""
        return self.before != self.after

    def apply(self) -> None:
        """Write it, with the rights that the file had."""
        # Where settings are a link into somebody's collection, that is what is changed.
        path = self.path.resolve()
        make_folder(path.parent)
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else _MODE
        replace_file(path, [self.after], mode=mode)


def settings_path(harness: str, folder: Path | None) -> Path:
    """The settings of a harness: for a folder, or for all that its user does."""
    home = config.harness_folder(harness) if folder is None else folder / f".{harness}"
    return home / _FILES[harness]


def installed(path: Path, harness: str, options: list[str], *, tools: bool) -> Change:
    """The settings with our hooks in them; `options` go into every call."""
    before = _read(path)
    hooks = wanted(harness, _program(), tools=tools)
    for one in hooks.values():
        one["command"] = " ".join([one["command"], *options])
    return Change(path, before, with_hooks(before, path, hooks))


def removed(path: Path) -> Change:
    """The settings without them."""
    before = _read(path)
    return Change(path, before, with_hooks(before, path, {}) if before else before)


def _program() -> list[str]:
    """How a harness starts us: by name where that is known to a shell, else by this Python."""
    return ["lamina"] if shutil.which("lamina") else [sys.executable, "-m", "lamina"]


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidInputError(f"{path} is too large for settings", remedy="Look at it first")
        # Not as text: the ends of its lines are to stay what they are.
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"{path} cannot be read: {error!s:.200}", remedy="Put it in order first"
        ) from None
