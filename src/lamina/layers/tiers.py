"""Task and project as tiers: what one piece of work needs, and what the project keeps of it.

The tiers are words over layers that exist: the task tier over `notebook`, the project tier over
`knowledge`. What everybody shares is in `lamina.layers.global_tier`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from lamina.core import canonical
from lamina.core.canonical import check_text
from lamina.core.names import check_label, check_tags
from lamina.core.record import State
from lamina.core.scope import GLOBAL, Scope
from lamina.core.settings import MAX_ITEMS
from lamina.errors import ConflictError, ForbiddenError, InvalidInputError
from lamina.layers.face import PAGE, Face
from lamina.layers.notebook import Notebook
from lamina.layers.promoting import KNOWLEDGE, PREFERENCE, promotable, promotions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.changes import Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.layers.face import Door

_SHARE: Final = 10
"""Of how many one goes."""


class TaskTier(Notebook):
    """What one agent gathers at one task; a notebook by the words of the paged tiers."""

    def add_reasoning(self, text: str, stage: str, **data: Any) -> Receipt:
        """Keep what was thought at a stage."""
        return self.reason(stage, text, **data)

    def add_tool_output(self, tool: str, output: Any, **data: Any) -> Receipt:
        """Keep what a tool gave, be it text or any JSON value; `stage` says at which stage."""
        value = canonical.check(output, "output")
        if isinstance(value, str):
            return self.tool_output(tool, value, **data)
        return self.tool_output(tool, canonical.dumps(value), output=value, **data)

    def stage_outputs(self, stage: str) -> list[Record]:
        """Everything that came of a stage, oldest first."""
        return self.read(stage=stage)

    def promote(self, *notes: str, kind: str) -> Receipt | None:
        """Make notes, named by id, project knowledge of a kind; the notes stay.

        Each says where it came from and is trusted no more than the note. Nothing when all of
        them had been promoted before.
        """
        root, path = self._door.principal.common, self._path
        asked = [(note, kind) for note in promotable(self._door, notes, "notes")]
        puts = promotions(self._door, path, asked, root)
        return path.commit(puts) if puts else None


class TaskTiers:
    """The task tiers of one agent, by task."""

    def __init__(self, door: Door, scope: Scope) -> None:
        self._door = door
        self._scope = scope

    def __call__(self, task: str) -> TaskTier:
        """What this agent gathers at a task."""
        return TaskTier(self._door, self._scope.child("task", task))


@dataclass(frozen=True, slots=True)
class Eviction:
    """What had to go so that a project stays within its bounds."""

    records: tuple[Record, ...]
    """The least important, and of these the oldest."""
    receipt: Receipt | None
    """With its `tx`, `undo` brings them back. `None` says that they are still there: an agent may
    not remove what others have said, so an orchestrator or admin has to `evict`."""


@dataclass(frozen=True, slots=True)
class Added:
    """What was kept, and what went for it."""

    receipt: Receipt
    eviction: Eviction | None = None


class ProjectTier(Face):
    """What a project keeps across tasks, no more than `max_items` of it.

    That is what the setting `project.max_items` says, unless another bound is given.
    """

    layer = KNOWLEDGE

    def __init__(self, door: Door, scope: Scope, *, max_items: int | None = None) -> None:
        super().__init__(door, scope)
        if scope == GLOBAL:
            raise InvalidInputError(
                "this handle belongs to no project", remedy='Use mem.project("web").project_tier'
            )
        self._bound = max_items

    @property
    def max_items(self) -> int:
        """How much it holds before the least important goes."""
        return int(self._door.settings()[MAX_ITEMS]) if self._bound is None else self._bound

    def __call__(self, *, max_items: int) -> ProjectTier:
        """The same tier with another bound."""
        if type(max_items) is not int or max_items < 1:
            raise InvalidInputError(f"`max_items` must be at least 1, not {max_items!r:.40}")
        return ProjectTier(self._door, Scope.of(self.scope), max_items=max_items)

    def add_decision(self, decision: str, tags: Sequence[str] = ()) -> Added:
        """Keep what was decided."""
        return self._add("decision", check_text(decision, "decision"), tags)

    def add_convention(self, convention: str, scope: str) -> Added:
        """Keep how things are done, and where that holds, such as `python`."""
        label = check_label(scope, "scope")
        return self._add("convention", check_text(convention, "convention"), [label], scope=label)

    def add_failure(self, failure: str, lesson: str, tags: Sequence[str] = ()) -> Added:
        """Keep what went wrong, and what is to be learned from it."""
        told = f"{check_text(failure, 'failure')}: {check_text(lesson, 'lesson')}"
        return self._add("failure", told, tags, failure=failure, lesson=lesson)

    def add_pattern(self, pattern: str, domain: str) -> Added:
        """Keep what has proved itself, and in which field."""
        label = check_label(domain, "domain")
        return self._add("pattern", check_text(pattern, "pattern"), [label], domain=label)

    def add_preference(self, preference: str, category: str) -> Added:
        """Keep what people want in this project, by category such as `style`."""
        label = check_label(category, "category")
        return self._add(PREFERENCE, check_text(preference, "preference"), [label], category=label)

    def query_decisions(self, tags: Sequence[str] = (), *, limit: int = 100) -> list[Record]:
        """Decisions with any of these tags, or all of them, newest first."""
        wanted = list(check_tags(tags))
        return self._find(limit, kind="decision", **({"tags": wanted} if wanted else {}))

    def promote(self, *ids: str, kind: str) -> Added | None:
        """Make records that are seen from here project knowledge of a kind; they stay.

        Nothing when all of them had been promoted before.
        """
        path = self._path
        asked = [(one, kind) for one in promotable(self._door, ids)]
        puts = promotions(self._door, path, asked, Scope.of(self.scope))
        return Added(path.commit(puts), self.evict()) if puts else None

    def evict(self) -> Eviction | None:
        """Where there is more than the bound, forget the least important tenth in one change."""
        least, path = evictable(self._door, self.scope, self.max_items), self._path
        if not least:
            return None
        try:
            gone = [path.move(record, State.FORGOTTEN) for record in least]
        except ForbiddenError:
            return Eviction(tuple(least), None)
        try:
            return Eviction(tuple(least), path.commit(gone))
        except ConflictError:
            # Another process is at it; if its share is not enough, the next addition shows it.
            return None

    def _add(self, kind: str, text: str, tags: Sequence[str], **data: Any) -> Added:
        draft: dict[str, Any] = {
            "layer": self.layer, "scope": self.scope, "kind": kind, "text": text,
            "tags": check_tags(tags), "data": data,
        }  # fmt: skip
        same = next(iter(self._find(1, kind=kind, text=text)), None)
        if same is not None:
            draft |= {"tags": [*same.tags, *tags], "data": {**same.data, **data},
                      "importance": same.importance, "confidence": same.confidence}  # fmt: skip
        path = self._path
        [put] = path.puts([cast("Draft", draft)], Scope.of(self.scope))
        if same is not None:
            # Said again it is still one statement, and by who is believed more, a confirmation.
            return Added(path.commit([replace(put, revises=same.id)]))
        return Added(path.commit([put]), self.evict())


def evictable(door: Door, scope: str, bound: int) -> list[Record]:
    """The least important tenth of a project that holds more than its bound; else nothing."""
    count = door.count({"layer": KNOWLEDGE, "scope": scope})
    return _least(door, scope, min(max(count // _SHARE, 1), PAGE)) if count > bound else []


def _least(door: Door, scope: str, count: int) -> list[Record]:
    """So many records of the lowest importance, and of equals those longest unchanged."""
    here = {"layer": KNOWLEDGE, "scope": scope}
    lowest = door.query(here, order_by="-importance", limit=count)
    bound = lowest[-1].importance
    below = [one for one in lowest if one.importance < bound]
    # Stores put the newest of equals first, and here the oldest are meant.
    equals = door.query(
        {**here, "importance": bound}, order_by="-updated_at", limit=count - len(below)
    )
    return sorted(below + equals, key=lambda one: (one.importance, one.updated_at))
