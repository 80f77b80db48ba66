"""The conversation around a candidate: what was said before and after it, and how much fits there.

A turn often answers without repeating what was asked, so what its neighbours say is said of it too.
Between people the turn before carries most where it asks something, and the one before that, which
is mostly the same speaker going on. An assistant repeats what it was asked: there a user's turn
gains from its reply, and a reply nothing from the turn that it repeats.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from lamina.core.ids import RecordId
from lamina.core.ranking.candidates import Candidate

TOLD_IN_ORDER: Final = frozenset(("session", "log"))
"""Layers whose records follow one another as turns of one conversation."""
MACHINE_KINDS: Final = frozenset(("assistant", "tool_call", "tool_result"))
_COMPANY: Final = 20
"""How many of the best are looked at for company."""
_ENOUGH: Final = 5


class Conversation:
    """Who stands next to whom among the candidates."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._by_id = {candidate.record.id: candidate for candidate in candidates}
        self._after = {
            candidate.before: candidate for candidate in candidates if candidate.before is not None
        }

    def before(self, candidate: Candidate) -> Candidate | None:
        """The turn before, if it is a candidate too."""
        return self._by_id.get(candidate.before) if candidate.before is not None else None

    def after(self, candidate: Candidate) -> Candidate | None:
        """The turn after, if it is a candidate too."""
        return self._after.get(candidate.record.id)

    def signals(self, candidate: Candidate, share: Mapping[RecordId, float]) -> dict[str, float]:
        """What the neighbours' words say about a candidate."""
        found: dict[str, float] = {}
        earlier, later = self.before(candidate), self.after(candidate)
        if earlier is None and later is None:
            return found
        mine = is_machine(candidate)
        if earlier is not None and not mine and not is_machine(earlier):
            if asks(earlier):
                found["answers"] = share[earlier.record.id]
            start = self.before(earlier)
            if start is not None:
                found["thread"] = share[start.record.id]
        if asks(candidate) and any(near and not is_machine(near) for near in (earlier, later)):
            # Between people the answer is what is wanted. To an assistant people tell facts and
            # ask something in one breath.
            found["asks"] = -1.0
        if later is not None and not mine:
            name = "replied" if is_machine(later) else "followed"
            found[name] = share[later.record.id]
        return found


def company(
    candidates: Sequence[Candidate], scores: Mapping[RecordId, float]
) -> dict[RecordId, float]:
    """For each turn, how many of the best others belong to its conversation: 1 for five or more."""
    order = sorted(candidates, key=lambda candidate: -scores[candidate.record.id])[:_COMPANY]
    best = {candidate.record.id for candidate in order if in_conversation(candidate)}
    places = Counter(candidate.record.scope for candidate in order if candidate.record.id in best)
    return {
        candidate.record.id: min(
            (places[candidate.record.scope] - (candidate.record.id in best)) / _ENOUGH, 1.0
        )
        for candidate in candidates
        if in_conversation(candidate)
    }


def in_conversation(candidate: Candidate) -> bool:
    """Whether a candidate is a turn of a conversation."""
    return candidate.record.layer in TOLD_IN_ORDER


def is_machine(candidate: Candidate) -> bool:
    """Whether an assistant or a tool said it."""
    return candidate.record.kind in MACHINE_KINDS


def asks(candidate: Candidate) -> bool:
    """Whether a turn ends in a question."""
    return candidate.record.text.rstrip(" \t\r\n\"')]}*_").endswith(("?", "？", "؟"))
