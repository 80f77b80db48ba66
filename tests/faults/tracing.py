"""What a program did to the disk, in order: its system calls, recorded by `strace` and read back.

With `-xx` every text is written in hexadecimal, so that neither quotes nor commas can stand inside
one; with `-y` every descriptor is followed by the name that its file had at that moment.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.meta.children import environment
from tests.meta.tree import ROOT

CHANGING = (
    "open", "openat", "creat", "write", "writev", "pwrite64", "pwritev", "pwritev2", "read",
    "lseek", "truncate", "ftruncate", "fallocate", "fsync", "fdatasync", "sync_file_range",
    "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
    "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "copy_file_range", "sendfile",
)  # fmt: skip
MOST_BYTES = 1 << 26
LINE = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+)(?:<.*)?(?: .*)?")
BEGUN = re.compile(r"(\d+) +(\w+)\((.*) <unfinished \.\.\.>")
ENDED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+|0x[0-9a-f]+)(?:<.*)?(?: .*)?")
HANDLE = re.compile(r"(?:AT_FDCWD|-?\d+)<(.*?)>(\(deleted\))?")
BYTES = re.compile(r'"([^"]*)"')


@dataclass(frozen=True)
class Call:
    """One successful system call."""

    thread: str
    name: str
    arguments: tuple[str, ...]
    result: int
    """The number it returned."""
    number: int
    """The same for the begin and the end of one call."""
    ends: bool = True
    """False where only its begin is noted, because others' calls came in between."""

    def texts(self) -> list[bytes]:
        """The byte strings among its arguments."""
        return [_bytes(found) for one in self.arguments for found in BYTES.findall(one)]

    def data(self) -> bytes:
        """What it wrote, which may be less than it was given."""
        return b"".join(self.texts())[: self.result]

    def handle(self, argument: int = 0) -> Path | None:
        """The file behind one of its arguments; nothing if that has no name any more."""
        found = HANDLE.fullmatch(self.arguments[argument])
        return None if found is None or found[2] else Path(os.fsdecode(_bytes(found[1])))

    def paths(self) -> list[Path]:
        """The paths it names, made absolute by the folder that stands before each."""
        found: list[Path] = []
        folder = Path()
        for one in self.arguments:
            if text := BYTES.fullmatch(one):
                found.append(folder / os.fsdecode(_bytes(text[1])))
            elif inside := HANDLE.fullmatch(one):
                folder = Path(os.fsdecode(_bytes(inside[1])))
        return found


def strace() -> str:
    """The program that records; without it there is nothing to do here."""
    found = shutil.which("strace")
    if found is None:
        pytest.skip("strace is not installed: no system call can be recorded or made to fail")
    return found


def memory() -> str | None:
    """A folder on a file system in memory, where a thousand stores cost no sync."""
    shared = Path("/dev/shm")
    return str(shared) if shared.is_dir() and os.access(shared, os.W_OK) else None


def record(command: Sequence[str], log: Path) -> list[Call]:
    """Run a program and its children, and return the calls that may have changed the disk."""
    watched = [
        strace(), "-f", "--seccomp-bpf", "-y", "-xx", "-s", str(MOST_BYTES), "-o", str(log),
        "-e", f"trace={','.join('?' + name for name in CHANGING)}", "-e", "signal=none",
        # What is read matters only for where the next write goes.
        "-e", "raw=read",
    ]  # fmt: skip
    done = subprocess.run(
        [*watched, *command],
        cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the program failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    with log.open(encoding="ascii", errors="replace") as lines:
        return list(read(lines))


def read(lines: Iterator[str]) -> Iterator[Call]:
    """The successful calls of a log, each at the place where it ended."""
    begun: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(lines):
        if whole := LINE.fullmatch(line.rstrip("\n")):
            if (result := int(whole[4], 0)) >= 0:
                yield Call(whole[1], whole[2], _split(whole[3]), result, number)
        elif begin := BEGUN.fullmatch(line.rstrip("\n")):
            begun[begin[1]] = (number, begin[3])
            yield Call(begin[1], begin[2], _split(begin[3]), 0, number, ends=False)
        elif end := ENDED.fullmatch(line.rstrip("\n")):
            first, arguments = begun.pop(end[1])
            if (result := int(end[4], 0)) >= 0:
                yield Call(end[1], end[2], _split(arguments + end[3]), result, first)


def _split(arguments: str) -> tuple[str, ...]:
    return tuple(arguments.split(", "))


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:].replace("\\x", "")) if text.startswith("\\x") else text.encode()
