"""What a transaction may see, in the two settings that the policies of the schema read."""

from typing import Final

from lamina.core.access import Grant, Reach

EVERYTHING: Final = "*"


def streams(reach: Reach) -> str:
    """The streams of a reach, as `lamina.streams` names them."""
    found = reach.streams()
    return EVERYTHING if found is None else ",".join(sorted(found))


def scopes(reach: Reach) -> str:
    """The scopes of a reach, as `lamina.scopes` names them: with a `/` behind, all below as well.

    Layers are left to the statements; no policy tells them apart.
    """
    named = sorted({_scope(grant) for grant in reach.grants})
    return EVERYTHING if EVERYTHING in named else ",".join(named)


def _scope(grant: Grant) -> str:
    if grant.scope is None:
        return EVERYTHING
    return f"{grant.scope}/" if grant.subtree else grant.scope
