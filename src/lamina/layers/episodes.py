"""Episodes: who tried what, how it went, and what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack, cast

from lamina.core.canonical import MAX_INTEGER, check_text
from lamina.core.options import check_options
from lamina.errors import InvalidInputError
from lamina.layers.analytics import Rate, Span, rates, trend
from lamina.layers.face import Prunable, only

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.results import Hit

_MOST_DAYS: Final = 36_500
_NUMBERS: Final = ("duration_ms", "tokens_in", "tokens_out")


class Course(TypedDict, total=False):
    """What may be said of an attempt."""

    approach: str
    """In what way it was tried."""
    outcome: str
    """How it went."""
    duration_ms: int
    tokens_in: int
    tokens_out: int
    agent: str
    """Who tried it; only an orchestrator or admin may name another than themselves."""


class Episodes(Prunable):
    """The episodes of a project."""

    layer = "episode"

    def record(self, task: str, action: str, what: str = "", **course: Unpack[Course]) -> Receipt:
        """Keep an episode: `attempted`, `completed`, `failed` or `retried`."""
        told_of = dict(course)
        who = only("source", told_of.pop("agent", None), "agent")
        data = {"task": self._task(task), **_checked(told_of)}
        told = check_text(what, "what") or "; ".join(
            str(data[name]) for name in ("approach", "outcome") if name in data
        )
        said: dict[str, Any] = {"kind": self._kind(action, "action"), "data": data, **who}
        return self._put(cast("Draft", {**said, "text": told or f"{task} {action}"}))

    def of_task(self, task: str, *, limit: int = 1_000) -> list[Record]:
        """Everything that was tried for a task, oldest first."""
        return self._find(limit, **only("data.task", task, "task"))[::-1]

    def query(
        self, *, task: str | None = None, agent: str | None = None, action: str | None = None,
        limit: int = 100,
    ) -> list[Record]:  # fmt: skip
        """Episodes of a task, an agent or an action, or of all that is named, newest first."""
        where = only("data.task", task, "task") | only("source", agent, "agent")
        return self._find(limit, **where, **only("kind", action, "action"))

    def similar(self, task: str, *, worked: bool = True, k: int = 5) -> tuple[Hit, ...]:
        """What was tried for tasks like this one: what worked, or everything."""
        where: dict[str, Any] = {"kind": "completed"} if worked else {}
        where["scope"] = self.scope
        return self._door.recall(
            check_text(task, "task"), layers=[self.layer], where=where, k=k
        ).hits

    def rates(self) -> list[Rate]:
        """How often each approach succeeded, and what it cost, over all episodes."""
        return rates(self._every())

    def trend(self, agent: str, *, days: int = 7) -> list[Span]:
        """How an agent did, span after span of so many days."""
        if type(days) is not int or not 1 <= days <= _MOST_DAYS:
            raise InvalidInputError(f"`days` must be from 1 to {_MOST_DAYS:,}, not {days!r:.40}")
        return trend(self._every(**only("source", agent, "agent")), days)


def _checked(course: dict[str, Any]) -> dict[str, Any]:
    check_options(course, Course, "something an episode has")
    for name in course.keys() - set(_NUMBERS):
        check_text(course[name], name)
    for name in _NUMBERS:
        value = course.get(name, 0)
        if type(value) is not int or not 0 <= value <= MAX_INTEGER:
            raise InvalidInputError(f"`{name}` must be a whole number from 0, not {value!r:.40}")
    return course
