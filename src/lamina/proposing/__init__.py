"""What a model may propose: facts from what was said, and lessons from a task that has ended.

Nothing that is there is changed by it. A proposal waits, with its evidence, until somebody accepts
it; without a model, or with one that fails or raves, everything goes on as it was.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from lamina.core.layers import LAYERS
from lamina.core.lazy import loading
from lamina.core.names import check_name
from lamina.core.record import State
from lamina.core.settings import PROPOSE_FACTS, PROPOSE_LESSONS
from lamina.errors import ConflictError, InvalidInputError, ModelError, NotFoundError
from lamina.layers.ending import notes_on
from lamina.layers.face import every
from lamina.layers.sessions import Sessions
from lamina.layers.tasks import ENDED, status_of
from lamina.proposing.asking import Task, pieces_of
from lamina.proposing.proposals import PROPOSED, Place, Proposing, Report

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.core.chat import Model
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.proposing.items import ItemProposer

__all__ = ["PROPOSED", "ItemProposer", "Report", "after_session", "after_task", "facts", "lessons"]

# What tools gave is left out: one such text would make everything no more believable than itself.
_SAID: Final = ("user", "assistant")
_NOTED: Final = ("note", "reasoning")
_FACTS: Final = Task(
    "You read what was said to an assistant and by it, and list the facts in it that will still"
    " matter in other conversations: about the people, what they prefer, how their things are set"
    " up.",
    LAYERS["fact"].kinds, keyed=True, own=("personal", "preference"),
)  # fmt: skip
_LESSONS: Final = Task(
    "You read what was noted and tried while a task was worked on, and list what whoever has a"
    " similar task should know beforehand: what worked, what to avoid and why, what was decided.",
    ("pattern", "pitfall", "convention", "decision", "architecture", "failure"),
)
_log: Final = logging.getLogger(__name__)

# It needs all that reads files, which what was said and noted does not.
__getattr__ = loading(__name__, {"lamina.proposing.items": ("ItemProposer",)})


def facts(door: Door, session: str, model: Model, *, dry_run: bool = False) -> Report:
    """Have a model propose facts from what is new in a session of this agent.

    Raises:
        ModelError: It cannot be asked, or no further; what it proposed before is kept.
        NotFoundError: Nothing was said in such a session.
    """
    here = Sessions(door, door.scope)(session)
    said = here.read()
    if not said:
        raise NotFoundError(f"nothing was said in the session {session!r:.60}")
    place = Place("fact", door.scope.path, {"session": session})
    asking = Proposing(door, door.scope.child("session", session), place)
    new = asking.unread([one for one in said if one.kind in _SAID])
    return asking.propose(model, _FACTS, pieces_of(door, new), dry_run=dry_run)


def lessons(door: Door, task: str, model: Model, *, dry_run: bool = False) -> Report:
    """Have a model propose lessons from the notes and episodes of a task that has ended.

    Raises:
        ModelError: It cannot be asked, or no further; what it proposed before is kept.
        InvalidInputError: The task is still going on.
        NotFoundError: Nothing was noted or tried for such a task.
    """
    check_name(task, "task")
    root = door.principal.common
    _check_ended(door, root.path, task)
    worked = _work_on(door, root.path, task)
    if not worked:
        raise NotFoundError(f"nothing was noted or tried for the task {task!r:.60}")
    place = Place("knowledge", root.path, {"task": task})
    asking = Proposing(door, root.child("task", task), place)
    pieces = pieces_of(door, asking.unread(worked))
    return asking.propose(model, _LESSONS, pieces, dry_run=dry_run)


def after_session(door: Door, session: str, model: Model | None) -> Report | None:
    """Propose facts where that is switched on and there is a model; never fails for the model."""
    if model is None or door.settings()[PROPOSE_FACTS] == "off":
        return None
    return _quietly(lambda: facts(door, session, model))


def after_task(door: Door, task: str, model: Model | None) -> Report | None:
    """Propose lessons where that is switched on and there is a model; never fails for the model."""
    if model is None or door.settings()[PROPOSE_LESSONS] == "off":
        return None
    return _quietly(lambda: lessons(door, task, model))


def _quietly(propose: Callable[[], Report]) -> Report | None:
    try:
        return propose()
    except NotFoundError:
        return None
    except (ModelError, ConflictError) as error:
        # Nobody waits for proposals, and the next time they are asked for again.
        _log.warning("nothing was proposed: %s", error.message)
        return None


def _check_ended(door: Door, root: str, task: str) -> None:
    found = door.query({"layer": "task", "scope": root, "key": task}, limit=1)
    if found and status_of(found[0]) not in ENDED:
        raise InvalidInputError(
            f"the task {task!r:.60} has not ended", remedy="Lessons are drawn once it has"
        )


def _work_on(door: Door, root: str, task: str) -> list[Record]:
    """What was noted and tried for a task, in the order in which it was made."""
    notes = [
        note for state in (State.CURRENT, State.ARCHIVED)
        for note in notes_on(door, root, [task], state) if note.kind in _NOTED
    ]  # fmt: skip
    episodes = every(door, {"layer": "episode", "scope": root, "data.task": task})
    return sorted([*notes, *episodes], key=lambda one: (one.created_at, one.id))
