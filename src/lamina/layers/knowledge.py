"""Knowledge: what holds for a project, one current value for each category and key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from lamina.core.canonical import check_text
from lamina.core.ids import check_id
from lamina.core.names import check_key
from lamina.core.record import State
from lamina.core.staleness import STALE, Stale
from lamina.errors import InvalidInputError, NotFoundError
from lamina.layers.face import Face, only
from lamina.layers.fading import fading
from lamina.reading import check_limit

if TYPE_CHECKING:
    from lamina.core.changes import Receipt
    from lamina.core.draft import ContentFields, Draft
    from lamina.core.record import Record


class Knowledge(Face):
    """The knowledge of one project, agent or of everybody."""

    layer = "knowledge"

    def put(
        self,
        category: str,
        key: str,
        value: str,
        *,
        expect: int | None = None,
        **fields: Unpack[ContentFields],
    ) -> Receipt:
        """Keep a value; the one that had the category and key before stays in its history.

        Where another had the key, the rules of conflict decide; who loses is kept as a proposal.
        """
        said = {
            **fields, "kind": self._kind(category, "category"), "key": check_key(key),
            "text": check_text(value, "value"), "expect": expect,
        }  # fmt: skip
        return self._put(cast("Draft", said))

    def get(self, category: str, key: str) -> Record | None:
        """The current record of a category and key."""
        return self._holder(key, **only("kind", category, "category"))

    def query(
        self, category: str | None = None, *, source: str | None = None, limit: int = 100
    ) -> list[Record]:
        """What is known, newest first: of a category, or from a source."""
        where = only("kind", category, "category") | only("source", source, "source")
        return self._find(limit, **where)

    def proposals(self, *, limit: int = 100) -> list[Record]:
        """What was said by who may not decide, and waits to be accepted."""
        return self._find(limit, state="proposed")

    def stale(self, *, least: float = STALE, limit: int = 100) -> list[Stale]:
        """What could go, most faded first, with the reasons; nothing goes by itself.

        A memory fades with the days since it was last said, changed or recalled: half of it in
        `stale.half_life_days`, and those of `least` or more are told. It lasts longer the more it
        matters, the surer it is and the more often it was of use. What a person said lasts four
        times as long as what an agent did, an importance of 0.9 or more lasts for ever, and what
        was talked about in the meantime is left out.
        """
        if isinstance(least, bool) or not isinstance(least, int | float) or not 0 < least <= 1:
            raise InvalidInputError(
                f"`least` must be above 0 and at most 1, not {least!r:.40}",
                remedy=f"Use a number such as {STALE}, which is two half-lives",
            )
        found = fading(self._door, self._every(), self._now(), least=least)
        return found[: check_limit(limit)]

    def prune(self, *what: Stale | str) -> Receipt | None:
        """Forget what `stale` told of, or records by id, in one change that `undo` takes back.

        Nothing is forgotten if one of them has changed since. An agent prunes what is its own.
        """
        return self._moved([self._meant(one) for one in what], State.FORGOTTEN)

    def _meant(self, one: Stale | str) -> Record:
        record = one.record if isinstance(one, Stale) else self._door.get(check_id(one, "what"))
        if (record.layer, record.scope) != (self.layer, self.scope):
            raise NotFoundError(f"record {record.id} is not in `{self.layer}` of `{self.scope}`")
        return record

    def delete(self, category: str, key: str) -> Receipt:
        """Hide a value; `undo` brings it back."""
        return self._door.forget(self._required(key, **only("kind", category, "category")).id)
