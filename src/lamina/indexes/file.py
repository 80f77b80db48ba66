"""One immutable file: a checked header, then arrays as they lie in memory.

A file is written under another name, synced and renamed, so it is there whole or not at all. It is
opened by mapping it, which reads the header alone; `verify` reads everything. What is torn, cut,
foreign or altered is refused: the caller throws it away and builds another.
"""

import json
import mmap
import os
import struct
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lamina.durable import sync_folder
from lamina.errors import IndexDamagedError

FORMAT: Final = 1
Array = NDArray[Any]
_MAGIC: Final = b"lamina\x00\x17"
_START: Final = struct.Struct("<8sIIII")
"""Magic, format, length of the header, its checksum, and the checksum of these four."""
_ALIGN: Final = 64
_MAX_HEADER: Final = 1 << 20
_CHUNK: Final = 1 << 24
_KINDS: Final = frozenset("<i8 <u8 <u4 <u2 |u1 |i1 <f4 <f8".split())


@dataclass(frozen=True, slots=True)
class Header:
    """What a segment is about, so that nobody uses it for anything else."""

    kind: str
    store: str
    """The identity of the store that it was made from."""
    stream: int
    epoch: str
    """What its contents were made by: the version of the analyser, or the embedder."""
    lo: int
    hi: int
    """It covers the changes after `lo` up to and including `hi`."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """An array too large to hold whole: its type, its shape, and its parts in order."""

    dtype: str
    shape: tuple[int, ...]
    parts: Iterable[Array]


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    checksum: str

    @property
    def size(self) -> int:
        size = np.dtype(self.dtype).itemsize
        for length in self.shape:
            size *= length
        return size


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """An open file. Its arrays stay readable after the file was replaced or deleted."""

    path: Path
    header: Header
    facts: Mapping[str, Any]
    """Small things of the writer's own, as JSON."""
    arrays: Mapping[str, Array]
    size: int
    _mapped: mmap.mmap
    _entries: tuple[_Entry, ...]

    @classmethod
    def open(cls, path: Path) -> "ArrayFile":
        """Map a file and check its header.

        Raises:
            IndexDamagedError: It is not a whole file of this format.
            FileNotFoundError: There is none.
        """
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _START.size:
                raise _refused(path, "is cut short")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header, facts, entries = _read_header(path, mapped)
        arrays = {entry.name: _view(mapped, entry) for entry in entries}
        return cls(path, header, facts, arrays, size, mapped, entries)

    def verify(self) -> None:
        """Read every byte and compare it with what was written.

        Raises:
            IndexDamagedError: Something was altered.
        """
        for entry in self._entries:
            if _checksum(self._mapped, entry) != entry.checksum:
                raise _refused(self.path, f"was altered in `{entry.name}`")

    def named(self, *names: str) -> tuple[Array, ...]:
        """Some arrays, refusing the file if it has not got them."""
        try:
            return tuple(self.arrays[name] for name in names)
        except KeyError as error:
            raise _refused(self.path, f"has no array {error}") from None


