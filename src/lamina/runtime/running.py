"""Running a tool for a limited time, in a thread or in a process of its own.

A thread cannot be ended from outside. One that takes too long is abandoned: it goes on behind the
agent's back until it returns or the process ends, and what it returns then is dropped, with a word
to whoever wants to know. A process is ended.
"""

from __future__ import annotations

import contextvars
import inspect
import sys
import threading
from dataclasses import dataclass
from functools import reduce
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from lamina.core.complaints import trace
from lamina.errors import InvalidInputError
from lamina.runtime.rendering import as_text, reason
from lamina.signatures import Skill

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.connection import Connection

_PATIENCE: Final = 5.0
"""How long a process that was ended may take to be gone."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How it ended: with text, or with what went wrong."""

    text: str = ""
    error: str = ""
    trace: str = ""


def in_thread(
    skill: Skill,
    arguments: Mapping[str, Any],
    seconds: float,
    on_late: Callable[[Ran, float], None],
) -> Ran | threading.Thread:
    """Run it in a thread, which is the answer when the time is over; `on_late` hears of its end."""
    run = _Run(on_late)
    context = contextvars.copy_context()
    # Daemons do not keep the process from ending.
    thread = threading.Thread(
        target=lambda: run.end(context.run(ended, skill, arguments)),
        name=f"tool {skill.name}", daemon=True,
    )  # fmt: skip
    thread.start()
    return run.wait(seconds) or thread


class _Run:
    """What a thread and the one who waits for it agree upon: an end in time, or none at all."""

    def __init__(self, on_late: Callable[[Ran, float], None]) -> None:
        self._changed = threading.Condition()
        self._ran: Ran | None = None
        self._is_abandoned = False
        self._on_late = on_late
        self._started = perf_counter()

    def wait(self, seconds: float) -> Ran | None:
        with self._changed:
            try:
                self._changed.wait_for(lambda: self._ran is not None, seconds)
            finally:
                self._is_abandoned = self._ran is None
            return self._ran

    def end(self, ran: Ran) -> None:
        with self._changed:
            self._ran = None if self._is_abandoned else ran
            self._changed.notify_all()
        if self._is_abandoned:
            self._on_late(ran, perf_counter() - self._started)


def ended(skill: Skill, arguments: Mapping[str, Any]) -> Ran:
    """Run it here, to whatever end."""
    try:
        result = skill.execute(**arguments)
        if inspect.iscoroutine(result):
            import asyncio

            result = asyncio.run(result)
        # Its own code may show it, so that belongs to the run.
        return Ran(text=as_text(result))
    except InvalidInputError as error:
        return Ran(error=reason(error))
    except BaseException as error:  # a tool may raise SystemExit; it ends the tool and nothing else
        return Ran(error=reason(error), trace=trace(error))


def in_process(skill: Skill, arguments: Mapping[str, Any], seconds: float) -> Ran | None:
    """Run it in a process of its own; nothing when the time is over, and the process is ended."""
    import multiprocessing

    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe(duplex=False)
    process = spawning.Process(
        target=_child, args=(*address(skill), dict(arguments), theirs), daemon=True
    )
    try:
        process.start()
        theirs.close()
        if not ours.poll(seconds):
            return None
        return Ran(*ours.recv())
    except EOFError:
        process.join(_PATIENCE)
        return Ran(error=f"its process ended with status {process.exitcode} and said nothing")
    finally:
        ours.close()
        if process.pid is not None:
            process.kill()
            process.join(_PATIENCE)


def address(skill: Skill) -> tuple[str, str]:
    """Where another process finds the function of a tool.

    Raises:
        InvalidInputError: It cannot be found by name, because another function made it.
    """
    function = skill.execute
    module, path = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    try:
        _found(module, path)
    except (AttributeError, KeyError):
        raise InvalidInputError(
            f"`{skill.name}` cannot run apart: another process does not find its function",
            remedy="Make it a function of a module, outside of any other function",
        ) from None
    return module, path


def _found(module: str, path: str) -> Any:
    return reduce(getattr, path.split("."), sys.modules[module])


def _child(module: str, path: str, arguments: dict[str, Any], answer: Connection) -> None:
    """What the process does."""
    __import__(module)
    found = _found(module, path)
    execute = found.execute if isinstance(found, Skill) else found
    ran = ended(Skill(path, "", {}, execute), arguments)
    answer.send((ran.text, ran.error, ran.trace))
    answer.close()
