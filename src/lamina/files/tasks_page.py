"""`tasks.json`: the tasks of a project, one object for each."""

from __future__ import annotations

import json
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final, cast

from lamina import clock
from lamina.core import canonical
from lamina.core.instants import to_text
from lamina.core.names import to_name
from lamina.errors import ConflictError, InvalidInputError
from lamina.files.page import Entry, Frame, Page
from lamina.layers.tasks import ENDED, Status, check_status, waits_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.files.merging import IsTaken

_SHOWN: Final = {
    "milestone": "milestone", "priority": "priority", "status": "status",
    "acceptance": "acceptance_criteria", "completed": "completed", "blocked_by": "blocked_by",
}  # fmt: skip
"""Fields of the record's data, and what the file calls them."""
_OURS: Final = ("created", "completed")
"""What is told and not taken back: times are the engine's to set."""
_ORDER: Final = (
    "id", "milestone", "priority", "status", "description", "acceptance_criteria", "created",
    "completed", "blocked_by",
)  # fmt: skip
_NOTHING: Final[dict[str, Any]] = {
    "milestone": None, "priority": 0, "status": Status.OPEN.value, "acceptance_criteria": [],
    "blocked_by": [],
}  # fmt: skip
"""What a task says that says nothing."""

_ALIASES: Final = {
    "pending": "open", "todo": "open", "in_progress": "active", "completed": "done",
    "cancelled": "dropped", "canceled": "dropped",
}  # fmt: skip
"""What others call it."""


