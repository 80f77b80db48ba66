"""One event of a harness, from standard input to standard output, whatever happens on the way."""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lamina import clock, config
from lamina.stores.sqlite import DATABASE
from lamina.surfaces.hooks.told import HARNESSES, PROMPT, START, TOOL, event_named, read

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.memory import AgentMemory, Memory
    from lamina.surfaces.hooks.told import Told

_MOST_INPUT: Final = 8 << 20
SECONDS: Final = {START: 8.0, PROMPT: 8.0, TOOL: 5.0}
_SECONDS_TO_KEEP: Final = 25.0
_RESERVE: Final = 0.6
"""Which part of the time may be over before the next piece is left for the next event."""


@dataclass(frozen=True, slots=True)
class Call:
    """How the command was called."""

    event: str
    harness: str
    name: str | None = None
    """As whom to act, if not as the harness."""
    directory: str | None = None
    hot: str | None = None
    project: str | None = None
    debug: bool = False


def run(call: Call) -> None:
    """Do what an event asks for; never fail, and never take long."""
    event = event_named(call.event)
    limit = SECONDS.get(event or "", _SECONDS_TO_KEEP)
    watch = threading.Timer(limit, _give_up, [call.debug])
    watch.daemon = True
    try:
        watch.start()
        _answer(call, event, limit)
    except BaseException as error:
        # Not even an interruption: a harness must never be held up by its memory.
        _complain(call, f"{type(error).__name__}: {error!s:.300}")
        if call.debug:
            import traceback

            with suppress(Exception):
                sys.stderr.write(config.without_passwords(traceback.format_exc()))
    finally:
        watch.cancel()


def _answer(call: Call, event: str | None, limit: float) -> None:
    begun = clock.stopwatch()
    if event is None or call.harness not in HARNESSES:
        _complain(call, f"nothing is known of {call.event!r:.40} of {call.harness!r:.40}")
        return
    told = read(event, call.harness, _standard_input(), Path.cwd())
    found = config.load(directory=call.directory, project=call.project, start=told.folder)
    if found.folder is not None and not (found.folder / DATABASE).is_file():
        _complain(call, f"there is no store in {found.folder}")
        return
    from lamina.core.principal import Surface
    from lamina.opening import is_in_database
    from lamina.opening import open as open_memory

    if found.database is not None and not is_in_database(found.database):
        _complain(call, "there is no store in that database")
        return
    # A server has its own.
    hot = None if found.address else config.load_hot(call.hot)
    with open_memory(found.where, hot=hot, surface=Surface.HOOK) as whole:
        agent = _agent(whole, call.name or call.harness, found.project.value)
        text = _done(agent, told, lambda: clock.stopwatch() - begun > limit * _RESERVE)
        # Closing waits for files to be written; a model need not.
        _say(told, text)


def _agent(whole: Memory, name: str, project: str | None) -> AgentMemory:
    """Who acts; the key of an agent opens that agent and nobody else."""
    from lamina.memory import AgentMemory

    return whole if isinstance(whole, AgentMemory) else whole.agent(name, project=project)


def _done(agent: AgentMemory, told: Told, is_late: Callable[[], bool]) -> str:
    """What the event is about; returns what the model is to be shown."""
    from lamina.surfaces.hooks import showing

    if told.event == START:
        return showing.at_start(agent, told.session)
    if told.event == PROMPT:
        return showing.for_prompt(agent, told.session, told.text("prompt"))
    if told.event == TOOL:
        from lamina.surfaces.hooks.tools import log_tool

        log_tool(agent, told)
    elif told.transcript is not None and told.transcript.is_file():
        from lamina.surfaces.hooks.keeping import Keeper

        Keeper(agent, told.session, told.transcript, told.harness).keep(is_late)
    return ""


def _standard_input() -> bytes:
    """What the harness wrote; at a terminal nobody does."""
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read(_MOST_INPUT)


def _say(told: Told, text: str) -> None:
    """Hand a text to the model, in one piece or not at all."""
    if not text:
        return
    shown = {"hookEventName": told.event, "additionalContext": text}
    answer = json.dumps({"hookSpecificOutput": shown}).encode() + b"\n"
    with suppress(OSError, ValueError):
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


def _complain(call: Call, what: str) -> None:
    """Say what went wrong to whoever has asked for it."""
    if call.debug:
        with suppress(Exception):
            sys.stderr.write(f"lamina hook {call.event:.40}: {what}\n")
            sys.stderr.flush()


def _give_up(debug: bool) -> None:
    """End the process at once: what was committed stays, and the rest is for the next event."""
    if debug:
        with suppress(Exception):
            sys.stderr.write("lamina hook: it took too long\n")
            sys.stderr.flush()
    os._exit(0)
