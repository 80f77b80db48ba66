"""`mem.lifecycle.review`: what a person should look at, and what they decide about it.

Everything that is decided is one transaction, which `undo` takes back whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.core.access import check_change
from lamina.core.alike import alike
from lamina.core.ids import RecordId, check_id
from lamina.core.principal import Role
from lamina.core.record import State
from lamina.errors import ForbiddenError, InvalidInputError
from lamina.layers import reviewed
from lamina.layers.promoting import KNOWLEDGE
from lamina.lifecycle import settling
from lamina.lifecycle.applying import apply
from lamina.lifecycle.doubting import Doubts, doubts
from lamina.lifecycle.plan import Does, Plan, Step
from lamina.lifecycle.waiting import Waiting, cited, evidence, reasons
from lamina.reading import check_limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lamina.core.changes import Receipt
    from lamina.core.record import Record
    from lamina.layers.face import Door


class Review:
    """What waits for somebody, within reach of a handle."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._door.scope}>"

    def waiting(self, *, limit: int = 100) -> list[Waiting]:
        """Proposals, the newest first, with what is to know to decide on them.

        That is what stands in their place now, why they wait, and where it was read.
        """
        found = self._door.query(settling.WAITING, limit=limit)
        stands = settling.standing(self._door, found)
        known = self._known({name for one in found for name in cited(one)})
        return [
            Waiting(one, there, reasons(one, there), evidence(one, known))
            for one in found
            for there in (stands.get(settling.place_for(one)),)
        ]

    def count(self) -> int:
        """How many proposals wait, whatever the limit of a list."""
        return self._door.count(settling.WAITING)

    def settle(
        self,
        *,
        accept: Iterable[str] = (),
        reject: Iterable[str] = (),
        edited: Mapping[str, str] | None = None,
    ) -> settling.Settled:
        """Accept some proposals and reject others, by id, in one transaction.

        What somebody else has decided meanwhile, or may not be decided, is left and told; the
        rest is done. `edited` are texts by id, for those that are put better as they are accepted.
        """
        return settling.settle(self._door, accept, reject, edited or {})

    def alike(self, *, look: int = 3_000) -> list[list[Record]]:
        """Knowledge of one place and kind that says nearly the same, the likest first.

        The newest `look` are held against each other. Unlike what consolidation merges, they say
        something different somewhere: it takes a person to see whether that matters.
        """
        newest = self._door.query({"layer": KNOWLEDGE}, limit=check_limit(look, "look"))
        places: dict[tuple[str, str], list[Record]] = {}
        for one in newest:
            places.setdefault((one.scope, one.kind), []).append(one)
        apart = reviewed.apart(self._door)
        found = []
        for there in places.values():
            for group in alike([one.text for one in there]):
                first, *others = (there[place] for place in group)
                near = [one for one in others if one.id not in apart.get(first.id, ())]
                found += [[first, *near]] if near else []
        return found

    def merge(self, stays: str, *others: str) -> Receipt:
        """Let one record stand for others that say nearly the same; these are superseded.

        What only the others hold, such as tags, stays in their history.
        """
        return self.merge_all({stays: others})

    def merge_all(self, groups: Mapping[str, Sequence[str]]) -> Receipt:
        """Let each record that is named stand for others, all in one transaction."""
        steps: list[Step] = []
        for stays, others in groups.items():
            steps += self._merging(stays, others)
        ids = [step.record.id for step in steps]
        if not ids or len(ids) != len({*ids}):
            raise InvalidInputError(
                "a record must be in one group, and stays or goes", remedy="Name each once"
            )
        plan = Plan("merge", "somebody chose", tuple(steps), 0, door=self._door)
        receipt = apply(plan, confirm=True)
        assert receipt is not None
        return receipt

    def _merging(self, stays: str, others: Sequence[str]) -> list[Step]:
        [best] = self._current((stays,))
        gone = self._current(others)
        if {(one.scope, one.layer) for one in gone} != {(best.scope, best.layer)}:
            raise InvalidInputError(
                "records of different layers or scopes do not become one",
                remedy="Promote one of them first, or forget the others",
            )
        kept = Step(best, Does.KEEP, "somebody chose it", merged=tuple(one.id for one in gone))
        return [kept, *(Step(one, Does.SUPERSEDE, f"merged into {best.id}") for one in gone)]

    def keep(self, *ids: str, about: str) -> Receipt:
        """Let records stand, so that nobody is asked about them again, in one transaction.

        `about` is what was looked at: `stale` (it fades anew from now on), `apart` (they say
        nearly the same and all stay), `sound` (it looked suspicious and is harmless) or `narrow`
        (it is not to be promoted), the last two unless it says something else one day. Only a
        person decides that: an admin.
        """
        if about not in reviewed.ABOUT:
            raise InvalidInputError(
                f"`about` cannot be {about!r:.40}",
                remedy=f"Use one of: {', '.join(reviewed.ABOUT)}",
            )
        if self._door.principal.role is not Role.ADMIN:
            raise ForbiddenError(
                "what was looked at is a person's to say", remedy="Use the key of an admin"
            )
        found = self._current(ids)
        if about == reviewed.APART and len(found) == 1:
            raise InvalidInputError(
                "one record is not kept apart from anything", remedy="Name those it is like too"
            )
        for one in found:
            check_change(self._door.principal, one)
        names = [one.id for one in found]
        others = names if about == reviewed.APART else []
        path = self._door.path_for(self._door.principal.surface)
        drafts = [
            reviewed.deciding(about, one, [n for n in others if n != one.id]) for one in found
        ]
        return path.commit(path.puts(drafts, self._door.scope))

    def doubtful(self, *, look: int = 2_000) -> Doubts:
        """Memories that look as if somebody wanted to steer agents with them, with the reasons.

        `look` is how many are looked at of each degree of trust, the newest first. Nothing is
        done about them: what an untrusted memory may do is bounded by its trust, found or not.
        """
        return doubts(self._door, check_limit(look, "look"))

    def _current(self, ids: Sequence[str]) -> list[Record]:
        if not ids:
            raise InvalidInputError("no record was named", remedy="Pass at least one id")
        path = self._door.path_for(self._door.principal.surface)
        found = [path.existing(check_id(one)) for one in dict.fromkeys(ids)]
        for one in found:
            if one.state is not State.CURRENT:
                raise InvalidInputError(
                    f"record {one.id} is {one.state.value}, not current",
                    remedy="Look at its history; `undo` of its last transaction brings it back",
                )
        return found

    def _known(self, ids: Iterable[str]) -> dict[str, Record]:
        wanted = [RecordId(one) for one in ids]
        return {one.id: one for one in self._door.store.get(self._door.reach, wanted)}
