"""The seven functions of the file-based design, under their own names, on an agent's handle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Unpack

from lamina.core.canonical import check, check_text
from lamina.core.layers import LAYERS, check_kind_of
from lamina.core.names import check_kind
from lamina.errors import InvalidInputError
from lamina.layers.layered import Layered
from lamina.reading import check_limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.compaction import Compaction
    from lamina.compaction.checking import Summarise
    from lamina.core.changes import Receipt
    from lamina.paging.asking import ContextOptions
    from lamina.paging.context import Context
    from lamina.results import Hit

_BUDGET: Final = 16_000
"""The tokens of hot state that goes before a model by itself: its parts bound it, not this."""


class AgentVerbs(Layered):
    """What an agent does with its memory, step by step."""

    if TYPE_CHECKING:

        def context(self, query: str = "", **options: Unpack[ContextOptions]) -> Context:
            """What to put before a model."""

    def update_now(
        self, status: str | None = None, next_steps: Sequence[str] | None = None
    ) -> Receipt:
        """Say what this agent is doing, what comes next, or both."""
        told = None if status is None else check_text(status, "status")
        return self.now.update(told, next_steps)

    def append_log(
        self, entry_type: str, content: str, metadata: Mapping[str, Any] | None = None
    ) -> Receipt:
        """Add an entry to the log: TOOL_USE, THOUGHT, USER_FEEDBACK, ERROR or SYSTEM."""
        told = {} if metadata is None else metadata
        if not isinstance(told, Mapping) or not all(isinstance(name, str) for name in told):
            raise InvalidInputError(
                f"`metadata` must be an object, not {metadata!r:.60}",
                remedy='Write {"name": value}',
            )
        kind = check_kind_of(LAYERS["log"], check_kind(entry_type, "entry_type"), "entry_type")
        return self.log.append(kind, check_text(content, "content"), **check(told, "metadata"))

    def recall_memory(self, query: str, n_results: int = 5) -> list[Hit]:
        """Search everything that this agent may know, what was archived included."""
        layers = [layer.name for layer in LAYERS.values() if layer.recalled]
        return list(
            self._door.recall(
                query, k=check_limit(n_results, "n_results"), layers=[*layers, "archive"]
            ).hits
        )

    def save_fact(self, key: str, value: str, category: str = "general") -> Receipt:
        """Keep a value under a key: `general`, `preference`, `personal` or `config`."""
        return self.fact.save(key, value, category)

    def get_fact(self, key: str) -> str | None:
        """The value under a key, `None` when there is none."""
        return self.fact.get(key)

    def format_context_for_prompt(self) -> str:
        """What this agent does, did and knows, as text to put before a model.

        It is marked as data, dated, and labelled with who said it; no secret is in it.
        """
        return self.context(budget=_BUDGET, empty=True).text

    def compact_log(
        self, *, force: bool = False, summarise: Summarise | None = None
    ) -> Compaction | None:
        """Put a summary in the place of a log of more than 100 entries or 50 KB.

        Every entry goes to layer `archive`, where it is found when that layer is named. `undo` with
        the receipt brings the log back. A shorter log stays as it is unless `force` says otherwise.
        Without `summarise` the summary is extracted by rule.
        """
        from lamina.compaction.logs import compact

        return compact(self._door, self.scope, force=force, summarise=summarise)
