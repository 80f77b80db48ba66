"""A process whose system calls are made to fail: it waits, does one thing, then one more.

Everything is imported and tried beforehand, so that no failing call hits the interpreter instead of
the store. Each operation runs in a fork that opens the store first, tells its process number and
waits for a line: whoever makes its calls fail starts counting there. It says what it has to say
with `writev`, which nothing else here uses.
"""

import ctypes
import json
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lamina
from lamina import Memory
from lamina.core.indexing import index_terms
from lamina.errors import LaminaError
from lamina.exchange import export_lines, import_lines
from lamina.surfaces.cli.exchange import write_whole

STORE = "store"
EXPORT = "export.jsonl"
IMPORT = "import.jsonl"
SECOND = "and one more after it"
SECRET = "hunter2-but-longer"
ANYBODY = ctypes.c_ulong(-1)
PR_SET_PTRACER = 0x59616D61


@dataclass(frozen=True)
class Operation:
    """Something to do, and how to see afterwards how much of it was done."""

    act: Callable[[Memory, Path], Any]
    parts: Callable[[Memory, Path], tuple[int, int]]
    """How many of its parts are there, and how many there should be."""


def prepare(root: Path) -> None:
    """The store, and the files beside it, that every operation but the first starts from."""
    with lamina.open(root / STORE) as mem:
        mem.remember("the colour is red", key="colour", layer="fact")
        mem.remember("to be erased, with a word like rhododendron", key="doomed")
        mem.remember("to be hidden", key="shy")
        mem.remember_many([{"text": f"a note about number {n} " * 20} for n in range(8)])
    (root / EXPORT).write_text("an older export\n", encoding="utf-8")
    with lamina.open(":memory:") as other:
        other.remember_many([{"text": f"from elsewhere {n}", "tags": ["taken"]} for n in range(4)])
        lines = [line + "\n" for line in export_lines(other)]
    (root / IMPORT).write_text("".join(lines), encoding="utf-8")


def _texts(mem: Memory, where: dict[str, Any]) -> list[str]:
    return [record.text for record in mem.query(where)]


def _erased(mem: Memory, _root: Path) -> tuple[int, int]:
    if mem.count({"key": "doomed"}):
        return 0, 1
    events = [event for stream in mem.store.streams() for event in mem.store.events(stream)]
    gone = [event.record for event in events if event.action == "erased"]
    # Gone without a tombstone is worse than not gone.
    return len(mem.store.tombstones(gone)) or -1, 1


def _exported(mem: Memory, root: Path) -> tuple[int, int]:
    lines = (root / EXPORT).read_text(encoding="utf-8").splitlines()
    if lines == ["an older export"]:
        return 0, 1
    wanted = [line for line in export_lines(mem) if SECOND not in line]
    return len(set(lines) & set(wanted)), len(wanted)


def _export(mem: Memory, root: Path) -> Any:
    try:
        return write_whole(root / EXPORT, export_lines(mem), lambda _: None)
    except OSError as error:
        # The file is the caller's; the command line says this in the same way.
        raise LaminaError(str(error)) from error


def _import(mem: Memory, root: Path) -> Any:
    try:
        with (root / IMPORT).open(encoding="utf-8") as lines:
            return len(import_lines(mem, lines).failed)
    except OSError as error:
        raise LaminaError(str(error)) from error


def _sealed(mem: Memory, _root: Path) -> tuple[int, int]:
    found = [record for record in mem.query({"key": "login"}) if SECRET not in record.text]
    opened = [
        mem.reveal(record.id, box.ref) for record in found for box in mem.store.sealed(record.id)
    ]
    return opened.count(SECRET), 1


def _found(mem: Memory) -> list[str | None]:
    """The key of the best hit: the one record that holds the word, with vectors or without."""
    return [hit.record.key for hit in mem.recall("rhododendron").hits][:1]


OPERATIONS = {
    "create": Operation(
        lambda mem, _: mem.remember("the first note", key="first").id,
        lambda mem, _: (mem.count({"key": "first"}), 1),
    ),
    "remember": Operation(
        lambda mem, _: mem.remember("a new note", key="new").id,
        lambda mem, _: (mem.count({"key": "new"}), 1),
    ),
    "batch": Operation(
        lambda mem, _: (
            mem.remember_many(
                [{"text": f"one of several {n} " * 9, "tags": ["batch"]} for n in range(7)]
            ).id
        ),
        lambda mem, _: (mem.count({"tags": "batch"}), 7),
    ),
    "supersede": Operation(
        lambda mem, _: mem.remember("the colour is blue", key="colour", layer="fact").rev,
        lambda mem, _: (_texts(mem, {"key": "colour"}).count("the colour is blue"), 1),
    ),
    "forget": Operation(
        lambda mem, _: mem.forget("shy").id,
        lambda mem, _: (mem.count({"key": "shy", "state": "forgotten"}), 1),
    ),
    "erase": Operation(lambda mem, _: mem.erase("doomed").complete, _erased),
    "seal": Operation(
        lambda mem, _: mem.remember(f"The password is {SECRET}", key="login").id, _sealed
    ),
    "configure": Operation(
        lambda mem, _: mem.configure("knowledge.ties", "review"),
        lambda mem, _: (int(mem.settings()["knowledge.ties"] == "review"), 1),
    ),
    "export": Operation(_export, _exported),
    "import": Operation(_import, lambda mem, _: (mem.count({"tags": "taken"}), 4)),
    "reindex": Operation(
        lambda mem, _: mem.store.reindex(lambda record: index_terms(record, record.key)),
        lambda mem, _: (len(_found(mem)), 1),
    ),
    "recall": Operation(
        lambda mem, _: _found(mem),
        lambda mem, _: (len(_found(mem)), 1),
    ),
}


def say(**fact: Any) -> None:
    """One line, in one call."""
    os.writev(1, [json.dumps(fact).encode() + b"\n"])


def attempt(what: str, work: Callable[[], Any]) -> None:
    """Do something and say what came of it."""
    try:
        say(what=what, did=work())
    except LaminaError as error:
        say(what=what, error=error.code, message=str(error))
    except BaseException:
        say(what=what, other=traceback.format_exc())


def perform(name: str, root: Path, limit: int | None) -> None:
    """One operation, a second write, and the end; `limit` is the largest size of any file."""
    operation = OPERATIONS[name]
    held = [] if name == "create" else [lamina.open(root / STORE)]
    if held:
        held[0].count()
    say(ready=os.getpid())
    sys.stdin.readline()
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    if not held:
        attempt("open", lambda: held.append(lamina.open(root / STORE)))
    if held:
        attempt("act", lambda: operation.act(held[0], root))
        attempt("second", lambda: held[0].remember(SECOND, key="second").id)
        attempt("close", held[0].close)


def warm_up() -> None:
    """Import whatever the operations need, by doing them."""
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        with lamina.open(Path(name) / STORE) as mem:
            for operation in OPERATIONS.values():
                operation.act(mem, Path(name))


def main() -> None:
    """Fork for each line of standard input."""
    # Where a process may be watched only by its ancestors, it must say that it does not mind.
    ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANYBODY, 0, 0, 0)
    warm_up()
    say(warm=True)
    while line := sys.stdin.readline():
        order = json.loads(line)
        child = os.fork()
        if not child:
            ctypes.CDLL(None).prctl(PR_SET_PTRACER, ANYBODY, 0, 0, 0)
            try:
                perform(order["name"], Path(order["root"]), order["limit"])
            except BaseException:
                say(what="start", other=traceback.format_exc())
            finally:
                os._exit(0)
        say(ended=os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()
