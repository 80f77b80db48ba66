"""What a worker is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from lamina import clock
from lamina.core import canonical
from lamina.core.canonical import MAX_INTEGER
from lamina.core.layers import LAYERS, check_kind_of
from lamina.core.names import check_key, check_kind
from lamina.core.text.cut import head_and_tail
from lamina.errors import BusyError, InvalidInputError
from lamina.layers.attempts import told
from lamina.layers.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lamina.core.changes import Receipt
    from lamina.core.draft import Draft
    from lamina.memory import AgentMemory
    from lamina.orchestration.choosing import Failure

MOST_KEPT: Final = 4_000
"""How many characters of an outcome are kept; what is longer belongs into a file."""


class Transient(Exception):  # noqa: N818 - it says what the error is, to be raised by workers
    """Raised by a worker for what may pass: the same approach is tried again, a few times."""


@dataclass(frozen=True, slots=True)
class Result:
    """How an attempt went."""

    outcome: str = ""
    ok: bool = True
    transient: bool = False
    """Whether the failure says nothing about the approach, and may pass."""
    data: dict[str, Any] = field(default_factory=dict)
    """What the tasks that wait for this one need to know."""
    artifacts: tuple[str, ...] = ()
    """Files in the workspace that were produced."""
    tokens_in: int = 0
    tokens_out: int = 0


class Desk(Protocol):
    """What the orchestrator does for an attempt while it goes on."""

    def discovered(self, work: Work, said: Draft) -> Receipt | None:
        """Write something to the knowledge of the project, unless it waits there already."""

    def step_done(self, work: Work, name: str, value: Any) -> None:
        """Keep that a step was done, and what came of it."""


@dataclass(slots=True, kw_only=True)
class Work:
    """One attempt at a task, as the worker sees it."""

    task: str
    description: str
    approach: str
    attempt: str
    """Names this attempt; its episodes have the same."""
    agent: str
    memory: AgentMemory
    """The store as the acting agent sees it, with an empty working memory."""
    inputs: dict[str, Any]
    """What the task was given, with the `artifacts` and `results` of those it waited for."""
    failures: tuple[Failure, ...] = ()
    """What failed for this task, newest first, then for tasks like it."""
    steps: dict[str, Any] = field(default_factory=dict)
    """Steps that this approach has behind it, also those of an attempt that was interrupted."""
    seconds: float = 0.0
    workspace: Path
    desk: Desk
    began: float = field(default_factory=clock.stopwatch)
    produced: list[Draft] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    over: str = ""
    """Why this attempt does not count any more."""

    @property
    def seconds_left(self) -> float:
        """How long it may still take."""
        return max(0.0, self.began + self.seconds - clock.stopwatch())

    def check(self) -> None:
        """Refuse to go on once the attempt is over: it took too long, or another has taken over."""
        if self.over:
            raise BusyError(
                f"this attempt at {self.task!r} is over: {self.over}",
                remedy="Stop working on it; what it still does is not kept",
            )

    def discovered(
        self, kind: str, key: str, text: str, *, confidence: float = 1.0
    ) -> Receipt | None:
        """Write a convention, a pitfall, a decision … to the project's knowledge at once.

        Where agents disagree with equal confidence, the orchestrator decides; who loses is kept as
        a proposal. Nothing is written for what this agent has proposed before.
        """
        self.check()
        said: Draft = {"kind": kind, "key": check_key(key), "text": text, "confidence": confidence}
        return self.desk.discovered(self, said)

    def artifact(self, path: str, *, kind: str = "file", description: str = "") -> None:
        """Register a file that was produced, as it is now, once the attempt succeeds."""
        self.check()
        self.produced.append(_artifact(self, path, kind, description))

    def spent(self, *, tokens_in: int = 0, tokens_out: int = 0) -> None:
        """Count tokens; what was spent before is added to."""
        self.tokens_in = _sum(self.tokens_in, tokens_in, "tokens_in")
        self.tokens_out = _sum(self.tokens_out, tokens_out, "tokens_out")

    def step_done(self, name: str, value: Any = None) -> None:
        """Keep that a step was done, so that another attempt at this approach can leave it out."""
        self.check()
        kept = canonical.check(value, "value")
        self.desk.step_done(self, check_key(name, "name"), kept)
        self.steps[name] = kept

    def once(self, name: str, do: Callable[[], Any]) -> Any:
        """Do a step unless it is done, and return what came of it then or now.

        A process that dies between the two leaves the step undone: what it does outside should
        bear to be done again, or be named outside by `effect(name)`.
        """
        if name not in self.steps:
            self.step_done(name, do())
        return self.steps[name]

    def effect(self, name: str) -> str:
        """A name that a step has in every attempt at this approach, for services that ask once."""
        return f"{self.memory.scope}/task/{self.task}/{self.approach}/{name}"


def judged(work: Work, said: object) -> Result:
    """What a worker returned or raised, as a result with everything that it produced."""
    if isinstance(said, BaseException):
        passes = isinstance(said, Transient) or getattr(said, "retryable", False) is True
        return Result(told(said), ok=False, transient=passes)
    result = Result(said) if isinstance(said, str) else said
    if not isinstance(result, Result):
        return Result(f"the worker returned {type(said).__name__}, no Result or text", ok=False)
    try:
        work.spent(tokens_in=result.tokens_in, tokens_out=result.tokens_out)
        data = canonical.check(result.data, "data")
        if not isinstance(data, dict) or not isinstance(result.outcome, str):
            return Result("the worker returned a Result with wrong fields", ok=False)
        if result.ok:
            work.produced += [_artifact(work, path, "file", "") for path in result.artifacts]
    except (InvalidInputError, LookupError, TypeError) as error:
        return Result(f"what the worker returned cannot be kept: {told(error)}", ok=False)
    return Result(bounded(result.outcome), bool(result.ok), bool(result.transient), data)


def bounded(text: str) -> str:
    """A text that can be kept, with its beginning and its end if it is too long."""
    return canonical.keepable(head_and_tail(text, MOST_KEPT))


def _artifact(work: Work, path: str, kind: str, description: str) -> Draft:
    found = Workspace(work.workspace).measure(path)
    data = {"task": work.task, "size": found.size, "sha256": found.sha256}
    return {
        "layer": "artifact", "kind": check_kind_of(LAYERS["artifact"], check_kind(kind)),
        "key": found.path, "data": data,
        "text": canonical.check_text(description, "description") or found.path,
    }  # fmt: skip


def _sum(before: int, more: object, name: str) -> int:
    if type(more) is not int or not 0 <= more <= MAX_INTEGER:
        raise InvalidInputError(f"`{name}` must be a whole number from 0, not {more!r:.40}")
    return min(before + more, MAX_INTEGER)