def write(
    path: Path,
    header: Header,
    arrays: Mapping[str, Array | Pieces],
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Write a file whole or not at all, and make its name last."""
    fresh = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(fresh, flags, 0o600), "w+b") as file:
            _write_all(file, header, arrays, facts or {})
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def refuse_unless(holds: object, path: Path, fault: str) -> None:
    """Refuse a file whose arrays do not fit together."""
    if not holds:
        raise _refused(path, fault)


def _write_all(
    file: BinaryIO, header: Header, arrays: Mapping[str, Array | Pieces], facts: Mapping[str, Any]
) -> None:
    blank = [_Entry(name, *_form(array), 0, "0" * 8) for name, array in arrays.items()]
    # Offsets are as wide as they can get, so that the header has one length before and after.
    room = _aligned(len(_encoded(header, facts, blank)) + 16 * len(blank) + _START.size)
    entries, offset = [], room
    for entry, array in zip(blank, arrays.values(), strict=True):
        file.seek(offset)
        placed = _Entry(entry.name, entry.dtype, entry.shape, offset, "")
        written, checksum = _write_array(file, array)
        if written != placed.size:
            raise ValueError(f"`{entry.name}` has {written} bytes and not {placed.size}")
        entries.append(_Entry(entry.name, entry.dtype, entry.shape, offset, f"{checksum:08x}"))
        offset += _aligned(written)
    text = _encoded(header, facts, entries).ljust(room - _START.size)
    start = _START.pack(_MAGIC, FORMAT, len(text), crc32(text), 0)[:-4]
    file.seek(0)
    file.write(start + struct.pack("<I", crc32(start)) + text)


def _write_array(file: BinaryIO, array: Array | Pieces) -> tuple[int, int]:
    parts = array.parts if isinstance(array, Pieces) else (array,)
    dtype, _ = _form(array)
    checksum = written = 0
    for part in parts:
        data = np.ascontiguousarray(part, dtype).reshape(-1).view("u1").data if part.size else b""
        for at in range(0, len(data), _CHUNK):
            chunk = data[at : at + _CHUNK]
            checksum = crc32(chunk, checksum)
            file.write(chunk)
        written += len(data)
    filling = bytes(_aligned(written) - written)
    file.write(filling)
    return written, crc32(filling, checksum)


def _form(array: Array | Pieces) -> tuple[str, tuple[int, ...]]:
    dtype = array.dtype if isinstance(array.dtype, str) else array.dtype.newbyteorder("<").str
    if dtype not in _KINDS:
        raise ValueError(f"arrays of {dtype} are not written")
    return dtype, tuple(array.shape)


def _encoded(header: Header, facts: Mapping[str, Any], entries: Iterable[_Entry]) -> bytes:
    content = {
        "header": asdict(header),
        "facts": dict(facts),
        "arrays": [asdict(entry) for entry in entries],
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    if len(text) > _MAX_HEADER:
        raise ValueError("the header of a segment is too long")
    return text


def _read_header(
    path: Path, mapped: mmap.mmap
) -> tuple[Header, Mapping[str, Any], tuple[_Entry, ...]]:
    magic, version, length, checksum, own = _START.unpack_from(mapped)
    if magic != _MAGIC or crc32(mapped[: _START.size - 4]) != own:
        raise _refused(path, "is not a segment")
    if version != FORMAT:
        raise _refused(path, f"has format {version}, not {FORMAT}")
    text = mapped[_START.size : _START.size + length]
    if length > _MAX_HEADER + _ALIGN or len(text) != length or crc32(text) != checksum:
        raise _refused(path, "has a damaged header")
    content = json.loads(text)
    header = Header(**content["header"])
    entries = tuple(_entry(one) for one in content["arrays"])
    ends = [entry.offset + _aligned(entry.size) for entry in entries]
    starts = [_aligned(_START.size + length), *ends]
    in_place = all(e.offset == start for e, start in zip(entries, starts, strict=False))
    if not in_place or starts[-1] != len(mapped):
        raise _refused(path, "is cut short or has grown")
    return header, content["facts"], entries


def _entry(one: dict[str, Any]) -> _Entry:
    return _Entry(one["name"], one["dtype"], tuple(one["shape"]), one["offset"], one["checksum"])


def _view(mapped: mmap.mmap, entry: _Entry) -> Array:
    count = entry.size // np.dtype(entry.dtype).itemsize
    if not count:
        return np.empty(entry.shape, entry.dtype)
    return np.frombuffer(mapped, entry.dtype, count, entry.offset).reshape(entry.shape)


def _checksum(mapped: mmap.mmap, entry: _Entry) -> str:
    checksum, end = 0, entry.offset + _aligned(entry.size)
    with memoryview(mapped) as whole:
        for at in range(entry.offset, end, _CHUNK):
            checksum = crc32(whole[at : min(at + _CHUNK, end)], checksum)
    return f"{checksum:08x}"


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _refused(path: Path, fault: str) -> IndexDamagedError:
    return IndexDamagedError(
        f"the index file {path.name} {fault}", remedy="It is built again from the records"
    )
