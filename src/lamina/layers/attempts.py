"""One attempt at a task: an empty mind to begin with, and an episode however it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from lamina import clock
from lamina.core.canonical import MAX_INTEGER, check_text
from lamina.core.complaints import named
from lamina.core.text.cut import head_of
from lamina.errors import InvalidInputError, LaminaError
from lamina.layers.artifacts import Artifacts
from lamina.layers.episodes import Course, Episodes
from lamina.layers.working import CONTEXT

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from lamina.core.changes import Receipt
    from lamina.core.scope import Scope
    from lamina.layers.face import Door
    from lamina.layers.working import Working

_LONGEST: Final = 2_000
"""How much of an error's text is kept; what matters is at its beginning."""


class Attempt:
    """An attempt that is under way: `with agent.task.attempt("t-1", approach="…") as attempt:`."""

    def __init__(self, door: Door, scope: Scope, task: str, approach: str) -> None:
        self.task = task
        self.approach = approach
        self._door = door
        self._episodes = Episodes(door, scope)
        self._artifacts = Artifacts(door, scope)
        self._outcome = ""
        self._tokens: dict[str, int] = {}
        self._began = 0.0

    @property
    def working(self) -> Working:
        """The agent's working memory: empty when the attempt begins, and when it is over."""
        return self._door.working

    def outcome(self, text: str) -> None:
        """Say how it went, for the episode that is kept at the end."""
        self._outcome = check_text(text, "text")

    def spent(self, *, tokens_in: int = 0, tokens_out: int = 0) -> None:
        """Count tokens; what was spent before is added to."""
        for name, count in (("tokens_in", tokens_in), ("tokens_out", tokens_out)):
            if type(count) is not int or not 0 <= count <= MAX_INTEGER:
                raise InvalidInputError(
                    f"`{name}` must be a whole number from 0, not {count!r:.40}"
                )
            self._tokens[name] = min(self._tokens.get(name, 0) + count, MAX_INTEGER)

    def artifact(
        self,
        path: str,
        *,
        workspace: str | Path = ".",
        kind: str = "file",
        description: str = "",
    ) -> Receipt:
        """Register a file that was produced."""
        return self._artifacts.register(
            path, task=self.task, workspace=workspace, kind=kind, description=description
        )

    def __enter__(self) -> Self:
        again = [one.kind for one in self._episodes.of_task(self.task, limit=1)] == ["failed"]
        self._episodes.record(
            self.task, "retried" if again else "attempted", approach=self.approach
        )
        self.working.clear()
        self.working.set(CONTEXT, {"task": self.task, "approach": self.approach})
        self._began = clock.stopwatch()
        return self

    def __exit__(
        self,
        sort: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.working.clear()
        if error is None:
            self._record("completed", self._outcome)
            return
        try:
            self._record("failed", told(error))
        except LaminaError as second:
            # The first error is what the caller has to hear of.
            error.add_note(f"the failed attempt at {self.task!r} could not be recorded: {second}")

    def _record(self, action: str, outcome: str) -> None:
        course: Course = {
            "approach": self.approach,
            "duration_ms": round((clock.stopwatch() - self._began) * 1_000),
        }
        if outcome:
            course["outcome"] = outcome
        if "tokens_in" in self._tokens:
            course["tokens_in"] = self._tokens["tokens_in"]
            course["tokens_out"] = self._tokens["tokens_out"]
        self._episodes.record(self.task, action, **course)


def told(error: BaseException) -> str:
    """What an error says, in words that can be kept."""
    return head_of(named(error), _LONGEST)
