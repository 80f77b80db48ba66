"""What workers discover becomes the project's knowledge; where they disagree, somebody decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lamina.core.record import State
from lamina.core.settings import in_force
from lamina.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.core.changes import Put, Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.core.scope import Scope
    from lamina.layers.face import Door

_LAYER: Final = "knowledge"
_TRIES: Final = 50


@dataclass(frozen=True, slots=True)
class Claim:
    """What an agent says against what stands, with equal trust and confidence."""

    agent: str
    task: str
    text: str


Arbiter: TypeAlias = "Callable[[Record, Claim], bool]"
"""Given what stands and what is said against it, whether the new word replaces the old one."""


def newest(standing: Record, claim: Claim) -> bool:
    """The usual way to settle a tie: what was found out last is likely to be so now."""
    del standing, claim
    return True


def write(door: Door, scope: Scope, said: Draft, claim: Claim, arbiter: Arbiter) -> Receipt | None:
    """Keep a discovery in the name of the agent that made it.

    Higher trust and confidence win by rule. A tie is the arbiter's to settle, and who loses is kept
    as a proposal. Where knowledge is reviewed, a discovery waits for that like any other. An
    attempt that is made again discovers the same again: what waits is not proposed twice.
    """
    path = door.path_for(door.principal.surface)
    draft: Draft = {
        **said, "layer": _LAYER, "scope": scope.path, "source": claim.agent,
        "data": {"task": claim.task},
    }  # fmt: skip
    review = in_force(door.store.settings(), "knowledge.accept") == "review"
    for _ in range(_TRIES):
        [put] = path.puts([draft], scope)
        standing = _standing(door, put)
        if review:
            put = replace(put, proposal=True)
        elif standing is not None and _is_tie(put, standing):
            won = arbiter(standing, claim)
            put = replace(put, expect=standing.rev) if won else replace(put, proposal=True)
        if put.proposal and _waits(door, put):
            return None
        try:
            return path.commit([put])
        except ConflictError:
            # Another worker was quicker: the arbiter has to hear of that one.
            continue
    raise ConflictError(f"the knowledge {put.key!r} changes faster than it can be settled")


def _standing(door: Door, put: Put) -> Record | None:
    return next(iter(door.query(_place(put), limit=1)), None)


def _waits(door: Door, put: Put) -> bool:
    """Whether the same agent has proposed the same before."""
    where = {**_place(put), "state": State.PROPOSED.value, "source": put.content.source}
    return any(one.text == put.content.text for one in door.query(where))


def _place(put: Put) -> dict[str, Any]:
    return {"layer": _LAYER, "scope": put.scope, "key": put.key, "kind": put.content.kind}


def _is_tie(put: Put, standing: Record) -> bool:
    said = put.content
    return (
        said.source != standing.source
        and said.text != standing.text
        and (said.trust, said.confidence) == (standing.trust, standing.confidence)
    )
