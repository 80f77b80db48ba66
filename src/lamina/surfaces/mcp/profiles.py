"""Which tools a server offers: ours, or those of another server under their own names."""

from typing import Final

from lamina.errors import InvalidInputError
from lamina.surfaces.mcp.tool import Plan
from lamina.surfaces.mcp.tools import TOOLS

PROFILES: Final = {"default": TOOLS}


def plans_of(profile: str) -> tuple[Plan, ...]:
    """The tools of a profile."""
    found = PROFILES.get(profile)
    if found is None:
        raise InvalidInputError(
            f"`profile` is not one that there is: {profile!r:.40}",
            remedy=f"Use one of: {', '.join(PROFILES)}",
        )
    return found
