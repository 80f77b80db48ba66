"""Tasks: what is to be done, what it waits for, and how far it has come."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

from lamina.core.names import check_name
from lamina.errors import ConflictError, InvalidInputError
from lamina.layers.face import Face

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.record import Record

MANY: Final = 10_000


class Status(StrEnum):
    """How far a task has come."""

    OPEN = "open"
    ACTIVE = "active"
    BLOCKED = "blocked"
    DONE = "done"
    DROPPED = "dropped"


_NEXT: Final = {
    Status.OPEN: (Status.ACTIVE, Status.BLOCKED, Status.DROPPED),
    Status.ACTIVE: (Status.OPEN, Status.BLOCKED, Status.DONE, Status.DROPPED),
    Status.BLOCKED: (Status.OPEN, Status.ACTIVE, Status.DROPPED),
    # What has ended is opened again on purpose before anything else happens to it.
    Status.DONE: (Status.OPEN,),
    Status.DROPPED: (Status.OPEN,),
}
ENDED: Final = (Status.DONE, Status.DROPPED)


class Plan(TypedDict, total=False):
    """What may be said of a task."""

    milestone: str
    priority: int
    acceptance: list[str]
    """What must be true for it to be done."""
    blocked_by: list[str]
    """The tasks that it waits for."""


class Tasks(Face):
    """The tasks of a project."""

    layer = "task"

    def add(self, task: str, description: str, **plan: Unpack[Plan]) -> Receipt:
        """Keep a new task; one that exists already is refused."""
        data = {"status": Status.OPEN.value, **self._checked(task, dict(plan))}
        return self._put({"key": task, "text": description, "data": data, "expect": 0})

    def get(self, task: str) -> Record:
        """A task by its name."""
        return self._required(task)

    def query(
        self, *, status: str | None = None, milestone: str | None = None, limit: int = 100
    ) -> list[Record]:
        """Tasks of a status or a milestone, the most urgent first, then the oldest."""
        where: dict[str, Any] = {} if status is None else {"data.status": _status(status).value}
        where |= {} if milestone is None else {"data.milestone": milestone}
        found = self._find(MANY, **where)
        found.sort(key=lambda one: (-int(one.data.get("priority", 0)), one.created_at, one.id))
        return found[:limit]

    def ready(self, *, limit: int = 100) -> list[Record]:
        """Open tasks that wait for nothing that has not been done."""
        every = self.query(limit=MANY)
        done = {one.key for one in every if one.data.get("status") == Status.DONE}
        waiting = (one for one in every if one.data.get("status") == Status.OPEN)
        free = [one for one in waiting if done.issuperset(one.data.get("blocked_by", ()))]
        return free[:limit]

    def move(self, task: str, status: str, *, note: str = "") -> Receipt:
        """Give a task another status; a step that makes no sense is refused."""
        found, wanted = self._required(task), _status(status)
        current = Status(found.data["status"])
        if wanted not in _NEXT[current]:
            allowed = ", ".join(one.value for one in _NEXT[current])
            raise ConflictError(
                f"the task {task!r:.80} is {current.value} and cannot become {wanted.value}",
                remedy=f"From there it may become: {allowed}",
            )
        self._check_free(found, wanted)
        data = {**found.data, "status": wanted.value} | ({"note": note} if note else {})
        return self._door.edit(found.id, data=data, expect=found.rev)

    def change(self, task: str, description: str | None = None, **plan: Unpack[Plan]) -> Receipt:
        """Say something else of a task; what is not named stays."""
        found = self._required(task)
        data = {**found.data, **self._checked(task, dict(plan))}
        return self._door.edit(found.id, description, data=data, expect=found.rev)

    def _check_free(self, found: Record, wanted: Status) -> None:
        if wanted is not Status.DONE:
            return
        waits = [
            name
            for name in found.data.get("blocked_by", ())
            if (one := self._holder(name)) is not None and one.data["status"] not in ENDED
        ]
        if waits:
            raise ConflictError(
                f"the task {found.key!r:.80} waits for {', '.join(waits[:5])}",
                remedy="End those first, or change `blocked_by`",
            )

    def _checked(self, task: str, plan: dict[str, Any]) -> dict[str, Any]:
        check_name(task, "task")
        unknown = sorted(plan.keys() - Plan.__annotations__.keys())
        if unknown:
            raise InvalidInputError(
                f"`{unknown[0]:.40}` is not something a task has",
                remedy=f"Use one of: {', '.join(Plan.__annotations__)}",
            )
        for name in plan.get("blocked_by", ()):
            if self._waits_for(name, task):
                raise InvalidInputError(
                    f"`blocked_by`: {task!r:.60} and {name!r:.60} would wait for each other"
                )
        return plan

    def _waits_for(self, first: str, second: str) -> bool:
        """Whether a task waits for another, be it through others; unknown tasks are refused."""
        every = {one.key: one.data.get("blocked_by", ()) for one in self._find(MANY)}
        if first not in every:
            raise InvalidInputError(
                f"`blocked_by` names a task that is not known: {first!r:.80}",
                remedy="Add that one first",
            )
        seen, left = set[str](), [first]
        while left:
            name = left.pop()
            if name == second:
                return True
            if name not in seen:
                seen.add(name)
                left += every.get(name, ())
        return False


def _status(status: object) -> Status:
    try:
        return Status(str(status))
    except ValueError:
        raise InvalidInputError(
            f"`status` is not one a task can have: {status!r:.40}",
            remedy=f"Use one of: {', '.join(Status)}",
        ) from None
