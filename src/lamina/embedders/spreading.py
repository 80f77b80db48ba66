"""How near an embedder places texts that have nothing in common.

Ranking was measured with embedders that place them nearly at right angles; others are asked once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.embedders.protocol import Role
from lamina.errors import EmbedderError

if TYPE_CHECKING:
    from lamina.embedders.checking import CheckedEmbedder

_UNRELATED: Final = (
    "The invoice was paid twice by mistake.", "Her brother plays the cello.",
    "Rain is expected over the northern hills.", "def close(handle): handle.flush()",
    "Add two eggs and stir until smooth.", "The referee stopped the match after an hour.",
    "Kubernetes restarts the pod when the probe fails.", "He is allergic to shellfish.",
)  # fmt: skip


def nearness_of_the_unrelated(embedder: CheckedEmbedder) -> float:
    """The mean cosine of texts that have nothing in common; 0 where the embedder fails."""
    try:
        rows = embedder.embed(_UNRELATED, Role.DOCUMENT)
    except EmbedderError:
        return 0.0
    number = len(_UNRELATED)
    others = float((rows @ rows.T).sum()) - number
    return max(0.0, others / (number * (number - 1)))
