"""The notebook of one agent on one task: notes, reasoning by stage, what tools gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from lamina.core.canonical import check_text
from lamina.core.record import State
from lamina.errors import NotFoundError, SecretError
from lamina.layers.face import Face, only
from lamina.layers.promoting import PROMOTE, check_promotion

if TYPE_CHECKING:
    from pathlib import Path

    from lamina.capsule import About
    from lamina.core.changes import Receipt
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door
    from lamina.recalling import How
    from lamina.results import Recall


class Notebook(Face):
    """Notes that belong to a task, and are archived or discarded when it ends.

    A note written with `promote="pitfall"` becomes project knowledge of that kind then.
    """

    layer = "notebook"

    def note(self, text: str, **data: Any) -> Receipt:
        """Write something down."""
        return self._noted("note", text, data)

    def reason(self, stage: str, text: str, **data: Any) -> Receipt:
        """Write down what was thought at a stage of the work."""
        return self._noted("reasoning", text, {"stage": check_text(stage, "stage"), **data})

    def tool_output(self, tool: str, text: str, **data: Any) -> Receipt:
        """Write down what a tool gave."""
        return self._noted("tool_output", text, {"tool": check_text(tool, "tool"), **data})

    def read(
        self,
        *,
        kind: str | None = None,
        stage: str | None = None,
        archived: bool = False,
        limit: int = 1_000,
    ) -> list[Record]:
        """The notes, oldest first: of a kind, of a stage, or those of before the task ended."""
        where = only("kind", kind, "kind") | only("data.stage", stage, "stage")
        where |= {"state": State.ARCHIVED.value} if archived else {}
        return self._find(limit, **where)[::-1]

    def search(self, query: str, **how: Unpack[How]) -> Recall:
        """Search these notes by words and meaning; archived ones with `where={"state": …}`."""
        here: How = {**how, "layers": [self.layer], "scope": self.scope}
        return self._door.recall(query, **here)

    def archive(self) -> Receipt | None:
        """Put every note aside, where it is found when it is asked for; nothing if there is none.

        One change, which `undo` takes back.
        """
        return self._moved(self._every(), State.ARCHIVED)

    def discard(self) -> Receipt | None:
        """Forget every note, in one change that can be undone; nothing when there is none."""
        return self._moved(self._every(), State.FORGOTTEN)

    def _noted(self, kind: str, text: str, data: dict[str, Any]) -> Receipt:
        if PROMOTE in data:
            check_promotion(data[PROMOTE])
        return self._put({"kind": kind, "text": text, "data": data})

    def capsule(self, path: str | Path, *, replace: bool = False) -> About:
        """Make one portable file of these notes, current and archived, for `lamina.capsule`.

        Secrets stay here: the file holds their references. A file that is there is not replaced,
        unless told so.
        """
        from lamina import capsule

        now, states = self._now(), [state.value for state in capsule.STATES]
        found = self._every(state={"$in": states})
        notes = [one for one in found if one.state is not State.CURRENT or one.is_live(now)]
        if not notes:
            raise NotFoundError(
                f"nothing is noted in `{self.scope}`", remedy="Name an agent and a task with notes"
            )
        return capsule.write(path, self.scope, notes, self._sign, replace=replace)

    def _sign(self, value: bytes) -> str:
        try:
            return self._path.fingerprint(value)
        except SecretError:
            # Without its key a store cannot say later that the capsule is its own.
            return ""


class Notebooks:
    """The notebooks of one agent, by task."""

    def __init__(self, door: Door, scope: Scope) -> None:
        self._door = door
        self._scope = scope

    def __call__(self, task: str) -> Notebook:
        """The notebook for a task; it begins with its first note."""
        return Notebook(self._door, self._scope.child("task", task))
