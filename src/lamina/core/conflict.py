"""Who wins when a write meets a current record it has not seen.

Higher trust first; then the same author's newest word, so that a correction is never blocked by
an old confidence; then higher confidence. A tie belongs to the arbiter: an orchestrator or admin
simply wins it; between agents it goes to the newest, or waits as a proposal when ties are to be
reviewed.
"""

from lamina.core.principal import Principal, Role
from lamina.core.record import Content


def wins(incoming: Content, current: Content, speaker: Principal, *, ties_wait: bool) -> bool:
    """Whether the incoming content replaces the current one; the loser is kept as a proposal."""
    if incoming.trust is not current.trust:
        return incoming.trust.rank > current.trust.rank
    if incoming.source == current.source:
        return True
    if incoming.confidence != current.confidence:
        return incoming.confidence > current.confidence
    return speaker.role in (Role.ADMIN, Role.ORCHESTRATOR) or not ties_wait
