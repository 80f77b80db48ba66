"""A `lamina` that is there at once: a process that has imported everything forks for each command.

Importing is most of what a short command does, and the guides have two hundred of them. Each still
has a process, an environment, a folder and streams of its own, and ends as any other does. What
stays until somebody ends it (`serve`, `mcp`) is started as usual, so that a signal finds it.

    warm.py serve ADDRESS           waits for calls until its standard input ends
    warm.py call ADDRESS WORDS...   has a command run and ends with its status
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path

HEAVY = ("lamina.adapters", "lamina.surfaces.http", "lamina.surfaces.mcp", "lamina.testing")
WITHOUT_STATUS = 70
SHIM = """#!/bin/sh
case " $* " in
    *" serve "* | *" mcp "*) exec "{python}" -m lamina.surfaces.cli.main "$@" ;;
esac
exec "{python}" -I -S "{here}" call "{address}" "$@"
"""


@contextmanager
def warm_lamina(folder: Path) -> Iterator[Path]:
    """A folder with a `lamina` to be found first; it works until the context ends."""
    address = folder / "door"
    scripts = folder / "bin"
    scripts.mkdir()
    shim = SHIM.format(python=sys.executable, here=__file__, address=address)
    (scripts / "lamina").write_text(shim, encoding="utf-8")
    (scripts / "lamina").chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "-P", "-X", "utf8", __file__, "serve", str(address)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as server:  # fmt: skip
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield scripts
        server.communicate()


def _serve(address: str) -> None:
    _import_everything()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(64)
        print("ready", flush=True)
        while caller := _next(door):
            if not os.fork():
                door.close()
                _attend(caller)
                return
            caller.close()


def _next(door: socket.socket) -> socket.socket | None:
    from select import select

    ready, _, _ = select([door, sys.stdin], [], [])
    return door.accept()[0] if door in ready else None


def _attend(caller: socket.socket) -> None:
    """Run what is asked for in a child, which ends like any other program, and tell its status."""
    text, handles, _, _ = socket.recv_fds(caller, 1 << 20, 3)
    while not text.endswith(b"\n"):
        text += caller.recv(1 << 20)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if not (child := os.fork()):
        caller.close()
        _become(json.loads(text), handles)
        from lamina.surfaces.cli.main import main

        sys.exit(main())
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    caller.sendall(str(status if status >= 0 else 128 - status).encode())
    os._exit(0)


def _become(asked: dict[str, object], handles: list[int]) -> None:
    assert isinstance(asked["env"], dict)
    assert isinstance(asked["words"], list)
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
        os.close(handle)
    os.chdir(str(asked["cwd"]))
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv[1:] = asked["words"]
    sys.stdin = TextIOWrapper(os.fdopen(0, "rb", closefd=False), "utf-8")
    sys.stdout = TextIOWrapper(
        os.fdopen(1, "wb", closefd=False), "utf-8", line_buffering=os.isatty(1)
    )
    sys.stderr = TextIOWrapper(os.fdopen(2, "wb", closefd=False), "utf-8", line_buffering=True)


def _import_everything() -> None:
    from importlib import import_module

    import lamina

    package = Path(lamina.__file__).parent
    for file in sorted(package.rglob("*.py")):
        name = ".".join(file.relative_to(package.parent).with_suffix("").parts)
        if not name.startswith(HEAVY) and file.name not in {"__init__.py", "__main__.py"}:
            import_module(name)


def _call(address: str, words: list[str]) -> int:
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(address)
        asked = {"words": words, "cwd": os.getcwd(), "env": dict(os.environ)}
        socket.send_fds(door, [json.dumps(asked).encode() + b"\n"], [0, 1, 2])
        return int(door.makefile().read() or WITHOUT_STATUS)


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        _serve(sys.argv[2])
    else:
        sys.exit(_call(sys.argv[2], sys.argv[3:]))
