"""A worker that is a program: it reads its work as JSON and prints its result."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, Final

from lamina.errors import InvalidInputError
from lamina.orchestration.work import Result

if TYPE_CHECKING:
    from lamina.orchestration.work import Work

_LOOK_AGAIN: Final = 0.02
_MOST_BYTES: Final = 1_048_576
_TAIL: Final = 2_000
_FIELDS: Final = ("outcome", "ok", "transient", "data", "artifacts", "tokens_in", "tokens_out")


class Command:
    """Runs a program for each attempt: `Orchestrator(web, Command("python", "work.py"))`.

    It gets one JSON object on its standard input (task, description, approach, inputs, failures …)
    and prints one with the fields of a `Result`, and `discovered` as a list of `[kind, key, text]`;
    other text is the outcome. A status other than 0 is a failure, and 75 one that may pass.
    """

    def __init__(self, *words: str) -> None:
        if not words or not all(isinstance(word, str) and word for word in words):
            raise InvalidInputError("`words` must be a program and its arguments")
        self._words = words

    def __call__(self, work: Work) -> Result:
        """Run the program; whatever it started ends with it."""
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as said,
            tempfile.TemporaryFile() as complaints,
        ):
            # A file, and no pipe: a program that does not read would hold up who fills it.
            given.write(json.dumps(_told(work)).encode())
            given.seek(0)
            process = subprocess.Popen(
                self._words, stdin=given, stdout=said, stderr=complaints,
                cwd=work.workspace, start_new_session=True,
            )  # fmt: skip
            try:
                why = _wait(process, work, said)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            if why or process.returncode:
                told = why or f"status {process.returncode}: {_tail(complaints)}"
                return Result(told, ok=False, transient=process.returncode == os.EX_TEMPFAIL)
            return _result(work, _text(said))


def _told(work: Work) -> dict[str, Any]:
    return {
        "task": work.task, "description": work.description, "approach": work.approach,
        "attempt": work.attempt, "agent": work.agent, "inputs": work.inputs,
        "scope": work.memory.scope.path, "steps": work.steps,
        "failures": [[one.task, one.approach, one.outcome] for one in work.failures],
    }  # fmt: skip


def _wait(process: subprocess.Popen[bytes], work: Work, said: IO[bytes]) -> str:
    """Wait for its end; says why it has to be ended instead."""
    while process.poll() is None:
        if work.over or not work.seconds_left:
            return f"it took longer than {work.seconds:g} seconds"
        if os.fstat(said.fileno()).st_size > _MOST_BYTES:
            break
        time.sleep(_LOOK_AGAIN)
    if os.fstat(said.fileno()).st_size > _MOST_BYTES:
        return f"it printed more than {_MOST_BYTES:,} bytes"
    return ""


def _result(work: Work, text: str) -> Result:
    try:
        found: Any = json.loads(text)
    except ValueError:
        return Result(text.strip())
    if not isinstance(found, dict):
        return Result(text.strip())
    for one in found.pop("discovered", ()):
        work.discovered(*one)
    unknown = sorted(found.keys() - {*_FIELDS})
    if unknown:
        return Result(f"it printed {unknown[0]!r:.60}, which no result has", ok=False)
    return Result(**{**found, "artifacts": tuple(found.get("artifacts", ()))})


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _tail(file: IO[bytes]) -> str:
    return _text(file)[-_TAIL:].strip()