class TasksPage:
    """How tasks are written down and read again."""

    file = "tasks.json"
    by_id = False
    layer = "task"
    form = "tasks"

    def shows(self, record: Record) -> bool:
        """Whether the record has a place in this file: a key that is no name would change there."""
        return record.key is not None and to_name(record.key, "") == record.key

    def name(self, record: Record) -> str:
        """What the task is called."""
        return str(record.key)

    def said(self, record: Record) -> dict[str, Any]:
        """What the file says of a task, less what nobody may change there."""
        shown = {_SHOWN.get(name, name): value for name, value in record.data.items()}
        return _said({**shown, "description": record.text})

    def arranged(self, records: Sequence[Record], frame: Frame) -> list[Record]:
        """The tasks in the order in which the file has them: the most urgent first."""
        places = {name: n for n, name in enumerate(frame.order)}

        def place(record: Record) -> tuple[Any, ...]:
            urgent = record.data.get("priority", 0)
            weight = -urgent if isinstance(urgent, int | float) else 0
            return places.get(str(record.key), len(places)), weight, record.created_at, record.id

        return sorted(records, key=place)

    def render(
        self, records: Sequence[Record], frame: Frame, head: Mapping[str, str], hidden: int
    ) -> str:
        """The file."""
        tasks = [self._task(record) for record in records]
        document = {**head, "tasks": tasks}
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"

    def parse(self, text: str) -> Page:
        """Read a file that a person may have edited."""
        try:
            found = json.loads(text.removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            return Page(problems=(f"it is not JSON: {error!s:.120}",))
        tasks = found.get("tasks") if isinstance(found, dict) else found
        if not isinstance(tasks, list):
            return Page(problems=("it has no list of `tasks`",))
        entries, problems = [], []
        for number, task in enumerate(tasks, start=1):
            if not isinstance(task, dict) or not isinstance(task.get("description"), str):
                problems.append(f"task {number} is no object with a `description`")
            elif not _is_sayable(task):
                problems.append(f"task {number} holds what no JSON can say")
            else:
                entries.append(_entry(task))
        revision = found.get("revision") if isinstance(found, dict) else None
        order = tuple(entry.name for entry in entries if entry.name)
        frame = Frame(order=order)
        return Page(
            tuple(entries), frame, revision if isinstance(revision, str) else None, tuple(problems)
        )

    def draft(self, name: str | None, said: Mapping[str, Any], kinds: frozenset[str]) -> Draft:
        """A new task of what an entry says."""
        task = {"layer": self.layer, "kind": "task", "key": name, **self._fields(said)}
        return cast("Draft", task)

    def free(
        self, name: str | None, said: dict[str, Any], is_taken: IsTaken
    ) -> tuple[str | None, dict[str, Any]]:
        """A new task; one that nobody named is called after its description."""
        if name:
            return name, said
        start = to_name("-".join(str(said["description"]).split()[:5])[:40], "task")
        names = chain((start,), (f"{start}-{n}" for n in count(2)))
        return next(one for one in names if not is_taken(one, said)), said

    def check(
        self, name: str | None, said: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Refuse a status that there is not, and tasks that wait for none or for each other."""
        status = check_status(said["status"])
        waits = said["blocked_by"]
        if not isinstance(waits, list) or not all(isinstance(one, str) for one in waits):
            raise InvalidInputError("`blocked_by` must be a list of tasks")
        if not isinstance(said["priority"], int) or isinstance(said["priority"], bool):
            raise InvalidInputError("`priority` must be a whole number")

        def blocked_by(task: str) -> list[str]:
            found = others.get(task, {}).get("blocked_by")
            return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []

        for one in waits:
            if one not in others:
                raise InvalidInputError(f"`blocked_by` names a task that is not known: {one!r:.80}")
            if one == name or (name and waits_for(one, name, blocked_by)):
                raise InvalidInputError(f"{name!r:.60} and {one!r:.60} would wait for each other")
        if status is Status.DONE:
            open_ones = [one for one in waits if check_status(others[one]["status"]) not in ENDED]
            if open_ones:
                raise ConflictError(f"the task {name!r:.60} waits for {', '.join(open_ones[:5])}")

    def change(
        self, record: Record, said: Mapping[str, Any], kinds: frozenset[str]
    ) -> dict[str, Any] | None:
        """The fields that an edited task changes."""
        if said == self.said(record):
            return {}
        fields = self._fields(said)
        done = said["status"] == Status.DONE
        ended = record.data.get("completed") or to_text(clock.now())
        return {**fields, "data": {**fields["data"], **({"completed": ended} if done else {})}}

    def _task(self, record: Record) -> dict[str, Any]:
        told = {
            "id": record.key, **self.said(record),
            "created": to_text(record.created_at), "completed": record.data.get("completed"),
        }  # fmt: skip
        named = {name: told.pop(name) for name in _ORDER}
        return {**named, **canonical.ordered(told)}

    def _fields(self, said: Mapping[str, Any]) -> dict[str, Any]:
        names = {shown: name for name, shown in _SHOWN.items()}
        data = {
            names.get(name, name): value
            for name, value in said.items()
            if name != "description" and value != _NOTHING.get(name, "")
        }
        return {"text": said["description"], "data": {"status": Status.OPEN.value, **data}}


def _is_sayable(task: dict[str, Any]) -> bool:
    """Whether others could read it again: no endless number, no half of a character."""
    try:
        canonical.dumps(task).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _said(task: Mapping[str, Any]) -> dict[str, Any]:
    """What a task says in a form that can be compared, whoever wrote it."""
    said = {**_NOTHING, **{name: task[name] for name in task if name not in ("id", *_OURS)}}
    status = str(said["status"]).lower()
    said["status"] = _ALIASES.get(status, status)
    waits = said["blocked_by"]
    if isinstance(waits, list):
        said["blocked_by"] = [to_name(one, one) if isinstance(one, str) else one for one in waits]
    return said


def _entry(task: dict[str, Any]) -> Entry:
    """A task as the file has it; ids from elsewhere, as `TASK-001`, become names of ours."""
    name = task.get("id")
    is_named = isinstance(name, str) and name.strip()
    return Entry(to_name(str(name), "task") if is_named else None, _said(task))
