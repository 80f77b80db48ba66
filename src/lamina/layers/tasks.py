"""Tasks: what is to be done, what it waits for, and how far it has come."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

from lamina.core.canonical import MAX_INTEGER, check_text
from lamina.core.instants import to_text
from lamina.core.names import check_name
from lamina.core.options import check_options
from lamina.core.record import State
from lamina.core.scope import Scope
from lamina.errors import ConflictError, InvalidInputError, NotFoundError
from lamina.layers.ending import Fate, check_fate, put_aside, taken_up
from lamina.layers.face import Face, only
from lamina.reading import check_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lamina.core.changes import Change, Receipt
    from lamina.core.record import Record
    from lamina.layers.attempts import Attempt


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
GOING_ON: Final = (Status.OPEN, Status.ACTIVE, Status.BLOCKED)
_LISTS: Final = frozenset(("acceptance", "blocked_by"))
_ARCHIVED: Final = {"state": State.ARCHIVED.value}


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
        check_text(description, "description")
        if self._archived(task) is not None:
            raise ConflictError(
                f"there was a task {task!r:.80}, which is archived",
                remedy="Give the new one another name",
            )
        try:
            return self._put({"key": task, "text": description, "data": data, "expect": 0})
        except ConflictError:
            raise ConflictError(
                f"there is a task {task!r:.80} already",
                remedy="Give the new one another name, or change that one",
            ) from None

    def get(self, task: str) -> Record:
        """A task by its name, be it archived."""
        return self._holder(task, "task") or self._archived(task) or self._required(task, "task")

    def query(
        self,
        *,
        status: str | None = None,
        milestone: str | None = None,
        archived: bool = False,
        limit: int = 100,
    ) -> list[Record]:
        """Tasks of a status or a milestone, or archived ones; most urgent first, then oldest."""
        where = {} if status is None else {"data.status": check_status(status).value}
        where |= only("data.milestone", milestone, "milestone") | (_ARCHIVED if archived else {})
        return self._urgent(where)[: check_limit(limit)]

    def ready(self, *, limit: int = 100) -> list[Record]:
        """Open tasks that wait for nothing that has not been done."""
        done = {one.key for one in self._known() if one.data.get("status") == Status.DONE}
        waiting = self._urgent({"data.status": Status.OPEN.value})
        return [one for one in waiting if done.issuperset(awaited(one))][: check_limit(limit)]

    def move(
        self, task: str, status: str, *, note: str = "", notebook: str = Fate.ARCHIVE,
        expect: int | None = None,
    ) -> Receipt:  # fmt: skip
        """Give a task another status; a step that makes no sense is refused.

        With `expect`, so is one that was decided on when the task had another revision.

        With the end of a task its notes are put aside, in the same commit: those marked with
        `promote` become project knowledge, then all are archived, or as `notebook` says `discard`
        or `keep`. An agent speaks for its own notes, an orchestrator for those of all agents.
        Opening a task again brings back what was archived.
        """
        found, wanted, fate = self._task(task), check_status(status), check_fate(notebook)
        check_text(note, "note")
        check_unchanged(found, expect)
        current = status_of(found)
        if wanted not in _NEXT[current]:
            allowed = ", ".join(one.value for one in _NEXT[current])
            raise ConflictError(
                f"the task {task!r:.80} is {current.value} and cannot become {wanted.value}",
                remedy=f"From there it may become: {allowed}",
            )
        self._check_free(found, wanted)
        path = self._path
        changes: list[Change] = [
            path.edit(found, {"data": self._told(found, wanted, note)}, found.rev)
        ]
        if wanted in ENDED:
            changes += put_aside(self._door, path, self.scope, [task], fate)
        elif current in ENDED:
            changes += taken_up(self._door, path, self.scope, task)
        return path.commit(changes)

    def tidy(self) -> Receipt | None:
        """Archive notes that are still about on tasks which have ended; nothing if there are none.

        For notes that were out of reach of whoever ended the task, or written after it.
        """
        ended = {str(one.key) for one in self._known() if status_of(one) in ENDED}
        path = self._path
        changes = put_aside(self._door, path, self.scope, ended, Fate.ARCHIVE)
        return path.commit(changes) if changes else None

    def archive(self, milestone: str) -> Receipt:
        """Put the tasks of a milestone aside, once every one of them has ended."""
        found = self._every(**only("data.milestone", milestone or "", "milestone"))
        if not found:
            raise NotFoundError(f"no task belongs to the milestone {milestone!r:.80}")
        going_on = [str(one.key) for one in found if status_of(one) not in ENDED]
        if going_on:
            raise ConflictError(
                f"the milestone {milestone!r:.80} is not over: {', '.join(going_on[:5])}",
                remedy="End these tasks first, or give them another milestone",
            )
        path = self._path
        return path.commit([path.move(one, State.ARCHIVED) for one in found])

    def attempt(self, task: str, *, approach: str) -> Attempt:
        """An attempt at a task, for `with`: it keeps what was tried, how it ended and its cost."""
        from lamina.layers.attempts import Attempt

        check_text(approach, "approach")
        if status_of(self._task(task)) in ENDED:
            raise ConflictError(
                f"the task {task!r:.80} has ended", remedy="Open it again: move(task, 'open')"
            )
        return Attempt(self._door, Scope.of(self.scope), task, approach)

    def change(self, task: str, description: str | None = None, **plan: Unpack[Plan]) -> Receipt:
        """Say something else of a task; what is not named stays."""
        found = self._task(task)
        if description is not None:
            check_text(description, "description")
        data = {**found.data, **self._checked(task, dict(plan))}
        return self._door.edit(found.id, description, data=data, expect=found.rev)

    def _told(self, task: Record, wanted: Status, note: str) -> dict[str, Any]:
        """What is said of a task that gets another status."""
        data = {name: value for name, value in task.data.items() if name != "completed"}
        data |= {"status": wanted.value} | ({"note": note} if note else {})
        return data | ({"completed": to_text(self._now())} if wanted is Status.DONE else {})

    def _task(self, task: str) -> Record:
        return self._required(task, "task")

    def _urgent(self, where: dict[str, Any]) -> list[Record]:
        """The most urgent tasks first, then the oldest."""
        found = self._every(**where)
        return sorted(found, key=lambda one: (-_urgency(one), one.created_at, one.id))

    def _archived(self, task: str) -> Record | None:
        return self._holder(task, **_ARCHIVED)

    def _known(self) -> list[Record]:
        """Every task, those with a milestone behind them included: others may wait for them."""
        return [*self._every(), *self._every(**_ARCHIVED)]

    def _check_free(self, found: Record, wanted: Status) -> None:
        if wanted is not Status.DONE:
            return
        waits = [
            name
            for name in awaited(found)
            if (one := self._holder(name)) is not None and status_of(one) not in ENDED
        ]
        if waits:
            raise ConflictError(
                f"the task {found.key!r:.80} waits for {', '.join(waits[:5])}",
                remedy="End those first, or change `blocked_by`",
            )

    def _checked(self, task: str, plan: dict[str, Any]) -> dict[str, Any]:
        check_name(task, "task")
        check_options(plan, Plan, "something a task has")
        check_plan(plan)
        for name in plan.get("blocked_by", ()):
            if self._waits_for(name, task):
                raise InvalidInputError(
                    f"`blocked_by`: {task!r:.60} and {name!r:.60} would wait for each other"
                )
        return plan

    def _waits_for(self, first: str, second: str) -> bool:
        """Whether a task waits for another, be it through others; unknown tasks are refused."""
        every = {one.key: awaited(one) for one in self._known()}
        if first not in every:
            raise InvalidInputError(
                f"`blocked_by` names a task that is not known: {first!r:.80}",
                remedy="Add that one first",
            )
        return waits_for(first, second, lambda name: every.get(name, ()))


def check_unchanged(task: Record, expect: int | None) -> None:
    """Refuse what was decided on when a task had another revision."""
    if expect is not None and type(expect) is not int:
        raise InvalidInputError(f"`expect` must be a whole number, not {expect!r:.40}")
    if expect in (None, task.rev):
        return
    raise ConflictError(
        f"the task {task.key!r:.80} has changed: it is {status_of(task).value} now,"
        f" at revision {task.rev}",
        remedy="Look at it again, and decide whether that still holds",
    )


def waits_for(first: str, second: str, blocked_by: Callable[[str], Iterable[str]]) -> bool:
    """Whether a task waits for another, be it through others."""
    seen, left = set[str](), [first]
    while left:
        name = left.pop()
        if name == second:
            return True
        if name not in seen:
            seen.add(name)
            left += blocked_by(name)
    return False


def check_plan(plan: Mapping[str, Any]) -> None:
    """Refuse what a task cannot be told."""
    if "milestone" in plan:
        check_text(plan["milestone"], "milestone")
    if "priority" in plan and (
        type(plan["priority"]) is not int or abs(plan["priority"]) > MAX_INTEGER
    ):
        raise InvalidInputError(f"`priority` must be a whole number, not {plan['priority']!r:.40}")
    for name in _LISTS & plan.keys():
        if not isinstance(plan[name], list | tuple):
            raise InvalidInputError(f"`{name}` must be a list of texts, not {plan[name]!r:.40}")
        for one in plan[name]:
            check_text(one, name)


def awaited(task: Record) -> list[str]:
    """The tasks that one waits for; what was written past this face may be anything."""
    said = task.data.get("blocked_by")
    return [one for one in said if isinstance(one, str)] if isinstance(said, list) else []


def _urgency(task: Record) -> int:
    said = task.data.get("priority")
    return said if type(said) is int else 0


def status_of(task: Record) -> Status:
    """How far a task has come; what says nothing that is known, as a file may, is open."""
    try:
        return Status(str(task.data.get("status")))
    except ValueError:
        return Status.OPEN


def check_status(status: object) -> Status:
    """Return the status of that name, or list those there are."""
    try:
        return Status(str(status))
    except ValueError:
        raise InvalidInputError(
            f"`status` is not one a task can have: {status!r:.40}",
            remedy=f"Use one of: {', '.join(Status)}",
        ) from None
