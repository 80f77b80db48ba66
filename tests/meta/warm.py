"""Processes that are there at once: one that has imported everything forks for each of them.

Importing is most of what a short command does, and tests run hundreds of them. Each still has a
process, an environment, a folder and streams of its own, and ends as any other does. This file is
the program; `tests.meta.warming` starts it.

    warm.py serve ADDRESS           waits for calls until its standard input ends
    warm.py call ADDRESS WORDS...   has a command of `lamina` run and ends with its status

A call is a line of JSON with three handles; what comes back is the number of the process and, when
it has ended, its status.
"""

# A caller is started for each command of a guide, so what only the server needs is loaded there.
import atexit
import gc
import json
import os
import socket
import sys
from contextlib import suppress

LAMINA = "lamina.surfaces.cli.main"
HEAVY = ("lamina.adapters", "lamina.surfaces.http", "lamina.surfaces.mcp", "lamina.testing")
WITHOUT_STATUS = 70


_ended: list[int] = []
"""The status of a command that is done, in its own process."""


def _serve(address: str) -> None:
    # What is registered first is called last.
    atexit.register(_leave)
    # To look for garbage in what stays, a child would have to copy it.
    gc.disable()
    _import_everything()
    gc.freeze()
    gc.enable()
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
            _bury()
    _bury(wait=True)


def _next(door: socket.socket) -> socket.socket | None:
    from select import select

    ready, _, _ = select([door, sys.stdin], [], [])
    return door.accept()[0] if door in ready else None


def _bury(*, wait: bool = False) -> None:
    """Take note of those that have ended, so that what they cost is counted."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, 0 if wait else os.WNOHANG)[0]:
            pass


def _attend(caller: socket.socket) -> None:
    """Run what is asked for in a child, which ends like any other program, and tell its status."""
    text, handles, _, _ = socket.recv_fds(caller, 1 << 20, 3)
    while not text.endswith(b"\n"):
        text += caller.recv(1 << 20)
    asked = json.loads(text)
    if not (child := os.fork()):
        caller.close()
        _become(asked, handles)
        _run(asked["module"])
        return
    for handle in handles:
        os.close(handle)
    _tell(caller, child)
    _tell(caller, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os._exit(0)


def _tell(caller: socket.socket, number: int) -> None:
    # Whoever asked may have ended since.
    with suppress(BrokenPipeError):
        caller.sendall(f"{number}\n".encode())


def _become(asked: dict[str, object], handles: list[int]) -> None:
    import time
    from io import TextIOWrapper

    assert isinstance(asked["env"], dict)
    assert isinstance(asked["words"], list)
    if asked["session"]:
        os.setsid()
    for number, handle in enumerate(handles):
        os.dup2(handle, number)
        os.close(handle)
    os.chdir(str(asked["cwd"]))
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    sys.argv[1:] = asked["words"]
    # As Python opens them where everything is UTF-8.
    sys.stdin = TextIOWrapper(os.fdopen(0, "rb", closefd=False), "utf-8", "surrogateescape")
    sys.stdout = TextIOWrapper(
        os.fdopen(1, "wb", closefd=False), "utf-8", "surrogateescape", line_buffering=os.isatty(1)
    )
    sys.stderr = TextIOWrapper(
        os.fdopen(2, "wb", closefd=False), "utf-8", "backslashreplace", line_buffering=True
    )


def _run(module: str) -> None:
    try:
        if module == LAMINA:
            from lamina.surfaces.cli.main import main

            sys.exit(main())
        from runpy import run_module

        sys.path.insert(0, os.getcwd())
        run_module(module, run_name="__main__", alter_sys=True)
        _ended.append(0)
    except SystemExit as exit_:
        if isinstance(exit_.code, int | None):
            _ended.append(exit_.code or 0)
        raise


def _leave() -> None:
    """End once everything is said, before Python takes down all that was ever imported.

    That takes longer than most commands, for whatever is touched has to be copied first.
    """
    # What cannot be said is for Python to complain of.
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
        for status in _ended:
            os._exit(status)


def _import_everything() -> None:
    from importlib import import_module
    from pathlib import Path

    import lamina

    package = Path(lamina.__file__).parent
    for file in sorted(package.rglob("*.py")):
        name = ".".join(file.relative_to(package.parent).with_suffix("").parts)
        if not name.startswith(HEAVY) and file.name not in {"__init__.py", "__main__.py"}:
            import_module(name)


def _call(address: str, words: list[str]) -> int:
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(address)
        env = dict(os.environ)
        asked = {"module": LAMINA, "words": words, "cwd": os.getcwd(), "env": env, "session": False}
        socket.send_fds(door, [json.dumps(asked).encode() + b"\n"], [0, 1, 2])
        _, _, status = door.makefile().read().partition("\n")
    number = int(status or WITHOUT_STATUS)
    return number if number >= 0 else 128 - number


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        _serve(sys.argv[2])
    else:
        sys.exit(_call(sys.argv[2], sys.argv[3:]))
