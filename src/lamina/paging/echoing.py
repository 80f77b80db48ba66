"""Writing what is new: of what an agent remembers, its echoes only count as use of the original."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lamina import clock
from lamina.core.changes import Action, Outcome, Receipt
from lamina.core.draft import DEFAULT_LAYER
from lamina.core.layers import LAYERS
from lamina.core.record import Trust
from lamina.core.scope import Scope
from lamina.paging.fencing import unfenced
from lamina.paging.knowing import Known
from lamina.paging.lines import LABEL
from lamina.paging.shown import shown_to
from lamina.paging.statements import pieces
from lamina.paging.wording import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.core.changes import Put
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.writing import WritePath

_CHECKED: Final = frozenset({"knowledge", "fact", "notebook"})
"""What an agent holds to be so. What it says and does is kept as it is."""
_ORIGINALS: Final = ("knowledge", "fact")
"""Whose words nobody has to remember again, even if another process showed them."""
_FEW: Final = 32
"""How many memories at once may be worth a search each."""


def commit_new(
    door: Door, path: WritePath, drafts: Sequence[Draft], puts: Sequence[Put], key: str | None
) -> Receipt:
    """Commit what is no echo; what is one is told as unchanged, with the id of the original."""
    known = _originals(door, drafts, search=key is None and len(drafts) <= _FEW)
    new = [put for number, put in enumerate(puts) if number not in known]
    if not known:
        return path.commit(new, key)
    echoed = {
        number: Outcome(one.id, one.rev, Action.UNCHANGED, one.state)
        for number, one in known.items()
    }
    if not new:
        first = LAYERS[next(iter(known.values())).layer].durability
        return Receipt(clock.fresh_id(), tuple(echoed.values()), (), first)
    receipt = path.commit(new, key)
    written = iter(receipt.outcomes)
    outcomes = tuple(echoed.get(n) or next(written) for n in range(len(puts)))
    return replace(receipt, outcomes=outcomes)


def _originals(door: Door, drafts: Sequence[Draft], *, search: bool) -> dict[int, Record]:
    """The records whose words drafts only repeat, by the number of the draft."""
    found: dict[int, Record] = {}
    for number, draft in enumerate(drafts):
        if draft.get("layer", DEFAULT_LAYER) in _CHECKED and _is_plain(draft):
            original = _original(door, draft, search=search)
            if original is not None:
                found[number] = original
    return found


def _is_plain(draft: Draft) -> bool:
    """Whether a draft is nothing but words of the agent's own."""
    return draft.get("via") in (None, Trust.AGENT) and draft.get("expect") is None


def _original(door: Door, draft: Draft, *, search: bool) -> Record | None:
    text, key, shown = draft.get("text", ""), draft.get("key"), shown_to(door)
    is_knowledge = draft.get("layer", DEFAULT_LAYER) == "knowledge"
    may_search = search and key is None and (is_knowledge or bool(LABEL.search(text)))
    may_search = may_search and shown.may_search()
    if shown.is_empty and not may_search:
        return None
    # A key says what a single word is about, as a label does.
    said = [replace(one, is_labelled=one.is_labelled or key is not None)
            for one in pieces(unfenced(text).splitlines()) if one.words]  # fmt: skip
    laid = Known(door, _ORIGINALS, search=may_search).judge(said)
    ids = [one for one in laid.whose if one is not None]
    is_new = (left and one is None for one, left in zip(laid.whose, laid.left, strict=True))
    if not ids or any(is_new):
        return None
    shown.found_again()
    found = door.store.get(door.reach, list(dict.fromkeys(ids)))
    return next((one for one in found if _stands_for(one, draft, door)), None)


def _stands_for(record: Record, draft: Draft, door: Door) -> bool:
    """Whether remembering it again adds nothing: neither another name nor more readers."""
    key = draft.get("key")
    if key is not None:
        return record.key == key and words_of(record.text) == words_of(draft.get("text", ""))
    if "scope" not in draft:
        return True
    wanted, place = Scope.of(draft["scope"]), Scope.of(record.scope)
    return place.contains(wanted) or not wanted.contains(place) or place == wanted
