"""What a connected handle leaves to the server: the vault, vectors, recall, and looking for bytes.

The server has the key, the model and the files. From here they are asked in one call each, for the
principal of the handle, which the server lets act only as the key allows.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from lamina.core import canonical
from lamina.core.filters import Filter, bounded, parse
from lamina.core.instants import check_instant, to_text
from lamina.embedding import Near, Question, Vectors
from lamina.errors import InvalidInputError
from lamina.vault import DistantVault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lamina.answering import Answered
    from lamina.beside import Beside
    from lamina.core.access import Reach
    from lamina.core.ids import RecordId
    from lamina.core.principal import Principal
    from lamina.core.record import Record
    from lamina.core.vectors import Vector
    from lamina.recalling import How, Recalls
    from lamina.remote.store import RemoteStore
    from lamina.results import Erasure, ErasurePlan, Recall, VectorHealth, WhyNot
    from lamina.stores.base import Store
    from lamina.writing import WritePath

_PATIENCE_SECONDS: Final = 600.0
"""How much longer than usual it may take to make vectors, or to look through all bytes."""


class VectorsAfar(Vectors):
    """The vectors of a server, which makes them by itself; nothing is embedded here."""

    def __init__(self, store: RemoteStore) -> None:
        super().__init__(store)
        self._remote = store

    def question(self, text: str, reach: Reach | None = None) -> Question:
        """No point: questions are placed at the server."""
        del text, reach
        return Question()

    def near(self, texts: Sequence[str], asked: Vector) -> Near:
        """Unknown here."""
        del asked
        return Near([None] * len(texts))

    def owed(self, texts: int) -> tuple[str, ...]:
        """Nothing of this process: the receipt says what the server owes."""
        del texts
        return ()

    def tend(self) -> None:
        """Left to the server."""

    def check(self, spec: str) -> None:
        """Left to the server, which looks whether it can open it."""
        del spec

    def change(self) -> None:
        """Left to the server."""

    def catch_up(self, tell: Callable[[float], None]) -> str | None:
        """Have the server make what is pending."""
        left: str | None = self._remote.ask("catch_up", patience=_PATIENCE_SECONDS)
        tell(1.0)
        return left

    def health(self) -> VectorHealth:
        """How far the server has come."""
        return self._remote.ask("vectors")

    tried = health


class RecallsAfar:
    """Recall at the server, in one call; what was shown of it is told as everywhere."""

    def __init__(self, store: RemoteStore, speaker: Principal, near: Recalls) -> None:
        self._remote = store
        self._speaker = speaker
        self.hand_out = near.hand_out
        self.count_use = near.count_use

    def recall(self, query: str, how: How) -> Recall:
        """Search there; the server tells those who listen."""
        return self._asked(query, how, told=True)

    def find(self, query: str, how: How) -> Recall:
        """The same, but nobody is told."""
        return self._asked(query, how, told=False)

    def answered(self) -> Answered:
        """How the recalls went that the server knows of."""
        return self._remote.ask("answered", by=self._speaker)

    def why_not(self, record: Record, query: str, how: How) -> WhyNot:
        """What kept a record out of such a recall."""
        return self._remote.ask(
            "why_not", by=self._speaker, name=record.id, query=_text(query), how=_sent(how)
        )

    def _asked(self, query: str, how: How, *, told: bool) -> Recall:
        return self._remote.ask(
            "recall", by=self._speaker, query=_text(query), how=_sent(how), told=told
        )


class Afar:
    """The server of a connected handle."""

    def __init__(self, store: RemoteStore) -> None:
        self._store = store

    def recalls(self, near: Recalls, speaker: Principal) -> Recalls:
        """The recall path of a principal, given the one that it would have here."""
        return RecallsAfar(self._store, speaker, near)

    def erase(
        self,
        store: Store,
        path: WritePath,
        reach: Reach,
        records: Sequence[Record],
        beside: Beside | None = None,
    ) -> Erasure:
        """Remove records at the server, which looks for their bytes where they were."""
        del store, reach, beside
        ids = tuple(record.id for record in records)
        return self._store.ask("erase", patience=_PATIENCE_SECONDS, by=path.speaker, ids=ids)

    def plan(
        self,
        store: Store,
        path: WritePath,
        reach: Reach,
        records: Sequence[Record],
        beside: Beside | None = None,
    ) -> ErasurePlan:
        """What erasing records at the server would touch there."""
        del store, reach, beside
        ids = tuple(record.id for record in records)
        return self._store.ask("would_erase", patience=_PATIENCE_SECONDS, by=path.speaker, ids=ids)

    def vault(self) -> DistantVault:
        """The vault of the server."""

        def reveal(speaker: Principal, record_id: RecordId, reference: str) -> str:
            said = self._store.ask("reveal", by=speaker, record_id=record_id, reference=reference)
            return str(said)

        return DistantVault(reveal, lambda value: str(self._store.ask("fingerprint", value=value)))


def _text(query: object) -> str:
    if not isinstance(query, str):
        raise InvalidInputError(f"`query` must be text, not {type(query).__name__}")
    # Halves of characters cannot be sent, and are no part of a word either.
    return query.encode(errors="replace").decode()


def _sent(how: How) -> dict[str, Any]:
    """The options of a recall as JSON; whether they make sense is for the server to say."""
    said: dict[str, Any] = dict(how)
    if "where" in said:
        said["where"] = _conditions(parse(said["where"]))
    for name, value in said.items():
        if isinstance(value, datetime):
            said[name] = to_text(check_instant(value, name))
        elif isinstance(value, set | frozenset):
            said[name] = sorted(value, key=str)
    return {name: canonical.check(value, name) for name, value in said.items()}


def _conditions(where: Filter) -> Any:
    from lamina.remote.codec import codec_of

    return codec_of(Filter).write(where)


def heard(how: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a recall as a server takes them."""
    from lamina.remote.codec import codec_of

    said = dict(how)
    if "where" in said:
        said["where"] = bounded(codec_of(Filter).read(said["where"], "where"))
    return said
