"""The file of a capsule: JSON lines that anybody can read, and a seal at the end.

    header      what it is, in which format, of which place, how many records
    record      one on each line, in the shape of every export, oldest first
    signature   what only the store that made it can verify as its own
    sha256      of every byte before that line

The same notes make the same bytes. The checksum shows damage; that somebody wrote a capsule anew,
with another checksum, it cannot show. So who takes one in believes it as far as a file, unless the
signature is its own.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lamina.core import canonical
from lamina.core.parsing import parse_line
from lamina.core.record import State, to_json
from lamina.core.scope import Scope
from lamina.durable import is_path, place_new, replace_file
from lamina.errors import (
    InvalidInputError,
    LaminaError,
    StoreDamagedError,
    StoreFullError,
    StoreVersionError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.core.record import Record

FORMAT: Final = 1
LAYER: Final = "notebook"
STATES: Final = (State.CURRENT, State.ARCHIVED)
_MOST_BYTES: Final = 1 << 27
_MARK: Final = "capsule"
_SIGNED: Final = b"lamina capsule v1\0"
_SEAL: Final = re.compile(rb'\{"sha256":"([0-9a-f]{64})"\}')
_SIGNATURE: Final = re.compile(rb'\{"signature":"([0-9a-f]{0,64})"\}')
_ANOTHER: Final = "Ask for another copy; nothing was changed"


@dataclass(frozen=True, slots=True)
class About:
    """A capsule as a file."""

    file: str
    scope: str
    """Where its notes were written."""
    records: int
    bytes: int
    sha256: str

    @property
    def agent(self) -> str | None:
        """Whose notebook it was."""
        return Scope.of(self.scope).part("agent")

    @property
    def task(self) -> str | None:
        """The task that the notes are about."""
        return Scope.of(self.scope).part("task")


@dataclass(frozen=True, slots=True)
class Contents:
    """What a capsule that was verified holds."""

    about: About
    records: tuple[Record, ...]
    signature: str
    signed: bytes
    """What the signature is of."""


def write(
    path: str | Path,
    scope: str,
    records: Sequence[Record],
    sign: Callable[[bytes], str],
    *,
    replace: bool = False,
) -> About:
    """Make a capsule: whole, on the disk, and never over another file unless told so."""
    target = _checked(path)
    ordered = sorted(records, key=lambda record: (record.created_at, record.id))
    header = {"format": FORMAT, "lamina": _MARK, "records": len(ordered), "scope": scope}
    lines = [canonical.dumps(header), *(canonical.dumps(to_json(record)) for record in ordered)]
    body = "".join(f"{line}\n" for line in lines)
    body += f'{{"signature":"{sign(_signed(body.encode()))}"}}\n'
    if len(body.encode()) > _MOST_BYTES:
        raise InvalidInputError(f"the notes have more than the {_MOST_BYTES:,} bytes of a capsule")
    digest = hashlib.sha256(body.encode()).hexdigest()
    with _told_plainly(target):
        _place(target, (body, f'{{"sha256":"{digest}"}}\n'), replace=replace)
        size = target.stat().st_size
    return About(str(target), scope, len(ordered), size, digest)


def read(path: str | Path) -> Contents:
    """Verify a capsule to its last byte, and read it.

    Raises:
        InvalidInputError: It is no capsule.
        StoreDamagedError: It was cut short, damaged or changed.
        StoreVersionError: A newer Lamina made it.
    """
    target = _checked(path)
    raw = _bytes(target)
    header = _header(target, raw)
    *lines, signature, seal, _ = raw.split(b"\n") if raw.count(b"\n") > 2 else [b""] * 3
    sealed = _SEAL.fullmatch(seal)
    if sealed is None:
        raise _damaged(target, "its end is missing")
    digest = hashlib.sha256(raw[: -len(seal) - 1]).hexdigest()
    if digest.encode() != sealed[1]:
        raise _damaged(target, "its checksum does not match")
    if header.get("format") != FORMAT:
        raise StoreVersionError(
            f"the capsule {target} has the format {header.get('format')!r:.20}, not {FORMAT}",
            remedy="Upgrade Lamina; nothing was changed",
        )
    signed = _SIGNATURE.fullmatch(signature)
    if signed is None:
        raise _damaged(target, "it has no line for a signature")
    body = raw[: -len(seal) - len(signature) - 2]
    records = _records(target, header, lines[1:])
    about = About(str(target), str(header["scope"]), len(records), len(raw), digest)
    return Contents(about, records, signed[1].decode(), _signed(body))


def _records(target: Path, header: dict[str, Any], lines: Sequence[bytes]) -> tuple[Record, ...]:
    """The records of a capsule, each checked as if a stranger had written it."""
    try:
        place = Scope.of(header["scope"]).path
        records = tuple(parse_line(line.decode()) for line in lines)
    except (LaminaError, UnicodeDecodeError, KeyError) as error:
        raise _damaged(target, f"it holds what is no note: {error!s:.200}") from error
    fits = all((one.scope, one.layer) == (place, LAYER) and one.state in STATES for one in records)
    if not fits or len({one.id for one in records}) != len(records):
        raise _damaged(target, "it holds notes that do not belong in it")
    if header.get("records") != len(records):
        raise _damaged(target, "notes are missing")
    return records


def _header(target: Path, raw: bytes) -> dict[str, Any]:
    first = raw.split(b"\n", 1)[0]
    try:
        said = canonical.loads(first.decode(), "header")
    except (LaminaError, UnicodeDecodeError):
        said = None
    if not isinstance(said, dict) or said.get("lamina") != _MARK:
        what = "is not a capsule, or its beginning is damaged" if raw else "is empty"
        raise InvalidInputError(f"{target} {what}", remedy="Make one with `lamina capsule make`")
    return said


def _signed(body: bytes) -> bytes:
    return _SIGNED + hashlib.sha256(body).digest()


def _bytes(target: Path) -> bytes:
    """All of a file that is one, and not endless."""
    with _told_plainly(target, "read"):
        # A pipe that lies there would otherwise be waited for.
        handle = os.open(target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
                raise InvalidInputError(
                    f"{target} is no file, or has more than {_MOST_BYTES:,} bytes",
                    remedy="Name the file of a capsule",
                )
            return file.read()


def _place(target: Path, pieces: tuple[str, ...], *, replace: bool) -> None:
    if replace:
        replace_file(target, pieces)
        return
    fresh = target.with_name(f".{target.name}.{os.urandom(6).hex()}")
    try:
        replace_file(fresh, pieces)
        place_new(fresh, target)
    finally:
        fresh.unlink(missing_ok=True)


def _checked(path: str | Path) -> Path:
    if not isinstance(path, str | Path) or not str(path) or not is_path(path):
        raise InvalidInputError(f"`path` names no file: {path!r:.80}")
    return Path(os.path.abspath(path))


@contextmanager
def _told_plainly(target: Path, done: str = "written") -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise InvalidInputError(
            f"{target} exists already", remedy="Choose another name, or say `replace`"
        ) from None
    except OSError as error:
        import errno

        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFullError(f"no room is left for the capsule {target}") from error
        raise InvalidInputError(
            f"`path`: the capsule {str(target):.200} cannot be {done}: {error.strerror}",
            remedy="Check the path, its owner and its mode",
        ) from error


def _damaged(target: Path, why: str) -> StoreDamagedError:
    return StoreDamagedError(f"the capsule {target} is damaged: {why}", remedy=_ANOTHER)
