"""The global tier: what holds in every project, so that somebody is asked before it changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from lamina.core.canonical import check_text
from lamina.core.names import check_label
from lamina.core.record import State
from lamina.core.scope import GLOBAL
from lamina.errors import ForbiddenError, InvalidInputError
from lamina.layers.face import Face
from lamina.layers.promoting import KNOWLEDGE, PREFERENCE, promotable, promotions

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.core.changes import Put, Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.layers.face import Door

    Confirm: TypeAlias = Callable[[str], bool]

_THERE: Final = {"$in": [State.CURRENT.value, State.PROPOSED.value]}
"""In force, or waiting to be."""


class GlobalTier(Face):
    """What everybody shares. Adding or changing a preference asks; a pattern needs no consent.

    Without somebody to ask, a preference waits as a proposal until `accept` is called with its id.
    """

    layer = KNOWLEDGE

    def __init__(self, door: Door, *, confirm: Confirm | None = None) -> None:
        super().__init__(door, GLOBAL)
        self._confirm = confirm

    def __call__(self, *, confirm: Confirm) -> GlobalTier:
        """The same tier with somebody to ask: called with a question, answering yes or no."""
        if not callable(confirm):
            raise InvalidInputError(f"`confirm` must be a function, not {confirm!r:.60}")
        return GlobalTier(self._door, confirm=confirm)

    def add_preference(
        self, preference: str, category: str, *, key: str | None = None
    ) -> Receipt | None:
        """Keep what people want everywhere; under a taken key, in place of what stood there.

        `None` says that it was declined. What is known already asks nobody.
        """
        check_text(preference, "preference")
        check_label(category, "category")
        put = self._drafted(PREFERENCE, preference, category, key)
        known = self._known(PREFERENCE, preference, category, key)
        asks = known is None or known.state is State.PROPOSED
        if known is not None and (self._confirm is None or not asks):
            return self._door.edit(known.id)
        if self._confirm is None:
            return self._path.commit([replace(put, proposal=True)])
        before = None if key is None else self._holder(key, kind=PREFERENCE)
        told = f"{preference!r:.200} (category {category})"
        if before is not None:
            told += f", in place of {before.text!r:.200}"
        if not self._agreed(f"Keep the global preference {told}?"):
            return None
        # What was agreed to is this change, and not another that came in between.
        path = self._path
        if known is not None and before is None:
            return path.commit([path.move(known, State.CURRENT)])
        unseen = None if key is None else 0
        settled = [] if known is None else [path.move(known, State.SUPERSEDED)]
        return path.commit([replace(put, expect=before.rev if before else unseen), *settled])

    def add_pattern(self, pattern: str, domain: str) -> Receipt:
        """Keep what has proved itself anywhere, and in which field."""
        check_text(pattern, "pattern")
        known = self._known("pattern", pattern, check_label(domain, "domain"))
        if known is not None:
            return self._door.edit(known.id)
        return self._path.commit([self._drafted("pattern", pattern, domain, None)])

    def query_preferences(self, category: str | None = None, *, limit: int = 100) -> list[Record]:
        """Preferences, or those of a category, newest first."""
        where = {} if category is None else {"tags": [check_label(category, "category")]}
        return self._find(limit, kind=PREFERENCE, **where)

    def promote(self, *ids: str, kind: str) -> Receipt | None:
        """Make records that are seen from here knowledge for everybody; they stay where they are.

        Nothing when all of them had been promoted before, or somebody who was asked declined.
        """
        path = self._path
        asked = [(one, kind) for one in promotable(self._door, ids)]
        puts = promotions(self._door, path, asked, GLOBAL)
        if kind == PREFERENCE and self._confirm is not None and puts:
            told = "; ".join(f"{put.content.text!r:.200}" for put in puts[:5])
            if not self._agreed(f"Add {len(puts)} global preferences: {told}?"):
                return None
            puts = [replace(put, proposal=False) for put in puts]
        return path.commit(puts) if puts else None

    def clear_all(self) -> Receipt | None:
        """Forget all of it in one change, which `undo` takes back; somebody must agree.

        `None` when it was declined, or there was nothing to forget.
        """
        if self._confirm is None:
            raise ForbiddenError(
                "all of global memory is not forgotten without asking",
                remedy="Use mem.global_tier(confirm=…).clear_all()",
            )
        found = self._every(state=_THERE)
        if not found or not self._agreed(f"Forget all {len(found):,} records of global memory?"):
            return None
        return self._moved(found, State.FORGOTTEN)

    def _known(self, kind: str, text: str, label: str, key: str | None = None) -> Record | None:
        """The same words under the same label, in force or waiting."""
        where = {} if key is None else {"key": key}
        found = self._find(1, kind=kind, text=text, tags=[label], state=_THERE, **where)
        return next(iter(found), None)

    def _drafted(self, kind: str, text: str, label: str, key: str | None) -> Put:
        field = "category" if kind == PREFERENCE else "domain"
        draft: dict[str, Any] = {
            "layer": self.layer, "scope": self.scope, "kind": kind, "key": key, "text": text,
            "tags": [label], "data": {field: label},
        }  # fmt: skip
        [put] = self._path.puts([cast("Draft", draft)], GLOBAL)
        return put

    def _agreed(self, question: str) -> bool:
        answer = self._confirm(question) if self._confirm else False
        if not isinstance(answer, bool):
            raise InvalidInputError(
                f"`confirm` answered with {type(answer).__name__}, not with True or False"
            )
        return answer
