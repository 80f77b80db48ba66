"""Now: what an agent is doing and what it does next, overwritten as it goes, never lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.canonical import check_text
from lamina.errors import ConflictError, InvalidInputError
from lamina.layers.face import Face

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from lamina.core.changes import Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record

OBJECTIVE: Final = "objective"
NEXT_STEPS: Final = "next_steps"


@dataclass(frozen=True, slots=True)
class Status:
    """The objective and the next steps, as they stand."""

    objective: str = ""
    next_steps: tuple[str, ...] = ()
    updated_at: datetime | None = None
    rev: int = 0
    """Grows with every change of either; 0 while nothing was said."""


class Now(Face):
    """The status of one agent."""

    layer = "now"

    def update(
        self,
        objective: str | None = None,
        next_steps: Sequence[str] | None = None,
        *,
        expect: int | None = None,
    ) -> Receipt:
        """Say what the objective is, what comes next, or both; what is not said stays.

        With `expect`, the `rev` that was read, a change in between is not overwritten.

        Raises:
            ConflictError: It says something else by now; nothing was changed.
        """
        drafts: list[Draft] = []
        if objective is not None:
            told = check_text(objective, "objective")
            drafts.append({"kind": OBJECTIVE, "key": OBJECTIVE, "text": told})
        if next_steps is not None:
            steps = _checked(next_steps)
            told = "\n".join(steps)
            drafts.append(
                {
                    "kind": NEXT_STEPS,
                    "key": NEXT_STEPS,
                    "text": told,
                    "data": {"steps": list(steps)},
                }
            )
        if not drafts:
            raise InvalidInputError(
                "there is nothing to update", remedy="Pass `objective`, `next_steps` or both"
            )
        if expect is not None:
            self._check_unchanged(drafts, expect)
        return self._put(*drafts)

    def read(self) -> Status:
        """What was said last."""
        found = self._said()
        objective, steps = found.get(OBJECTIVE), found.get(NEXT_STEPS)
        return Status(
            objective.text if objective else "",
            _steps(steps) if steps else (),
            max((record.updated_at for record in found.values()), default=None),
            _rev(found),
        )

    def _said(self) -> dict[str | None, Record]:
        known = self._find(2, key={"$in": [OBJECTIVE, NEXT_STEPS]})
        return {record.key: record for record in known}

    def _check_unchanged(self, drafts: list[Draft], expect: int) -> None:
        """Refuse what was written for another status; the commit refuses what comes in between."""
        found = self._said()
        if type(expect) is not int:
            raise InvalidInputError(f"`expect` must be a whole number, not {expect!r:.40}")
        if expect != _rev(found):
            raise ConflictError(
                f"the status has changed: `expect` is {expect}, and it is at {_rev(found)}",
                remedy="Read it again, and decide whether yours still holds",
            )
        for draft in drafts:
            known = found.get(draft.get("key"))
            draft["expect"] = 0 if known is None else known.rev


def _rev(found: dict[str | None, Record]) -> int:
    return sum(record.rev for record in found.values())


def _checked(steps: object) -> tuple[str, ...]:
    if isinstance(steps, str) or not isinstance(steps, list | tuple):
        raise InvalidInputError(
            f"`next_steps` must be a list of texts, not {type(steps).__name__}",
            remedy='Write ["first step", "second step"]',
        )
    for step in steps:
        if not isinstance(step, str) or not step.strip() or "\n" in step:
            raise InvalidInputError(
                f"`next_steps` must be texts of one line each, not {step!r:.60}"
            )
    return tuple(steps)


def _steps(record: Record) -> tuple[str, ...]:
    """The steps; a person may have edited the text, which counts then."""
    listed = record.data.get("steps")
    texts = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    told = tuple(line for line in record.text.splitlines() if line.strip())
    return tuple(texts) if "\n".join(texts) == record.text else told
