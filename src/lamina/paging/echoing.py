"""Writing what is new: of what an agent remembers, its echoes only count as use of the original."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
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
    from lamina.paging.statements import Piece
    from lamina.writing import WritePath

_CHECKED: Final = frozenset({"knowledge", "fact", "notebook"})
"""What an agent holds to be so. What it says and does is kept as it is."""
_ORIGINALS: Final = ("knowledge", "fact")
"""Whose words nobody has to remember again, even if another process showed them."""
_FEW: Final = 32
"""How many memories at once are worth a search each."""


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
    text, key, shown_before = draft.get("text", ""), draft.get("key"), shown_to(door)
    is_knowledge = draft.get("layer", DEFAULT_LAYER) == "knowledge"
    labelled = bool(LABEL.search(text))
    search = search and key is None and (is_knowledge or labelled)
    search = search and shown_before.may_search()
    if shown_before.is_empty and not search:
        return None
    # A key says what a single word is about, as a label does.
    said = [replace(one, is_labelled=one.is_labelled or key is not None)
            for one in pieces(unfenced(text).splitlines()) if one.words]  # fmt: skip
    shown = _said_by(door, Known(door, _ORIGINALS, search=False), said)
    found = next((one for one in shown if _stands_for(one, draft)), None)
    if found is not None or not search:
        return found
    seen = _said_by(door, Known(door, _ORIGINALS), said)
    # Another process may have shown it, or nobody: then whatever it adds is news.
    adds = partial(_adds_nothing, draft=draft, labelled=labelled)
    found = next((one for one in seen if _stands_for(one, draft) and adds(one)), None)
    if found is not None:
        shown_before.found_again()
    return found


def _said_by(door: Door, known: Known, said: Sequence[Piece]) -> list[Record]:
    """The records that these words are of, all of them; none if some are new."""
    laid = known.judge(said)
    ids = [one for one in laid.whose if one is not None]
    if not ids or any(
        one is None and left for one, left in zip(laid.whose, laid.left, strict=True)
    ):
        return []
    return door.store.get(door.reach, list(dict.fromkeys(ids)))


def _adds_nothing(record: Record, draft: Draft, *, labelled: bool) -> bool:
    """Whether a draft names no kind, tag or value that the record does not have."""
    if labelled:
        return True
    kind, tags = draft.get("kind", record.kind), draft.get("tags", ())
    data = draft.get("data", {})
    is_same = kind == record.kind and set(tags) <= set(record.tags)
    return is_same and data.items() <= record.data.items()


def _stands_for(record: Record, draft: Draft) -> bool:
    """Whether remembering it again adds nothing: neither another name nor more readers."""
    key = draft.get("key")
    if key is not None:
        return record.key == key and words_of(record.text) == words_of(draft.get("text", ""))
    if "scope" not in draft:
        return True
    wanted, place = Scope.of(draft["scope"]), Scope.of(record.scope)
    return place.contains(wanted) or not wanted.contains(place) or place == wanted
