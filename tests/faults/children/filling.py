"""A writer on a full disk: it must say so, go on reading, and write again when there is room.

It runs where the disk is small, looks for itself, and prints what it found as one JSON line.
"""

import contextlib
import json
import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import lamina
from lamina import Memory
from lamina.errors import LaminaError, StoreError, StoreFullError
from tests.faults.agreement import complaints, disagreements

MOST = 3000
"""Commits, at most, until a disk of a few megabytes is full."""
BALLAST = "ballast"


class Filling:
    """A store on a small disk, and what was acknowledged."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.rng = Random(seed)
        self.kept: dict[str, str] = {}
        self.erased: list[str] = []
        self.problems: list[str] = []
        self.refusals: list[str] = []

    def run(self) -> dict[str, Any]:
        """Fill, look, make room, and fill again, without opening the store anew."""
        with lamina.open(self.root / "store") as mem:
            for _ in range(2):
                with self.little_room():
                    self._fill(mem)
                    self._read(mem)
                    with lamina.open(self.root / "store") as another:
                        self._read(another)
                self._write_again(mem)
        with lamina.open(self.root / "store") as mem:
            self._read(mem)
            self.problems += [*complaints(mem), *disagreements(self.root / "store")]
        return {
            "acknowledged": len(self.kept), "refusals": self.refusals, "problems": self.problems,
        }  # fmt: skip

    @contextlib.contextmanager
    def little_room(self) -> Iterator[None]:
        """Leave only a little room while this lasts."""
        ballast = self.root / BALLAST
        with ballast.open("wb", buffering=0) as file:
            with contextlib.suppress(OSError):
                while file.write(bytes(4096)):
                    pass
            file.truncate(max(0, ballast.stat().st_size - self.rng.randrange(64, 512) * 1024))
        try:
            yield
        finally:
            ballast.unlink()

    def _fill(self, mem: Memory) -> None:
        """Write, and now and then erase, until there is no room."""
        for _ in range(MOST):
            text = f"note {len(self.kept)} " + "x" * self.rng.randrange(4000)
            try:
                if self.kept and self.rng.random() < 0.2:
                    self._erase(mem)
                else:
                    self.kept[mem.remember(text).id] = text
            except StoreError as error:
                self.refusals.append(error.code)
                return
        self.problems.append("the disk was never full")

    def _erase(self, mem: Memory) -> None:
        one = self.rng.choice(list(self.kept))
        try:
            mem.erase(one)
        except LaminaError:
            # It may have come about all the same: then its content is no promise any more.
            if mem.count({"id": one}) == 0:
                del self.kept[one]
            raise
        del self.kept[one]
        self.erased.append(one)

    def _read(self, mem: Memory) -> None:
        """Whatever was acknowledged can be read."""
        for one, text in self.kept.items():
            if mem.get(one).text != text:
                self.problems.append(f"{one} is not what was acknowledged")
        if mem.recall("note").abstained:
            self.problems.append("nothing can be found")

    def _write_again(self, mem: Memory) -> None:
        try:
            self.kept[mem.remember("there is room again").id] = "there is room again"
        except StoreError as error:
            self.problems.append(f"there is room, and still: {error}")


class Limited(Filling):
    """The same where no disk can be made small: no file may grow beyond a limit."""

    @contextlib.contextmanager
    def little_room(self) -> Iterator[None]:
        largest = max((path.stat().st_size for path in self.root.rglob("*")), default=0)
        limit = largest + self.rng.randrange(64, 512) * 1024
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


if __name__ == "__main__":
    kind = {"disk": Filling, "limit": Limited}[sys.argv[1]]
    found = kind(Path(sys.argv[2]), int(sys.argv[3])).run()
    if kind is Filling and StoreFullError.code not in found["refusals"]:
        found["problems"].append(f"a full disk was called {found['refusals']}")
    print(json.dumps(found))
