"""A model that proposes items when files are extracted: `project.item.extract(…, propose=…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.core.layers import LAYERS
from lamina.core.names import to_name
from lamina.extraction.findings import plain, shortened
from lamina.extraction.proposing import Proposal
from lamina.proposing.asking import Task, ask, fit_to_show
from lamina.proposing.statements import Piece

if TYPE_CHECKING:
    from lamina.core.chat import Model
    from lamina.extraction.proposing import Excerpt

_ITEMS: Final = Task(
    "You read lines of a file, and list what it states that is worth finding again: terms it"
    " defines, claims, tasks to be done, decisions, and notes.",
    LAYERS["item"].kinds,
)


class ItemProposer:
    """Asks a chat model about excerpts, by the same rules as about everything else."""

    def __init__(self, model: Model) -> None:
        self.name = to_name(model.name, "model")
        self._model = model

    def __call__(self, excerpt: Excerpt) -> list[Proposal]:
        """What the model states about an excerpt, each with the line that says so."""
        numbered = enumerate(excerpt.text.split("\n"), start=excerpt.first)
        lines = {f"l{number}": (number, line) for number, line in numbered if line.strip()}
        pieces = [Piece(name, fit_to_show(line)) for name, (_, line) in lines.items()]
        if not pieces:
            return []
        found, _ = ask(self._model, _ITEMS, pieces)
        return [
            Proposal(one.kind, shortened(plain(one.text)), one.text, lines[one.piece.name][0])
            for one in found
        ]
