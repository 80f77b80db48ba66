"""A disk that forgets: what is on it for certain, and what might be, after the power goes.

Stricter than most file systems, so that whoever holds here holds everywhere. The content of a file
is certain only after a sync of that file, its name only after a sync of the folder that it is in.
A rename happens whole or not at all, and the names of one folder change in the order of the calls.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.faults.tracing import Call

SECTOR = 512
PLACE = re.compile(r"\[(\d+)\]")
SHARED_MEMORY = "-shm"
"""SQLite's shared memory is mapped, never synced, and made anew from the log."""


class UnknownCallError(Exception):
    """A call changed the disk in a way that this disk does not know."""


@dataclass
class Patch:
    """A change of a file's content that no sync has covered yet."""

    serial: int
    offset: int
    data: bytes | None
    """Without data the file is cut, or filled up, to the offset."""

    def apply(self, content: bytearray) -> None:
        """Carry it out."""
        if self.data is None:
            del content[self.offset :]
        content.extend(bytes(max(0, self.offset - len(content))))
        if self.data is not None:
            content[self.offset : self.offset + len(self.data)] = self.data

    def torn(self, rng: Random) -> Iterator["Patch"]:
        """Those of its sectors that happened to reach the disk."""
        if self.data is None:
            if rng.random() < 0.5:
                yield self
            return
        start, end = self.offset, self.offset + len(self.data)
        edges = [start, *range((start // SECTOR + 1) * SECTOR, end, SECTOR), end]
        for one, after in zip(edges, edges[1:], strict=False):
            if rng.random() < 0.5:
                yield Patch(self.serial, one, self.data[one - start : after - start])


@dataclass(eq=False)
class Node:
    """A file or a folder, whatever it is called."""

    entries: "dict[str, Node] | None" = None
    """The names in a folder that are certain; files have none."""
    now: "dict[str, Node]" = field(default_factory=dict)
    """The names that programs see."""
    certain: bytearray = field(default_factory=bytearray)
    pending: list[Patch] = field(default_factory=list)
    size: int = 0
    position: int = 0
    appends: bool = False


@dataclass
class Naming:
    """Names that changed in one step: in a folder a name now leads to a node, or to nothing."""

    serial: int
    steps: list[tuple[Node, str, Node | None]]

    def concerns(self, folder: Node) -> bool:
        """Whether it changes that folder."""
        return any(one is folder for one, _, _ in self.steps)


@dataclass(frozen=True)
class Mode:
    """What of the uncertain survives a cut."""

    name: str
    data: str
    """`none`, `some`, `torn` or `all` of the writes."""
    names: str
    """`none`, `some` (the first ones of each folder) or `all` of the names."""


MODES = (
    Mode("nothing unsynced", "none", "none"),
    Mode("some writes", "some", "some"),
    Mode("torn writes", "torn", "some"),
    Mode("data without names", "all", "none"),
    Mode("names without data", "none", "all"),
)


class Disk:
    """The folder `root` as a program changes it; what lies there at first is certain."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._tree = _load(root)
        self._naming: list[Naming] = []
        self._serial = 0
        self._syncs: dict[int, tuple[Node, int]] = {}
        self._opened: dict[tuple[str, int], Node] = {}

    def play(self, call: Call) -> None:
        """Take in one call: of a sync also its begin, of the others only their end."""
        if call.name in {"fsync", "fdatasync"}:
            self._sync(call)
        elif call.ends:
            self._carry_out(call)

    def _carry_out(self, call: Call) -> None:
        match call.name:
            case "open" | "openat" | "creat":
                self._open(call)
            case "rename" | "renameat" | "renameat2" | "link" | "linkat":
                self._move(call)
            case "unlink" | "unlinkat" | "rmdir":
                self._name(call.paths()[0], None)
            case "mkdir" | "mkdirat":
                self._name(call.paths()[0], Node(entries={}))
            case "read":
                if node := self._opened.get((call.thread, int(call.arguments[0], 0))):
                    node.position += call.result
            case "sendfile":
                self._copy(call, target=0, source=1)
            case "copy_file_range":
                self._copy(call, target=2, source=0)
            case "sync_file_range":
                # It promises nothing about the disk, by its own manual.
                pass
            case _:
                self._change(call)

    def pending(self) -> int:
        """How many changes no sync has covered."""
        files = {id(node): node for _, node in _walk(self._tree)}
        return len(self._naming) + sum(len(node.pending) for node in files.values())

    def differences(self) -> list[str]:
        """Where what programs should see is not what lies in the folder: a call was misread."""
        found = {
            str(path.relative_to(self._root)): path.read_bytes() if path.is_file() else None
            for path in self._root.rglob("*")
        }
        should = {
            name: None if node.entries is not None else _content(node, "all", Random())
            for name, node in _walk(self._tree)
        }
        names = (name for name in {**found, **should} if not name.endswith(SHARED_MEMORY))
        return [name for name in names if found.get(name, b"?") != should.get(name, b"!")]

    def rebuild(self, target: Path, mode: Mode, rng: Random) -> None:
        """Write into an empty folder what is there after a cut."""
        names = self._names_after(mode.names, rng)
        todo = [(target, self._tree)]
        while todo:
            folder, node = todo.pop()
            for name, inside in names.get(id(node), node.entries or {}).items():
                if inside.entries is not None:
                    (folder / name).mkdir()
                    todo.append((folder / name, inside))
                elif not name.endswith(SHARED_MEMORY):
                    (folder / name).write_bytes(_content(inside, mode.data, rng))
                    (folder / name).chmod(0o600)

    def _names_after(self, how: str, rng: Random) -> dict[int, dict[str, Node]]:
        concerned = [step[0] for one in self._naming for step in one.steps]
        folders = {id(folder): folder for folder in concerned}
        left = {}
        for key, folder in folders.items():
            number = sum(one.concerns(folder) for one in self._naming)
            left[key] = {"none": 0, "all": number, "some": rng.randint(0, number)}[how]
        names = {key: dict(folder.entries or {}) for key, folder in folders.items()}
        for one in self._naming:
            keys = {id(folder) for folder, _, _ in one.steps}
            if any(left[key] > 0 for key in keys):
                for folder, name, node in one.steps:
                    _point(names[id(folder)], name, node)
            for key in keys:
                left[key] -= 1
        return names

    def _find(self, path: Path | None) -> Node | None:
        """The node that programs find there; nothing for what lies outside or has no name."""
        if path is None or not path.is_relative_to(self._root):
            return None
        node = self._tree
        for part in path.relative_to(self._root).parts:
            if part not in node.now:
                return None
            node = node.now[part]
        return node

    def _name(self, path: Path, node: Node | None) -> None:
        if folder := self._find(path.parent):
            self._rename([(folder, path.name, node)])

    def _rename(self, steps: list[tuple[Node, str, Node | None]]) -> None:
        self._serial += 1
        self._naming.append(Naming(self._serial, steps))
        for folder, name, node in steps:
            _point(folder.now, name, node)

    def _open(self, call: Call) -> None:
        path = call.paths()[0]
        self._opened.pop((call.thread, call.result), None)
        if not path.is_relative_to(self._root):
            return
        flags = _flags(call)
        node = self._find(path)
        if "O_TMPFILE" in flags or (node is None and "O_CREAT" not in flags):
            raise UnknownCallError(f"{call.name}{call.arguments}")
        if node is None:
            node = Node()
            self._name(path, node)
        if "O_WRONLY" in flags or "O_RDWR" in flags:
            node.position, node.appends = 0, "O_APPEND" in flags
            self._opened[call.thread, call.result] = node
        if "O_TRUNC" in flags:
            self._patch(node, 0, None)

    def _move(self, call: Call) -> None:
        old, new = call.paths()[:2]
        node, source, target = self._find(old), self._find(old.parent), self._find(new.parent)
        if node is None and target is None:
            return
        if node is None or source is None or target is None:
            raise UnknownCallError(f"{call.name} from or to elsewhere: {old} {new}")
        gone: list[tuple[Node, str, Node | None]] = [(source, old.name, None)]
        self._rename([*(gone if call.name.startswith("rename") else []), (target, new.name, node)])

    def _sync(self, call: Call) -> None:
        """A sync covers what was done before it began."""
        if call.number not in self._syncs and (node := self._find(call.handle())):
            self._syncs[call.number] = (node, self._serial)
        if not call.ends or call.number not in self._syncs:
            return
        node, serial = self._syncs.pop(call.number)
        for patch in [one for one in node.pending if one.serial <= serial]:
            patch.apply(node.certain)
        node.pending = [one for one in node.pending if one.serial > serial]
        settled = [one for one in self._naming if one.serial <= serial and one.concerns(node)]
        for naming in settled:
            for folder, name, found in naming.steps:
                assert folder.entries is not None
                _point(folder.entries, name, found)
        self._naming = [one for one in self._naming if one not in settled]

    def _change(self, call: Call) -> None:
        node = self._find(call.paths()[0] if call.name == "truncate" else call.handle())
        if node is None:
            return
        match call.name:
            case "write" | "writev":
                start = node.size if node.appends else node.position
                self._patch(node, start, call.data())
                node.position = start + call.result
            case "pwrite64":
                self._patch(node, int(call.arguments[3]), call.data())
            case "pwritev" | "pwritev2":
                self._patch(node, int(call.arguments[-1 if call.name == "pwritev" else -2]),
                            call.data())  # fmt: skip
            case "ftruncate" | "truncate":
                self._patch(node, int(call.arguments[1]), None)
            case "lseek":
                node.position = call.result
            case "fallocate" if call.arguments[1] == "0":
                end = int(call.arguments[2]) + int(call.arguments[3])
                self._patch(node, max(end, node.size), None)
            case _:
                raise UnknownCallError(f"{call.name}{call.arguments}")

    def _copy(self, call: Call, *, target: int, source: int) -> None:
        """The kernel copies between two files, from a place that stands after the source."""
        node, origin = self._find(call.handle(target)), self._find(call.handle(source))
        if node is None:
            return
        start = PLACE.match(call.arguments[source + 1])
        if origin is None or start is None or call.arguments[target + 1][0] == "[":
            raise UnknownCallError(f"{call.name}{call.arguments}")
        content = _content(origin, "all", Random())
        self._patch(node, node.position, content[int(start[1]) :][: call.result])
        node.position += call.result

    def _patch(self, node: Node, offset: int, data: bytes | None) -> None:
        self._serial += 1
        node.pending.append(Patch(self._serial, offset, data))
        node.size = offset if data is None else max(node.size, offset + len(data))


def _flags(call: Call) -> str:
    if call.name == "creat":
        return "O_WRONLY|O_CREAT|O_TRUNC"
    return call.arguments[2 if call.name == "openat" else 1]


def _point(names: dict[str, Node], name: str, node: Node | None) -> None:
    if node is None:
        names.pop(name, None)
    else:
        names[name] = node


def _content(node: Node, how: str, rng: Random) -> bytes:
    content = bytearray(node.certain)
    for patch in _kept(node.pending, how, rng):
        patch.apply(content)
    return bytes(content)


def _kept(pending: Iterable[Patch], how: str, rng: Random) -> Iterator[Patch]:
    for patch in pending:
        if how == "torn":
            yield from patch.torn(rng)
        elif how == "all" or (how == "some" and rng.random() < 0.5):
            yield patch


def _walk(node: Node, before: str = "") -> Iterator[tuple[str, Node]]:
    for name, inside in node.now.items():
        yield before + name, inside
        yield from _walk(inside, f"{before}{name}/")


def _load(path: Path) -> Node:
    if not path.is_dir():
        content = path.read_bytes()
        return Node(certain=bytearray(content), size=len(content))
    inside = {name: _load(path / name) for name in os.listdir(path)}
    return Node(entries=inside, now=dict(inside))
