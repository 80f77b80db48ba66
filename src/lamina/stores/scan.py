"""Looks for byte strings in files. Run as a program, in a process of its own.

A process that holds a database connection must not open the database files: closing them again
would drop its locks. So the store starts this file with a bare interpreter. It reads a list of
files and a list of needles in hexadecimal as JSON from standard input, and prints how much it read
and, for each file, the numbers of the needles that it holds.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

_WINDOW = 8
_FEW = 64
_CHUNK = 1 << 24


def scan(paths: list[Path], needles: list[bytes]) -> dict[str, object]:
    """Search every file for every needle; needles have at least eight bytes."""
    hits: dict[str, list[int]] = {}
    unread: list[str] = []
    files = size = 0
    for path in paths:
        if not path.is_file() or not path.stat().st_size:
            continue
        files += 1
        size += path.stat().st_size
        try:
            found = _found(path, needles)
        except OSError:
            unread.append(path.name)
            continue
        if found:
            hits[path.name] = found
    return {"files": files, "bytes": size, "hits": hits, "unread": unread}


def _found(path: Path, needles: list[bytes]) -> list[int]:
    """The numbers of the needles in a file, which another process may be cutting meanwhile."""
    overlap = max(map(len, needles), default=1) - 1
    found: set[int] = set()
    with path.open("rb") as file:
        part = b""
        while chunk := file.read(_CHUNK):
            part = part[-overlap:] + chunk if overlap else chunk
            likely = range(len(needles)) if len(needles) <= _FEW else _likely(part, needles)
            found.update(n for n in likely if n not in found and needles[n] in part)
    return sorted(found)


def _likely(part: bytes, needles: list[bytes]) -> list[int]:
    """The needles whose first eight bytes occur: one pass, however many needles there are."""
    wanted: dict[int, list[int]] = {}
    for number, needle in enumerate(needles):
        wanted.setdefault(int.from_bytes(needle[:_WINDOW], sys.byteorder), []).append(number)
    found = {
        window for words in _aligned(part) for window in wanted.keys() & memoryview(words).cast("Q")
    }
    return sorted(number for window in found for number in wanted[window])


def _aligned(part: bytes) -> Iterator[bytes]:
    """The bytes as whole words of eight, once for each way to align them."""
    for shift in range(_WINDOW):
        yield part[shift : shift + (len(part) - shift) // _WINDOW * _WINDOW]


if __name__ == "__main__":
    where, wanted = json.load(sys.stdin)
    found = scan([Path(one) for one in where], [bytes.fromhex(one) for one in wanted])
    json.dump(found, sys.stdout)
