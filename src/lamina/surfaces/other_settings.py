"""Settings files of other programs: read as they are, and changed whole or not at all."""

from __future__ import annotations

import shutil
import stat
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.durable import make_folder, replace_file
from lamina.errors import ConflictError, InvalidInputError

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST: Final = 16 << 20
_MODE: Final = 0o600
_BACKUP: Final = ".before-lamina"
_NAME: Final = "lamina"


@dataclass(frozen=True, slots=True)
class Change:
    """The settings of a program, before and after."""

    path: Path
    before: str
    after: str

    @property
    def is_any(self) -> bool:
        """Whether there is anything to change."""
        return self.before != self.after

    @property
    def backup(self) -> Path:
        """Where the settings from before are kept, if there were any."""
        path = self.path.resolve()
        return path.with_name(path.name + _BACKUP)

    def apply(self) -> None:
        """Write it, with the rights that the file had; what was there is kept beside it."""
        # Where settings are a link into somebody's collection, that is what is changed.
        path = self.path.resolve()
        if read_settings(path) != self.before:
            raise ConflictError(
                f"{path} was changed in the meantime", remedy="Nothing was written; try again"
            )
        make_folder(path.parent)
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else _MODE
        if self.before:
            replace_file(self.backup, [self.before], mode=mode)
        replace_file(path, [self.after], mode=mode)


def read_settings(path: Path) -> str:
    """The text of a settings file; empty when there is none."""
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


def program(*, shared: bool) -> list[str]:
    """How another program starts us: in what a team shares by name, else by where we are.

    A name would do only as long as whoever starts it knows the same PATH.
    """
    if shared:
        return [_NAME]
    found = shutil.which(_NAME)
    return [found] if found else [sys.executable, "-m", _NAME]


def unknown_name() -> str | None:
    """What to tell about settings that name us where no shell knows that name."""
    if shutil.which(_NAME):
        return None
    return f"They start `{_NAME}`, which is not on your PATH: activate its environment first."
