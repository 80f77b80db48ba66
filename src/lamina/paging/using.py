"""Whether a reply took up a memory that it was shown: by its words."""

from typing import Final

from lamina.core.text import query_terms
from lamina.paging.lines import LABEL

_SHARE: Final = 0.5
"""The share of a memory's telling words that a reply has to say."""
_FEWEST: Final = 2


def taken_up(line: str, reply: str) -> bool:
    """Whether a reply says half of what is telling in a line, and at least two words of it.

    Who answers in other words took it up all the same: that is not seen, and teaches nothing.
    """
    words = {term.token for term in query_terms(LABEL.sub(" ", line))}
    said = {term.token for term in query_terms(reply)}
    common = len(words & said)
    return common >= min(_FEWEST, len(words)) > 0 and common >= _SHARE * len(words)
