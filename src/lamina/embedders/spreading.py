"""How near an embedder places texts that have nothing in common.

Ranking was measured with our own, which places them nearly at right angles. Many models place
everything in a narrow cone; taken as it comes, their cosine would call anything likely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.embedders.protocol import Role
from lamina.embedders.separating import embed_each

if TYPE_CHECKING:
    from lamina.embedders.checking import CheckedEmbedder

OWN: Final = 0.0654
"""The mean cosine that our own embedder gives these texts: the zero of what is said of others."""
_ON_QUESTIONS: Final = {"lamina|": 0.0, "all-MiniLM-L6-v2|": -0.13}
"""What was measured with questions and documents, longer than these texts, by `bench retrieval`."""
_FEWEST: Final = 8
_PRECISION: Final = 4
"""Digits that are kept, so that who measured and who reads it reckon with the same number."""
_UNRELATED: Final = (
    "The invoice was paid twice by mistake.", "Her brother plays the cello.",
    "Rain is expected over the northern hills.", "def close(handle): handle.flush()",
    "Add two eggs and stir until smooth.", "The referee stopped the match after an hour.",
    "Kubernetes restarts the pod when the probe fails.", "He is allergic to shellfish.",
    "The museum lends two paintings to Madrid.", "We moved the stand-up to ten o'clock.",
    "Penguins hatch on the ice in July.", "My password hint is the name of a street.",
    "The bridge was closed for repairs.", "Select all rows where the total is null.",
    "They named the puppy after a poet.", "Interest rates fell by half a percent.",
)  # fmt: skip


def known_nearness(fingerprint: str) -> float | None:
    """The same for an embedder with which recall was measured; nothing for another."""
    found = (near for name, near in _ON_QUESTIONS.items() if fingerprint.startswith(name))
    return next(found, None)


def nearness_of_the_unrelated(embedder: CheckedEmbedder) -> float | None:
    """The mean cosine of texts that have nothing in common, on a scale where our own has 0.

    Nothing where the embedder takes too few of them to tell.

    Raises:
        EmbedderError: The embedder is down, or answers wrongly.
    """
    import numpy as np

    found = embed_each(embedder, _UNRELATED, Role.DOCUMENT).vectors
    if len(found) < _FEWEST:
        return None
    rows = np.array(list(found.values()))
    others = float((rows @ rows.T).sum()) - len(rows)
    mean = others / (len(rows) * (len(rows) - 1))
    return round((mean - OWN) / (1 - OWN), _PRECISION)
