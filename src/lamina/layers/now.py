"""Now: what an agent is doing and what it does next, overwritten as it goes, never lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.canonical import check_text
from lamina.errors import InvalidInputError
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


class Now(Face):
    """The status of one agent."""

    layer = "now"

    def update(
        self, objective: str | None = None, next_steps: Sequence[str] | None = None
    ) -> Receipt:
        """Say what the objective is, what comes next, or both; what is not said stays."""
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
        return self._put(*drafts)

    def read(self) -> Status:
        """What was said last."""
        found = {
            record.key: record for record in self._find(2, key={"$in": [OBJECTIVE, NEXT_STEPS]})
        }
        objective, steps = found.get(OBJECTIVE), found.get(NEXT_STEPS)
        return Status(
            objective.text if objective else "",
            _steps(steps) if steps else (),
            max((record.updated_at for record in found.values()), default=None),
        )


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
