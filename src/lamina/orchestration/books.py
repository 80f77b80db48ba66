"""What an orchestrator writes down: each step of a task is one commit, or did not happen.

While an attempt goes on, its task says so in `data.attempt`. That, the status and the episodes
change together and only from the revision that was read, so an attempt has one beginning and one
end, whoever dies when.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina.core.instants import to_text
from lamina.core.names import to_name
from lamina.core.record import State
from lamina.core.scope import Scope
from lamina.errors import ConflictError, InvalidInputError
from lamina.layers.ending import Fate, put_aside
from lamina.layers.face import Face, every
from lamina.layers.tasks import Status, awaited, status_of
from lamina.orchestration.choosing import BEGUN, COMPLETED, detours_of, round_of
from lamina.orchestration.graph import WORKER
from lamina.orchestration.work import bounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lamina.core.changes import Change
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.feed import Feed
    from lamina.orchestration.graph import Graph, Planned

_TRIES: Final = 50
"""How often a commit is tried anew when somebody else changes the same task."""
_MOST_ARTIFACTS: Final = 1_000
_SHOWN: Final = 200
"""How many characters of a description go into the inputs of a task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """An attempt that is under way."""

    task: str
    attempt: str
    approach: str
    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How an attempt ends."""

    kind: str
    """The episode: `completed`, `failed` or `retried`."""
    outcome: str = ""
    course: dict[str, Any] = field(default_factory=dict)
    """What else its episode tells: its cost, and why it says nothing."""
    artifacts: Sequence[Draft] = ()
    data: dict[str, Any] = field(default_factory=dict)


class Books(Face):
    """The tasks of a project, as the orchestrator keeps them."""

    layer = "task"

    def known(self) -> dict[str, Record]:
        """Every task by its name, archived ones included: others may wait for them."""
        here = {"layer": self.layer, "scope": self.scope}
        archived = every(self._door, {**here, "state": State.ARCHIVED.value})
        found = [*archived, *every(self._door, here)]
        return {str(one.key): one for one in found}

    def changes(self) -> Feed:
        """What happens in the project from now on."""
        return self._door.changes(self._door.cursor(), scope=self.scope)

    def task(self, name: str) -> Record | None:
        """A task as it is now."""
        return self._holder(name, "task")

    def write(self, graph: Graph) -> list[str]:
        """Write a graph in one commit; says which tasks are new. Those that are there stay."""
        for _ in range(_TRIES):
            known = self.known()
            fresh = _fresh(graph, known)
            if not fresh:
                return []
            try:
                self._put(*(_draft(one) for one in fresh))
            except ConflictError:
                # Somebody else may be writing the same graph.
                continue
            return [one.name for one in fresh]
        raise ConflictError("`graph` changes faster than it can be written")

    def put_before(self, task: Record, graph: Graph) -> list[str]:
        """Write new tasks, and let this one wait for them, in one commit."""
        known = self.known()
        fresh = _fresh(graph, known, before=str(task.key))
        waits = [*dict.fromkeys((*awaited(task), *(one.name for one in graph.tasks)))]
        path, more = self._path, {"detours": detours_of(task) + 1}
        drafts: list[Draft] = [
            {**_draft(one, more), "layer": self.layer, "scope": self.scope} for one in fresh
        ]
        edit = path.edit(task, {"data": {**task.data, "blocked_by": waits, **more}}, task.rev)
        path.commit([*path.puts(drafts, Scope.of(self.scope)), edit])
        return [one.name for one in fresh]

    def begin(self, task: Record, begun: Begun, inputs: dict[str, Any]) -> bool:
        """Begin an attempt, unless the task has changed since it was read."""
        going_on = {"id": begun.attempt, "approach": begun.approach, "agent": begun.agent}
        data = {**task.data, "status": Status.ACTIVE.value, "attempt": going_on, "inputs": inputs}
        if steps_of(task, begun.approach) is None:
            data.pop("steps", None)
        try:
            path = self._path
            path.commit(
                [path.edit(task, {"data": data}, task.rev), *self._episode(task, begun, BEGUN, {})]
            )
        except ConflictError:
            return False
        return True

    def end(self, begun: Begun, end: End, *, is_held: bool = False) -> bool:
        """End an attempt: episode, status, artifacts and notes in one commit.

        Says whether it was still this attempt's to end. Who holds the lease ends also one that
        somebody has edited out of its task.
        """
        for _ in range(_TRIES):
            task = self.task(begun.task)
            if task is None or not _goes_on(task, begun, is_held=is_held):
                return False
            try:
                self._path.commit(self._ending(task, begun, end))
            except ConflictError:
                # Somebody has changed the task or a note on it, which is no reason to lose this.
                continue
            return True
        raise ConflictError(f"the task {begun.task!r} changes faster than it can be ended")

    def _ending(self, task: Record, begun: Begun, end: End) -> list[Change]:
        path, scope = self._path, Scope.of(self.scope)
        data = {name: value for name, value in task.data.items() if name != "attempt"}
        # A worker may have said itself that its task is done.
        is_done = end.kind == COMPLETED and status_of(task) in (Status.ACTIVE, Status.DONE)
        if is_done:
            result = {"outcome": end.outcome, "approach": begun.approach, "data": end.data}
            data = {"completed": to_text(self._now()), **data}
            data |= {"status": Status.DONE.value, "result": result}
        elif status_of(task) is Status.ACTIVE:
            data["status"] = Status.OPEN.value
        # What somebody decided about the task meanwhile stands, and the episode is kept as well.
        changes: list[Change] = [path.edit(task, {"data": data}, task.rev)]
        told = {**({"outcome": end.outcome} if end.outcome else {}), **end.course}
        changes += self._episode(task, begun, end.kind, told)
        produced: list[Draft] = [
            {**one, "scope": self.scope, "source": begun.agent} for one in end.artifacts
        ]
        changes += path.puts(produced, scope)
        if is_done:
            changes += put_aside(self._door, path, self.scope, [begun.task], Fate.ARCHIVE)
        return changes

    def _episode(
        self, task: Record, begun: Begun, kind: str, told: Mapping[str, Any]
    ) -> Sequence[Change]:
        said = {"task": begun.task, "approach": begun.approach, "attempt": begun.attempt, **told}
        if round_of(task):
            said["round"] = round_of(task)
        # With the words of the task, so that those who do something similar find it.
        text = "; ".join(filter(None, (task.text[:500], begun.approach, told.get("outcome", ""))))
        draft: Draft = {
            "layer": "episode", "scope": self.scope, "kind": kind, "text": text, "data": said,
            "source": begun.agent,
        }  # fmt: skip
        return self._path.puts([draft], Scope.of(self.scope))

    def drop(self, task: Record, reason: str) -> bool:
        """Give a task up; what was tried until now is forgiven once somebody opens it again."""
        said = {"status": Status.DROPPED.value, "note": bounded(reason)}
        data = {**task.data, **said, "round": round_of(task) + 1, "detours": 0}
        path = self._path
        try:
            path.commit(
                [path.edit(task, {"data": data}, task.rev),
                 *put_aside(self._door, path, self.scope, [str(task.key)], Fate.ARCHIVE)]
            )  # fmt: skip
        except ConflictError:
            return False
        return True

    def settle(self, known: Mapping[str, Record]) -> list[Record]:
        """Block what waits for something that was dropped, and free what no longer does."""
        hopeless = _hopeless(known)
        moved: list[tuple[Record, dict[str, Any]]] = []
        for name, task in known.items():
            status, cause = status_of(task), task.data.get("blocked_for")
            if status is Status.OPEN and name in hopeless and is_run(task):
                root, why = hopeless[name]
                said = {"status": Status.BLOCKED.value, "blocked_for": root, "note": why}
                moved.append((task, {**task.data, **said}))
            elif status is Status.BLOCKED and cause is not None and name not in hopeless:
                kept = {
                    one: task.data[one] for one in task.data if one not in ("blocked_for", "note")
                }
                moved.append((task, {**kept, "status": Status.OPEN.value}))
        path = self._path
        if moved:
            path.commit([path.edit(task, {"data": data}, task.rev) for task, data in moved])
        return [task for task, _ in moved]

    def step_done(self, begun: Begun, name: str, value: Any) -> bool:
        """Keep that a step of an approach was done; says whether the attempt still goes on."""
        for _ in range(_TRIES):
            task = self.task(begun.task)
            if task is None or attempt_of(task) != begun.attempt:
                return False
            before = steps_of(task, begun.approach) or {}
            steps = {"approach": begun.approach, "done": {**before, name: value}}
            try:
                self._door.edit(task.id, data={**task.data, "steps": steps}, expect=task.rev)
            except ConflictError:
                continue
            return True
        return False

    def inputs(self, task: Record) -> dict[str, Any]:
        """What a task was given, with references to the artifacts of those it waited for."""
        said = task.data.get("inputs")
        given = said if isinstance(said, dict) else {}
        names = awaited(task)
        where = {"layer": "artifact", "scope": self.scope, "data.task": {"$in": names}}
        found = self._door.query(where, limit=_MOST_ARTIFACTS) if names else []
        return {**given, "artifacts": [_reference(one) for one in reversed(found)]}


def _reference(artifact: Record) -> dict[str, Any]:
    told = {"id": artifact.id, "path": artifact.key, "kind": artifact.kind}
    told["text"] = artifact.text[:_SHOWN]
    return told | {name: artifact.data.get(name) for name in ("task", "size", "sha256")}


def _fresh(graph: Graph, known: Mapping[str, Record], before: str = "") -> list[Planned]:
    """The tasks of a graph that are not there yet, once all of it was checked."""
    waits: dict[str, Iterable[str]] = {name: awaited(one) for name, one in known.items()}
    if before:
        waits[before] = [*waits.get(before, ()), *(one.name for one in graph.tasks)]
    graph.check(waits)
    there = [one for one in graph.tasks if one.name in known]
    others = [one.name for one in there if known[one.name].text != one.text]
    if others:
        raise InvalidInputError(
            f"`graph` names tasks that are there already and say something else: "
            f"{', '.join(others[:10])}",
            remedy="Nothing was written; give the new ones other names",
        )
    return [one for one in graph.tasks if one.name not in known]


def _draft(planned: Planned, more: Mapping[str, Any] | None = None) -> Draft:
    waits = {"blocked_by": [*planned.after]} if planned.after else {}
    return {
        "key": planned.name,
        "text": planned.text,
        "data": {**planned.data, **waits, **(more or {})},
        "expect": 0,
    }


def _hopeless(known: Mapping[str, Record]) -> dict[str, tuple[str, str]]:
    """The tasks that wait, be it through others, for one that was dropped or is gone; with why."""
    waiting: dict[str, list[str]] = {}
    for name, task in known.items():
        for one in awaited(task):
            waiting.setdefault(one, []).append(name)
    roots = {one: f"waits for {one}, which is not there" for one in waiting if one not in known}
    for name, task in known.items():
        if status_of(task) is Status.DROPPED:
            why = str(task.data.get("note") or "no reason was given")
            roots[name] = f"waits for {name}, which was dropped: {why}"
    found: dict[str, tuple[str, str]] = {}
    for root, why in roots.items():
        left = [*waiting.get(root, ())]
        while left:
            name = left.pop()
            if name not in found and status_of(known[name]) not in (Status.DONE, Status.DROPPED):
                found[name] = root, why
                left += waiting.get(name, ())
    return found


def is_run(task: Record) -> bool:
    """Whether an orchestrator runs this task: it says which agent does it."""
    agent = task.data.get("agent")
    return isinstance(agent, str) and to_name(agent, "") == agent not in ("", "user")


def attempt_of(task: Record) -> str | None:
    """The attempt that goes on, or was left by a process that died."""
    said = task.data.get("attempt")
    return str(said.get("id")) if isinstance(said, dict) else None


def _goes_on(task: Record, begun: Begun, *, is_held: bool) -> bool:
    """Whether this attempt is the one that goes on."""
    said = attempt_of(task)
    is_lost_in_an_edit = said is None and status_of(task) is Status.ACTIVE
    return said == begun.attempt or (is_held and is_lost_in_an_edit)


def steps_of(task: Record, approach: str) -> dict[str, Any] | None:
    """The steps that an approach has behind it."""
    said = task.data.get("steps")
    if not isinstance(said, dict) or said.get("approach") != approach:
        return None
    done = said.get("done")
    return dict(done) if isinstance(done, dict) else {}


def begun_by(task: Record) -> Begun:
    """The attempt that a task says is under way."""
    said: Any = task.data.get("attempt")
    return Begun(
        task=str(task.key), attempt=str(said.get("id")), approach=str(said.get("approach")),
        agent=to_name(str(said.get("agent")), WORKER),
    )  # fmt: skip
