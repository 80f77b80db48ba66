"""What project files say, as items: entities, claims, tasks, decisions and notes, each cited.

Everything up to `mining` is pure: text in, findings out. `entries` and `steps` decide what follows
from them; `shelf` and `following` write layer `item`, and nothing else does. `standing` looks
whether a file still says what was erased.
"""

from lamina.extraction.findings import Finding
from lamina.extraction.following import ExtractOptions, extract
from lamina.extraction.mining import mine
from lamina.extraction.proposing import Excerpt, Proposal, Proposer
from lamina.extraction.standing import still_saying

__all__ = [
    "Excerpt",
    "ExtractOptions",
    "Finding",
    "Proposal",
    "Proposer",
    "extract",
    "mine",
    "still_saying",
]
