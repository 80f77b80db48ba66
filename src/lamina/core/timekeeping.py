"""How far a machine's clock is believed.

A clock can be wrong by years: an empty battery, a mistyped date, an old machine image. What the
store has seen bears witness against it. Within reason the clock is taken at its word; beyond that,
time stands still until the clock is right again or someone vouches for it.
"""

from datetime import datetime, timedelta
from typing import Final

from lamina.core.instants import check_instant, to_text

LEAP: Final = timedelta(days=730)
"""How long a store plausibly lies untouched; a longer leap is more likely an error."""
ACCEPT: Final = "clock.accept"
"""The setting that names an instant someone has vouched for."""
NOBODY: Final = "none"
"""What the setting says while nobody has vouched for anything."""


def believed(now: datetime, newest: datetime | None, accepted: datetime | None = None) -> datetime:
    """What the clock says, unless that is years from all that the store has seen.

    `newest` is the time of the store's newest change, `accepted` an instant that someone has
    vouched for. A store that has seen nothing yet believes any clock.
    """
    if newest is None:
        return now
    latest = newest if accepted is None else max(newest, accepted)
    if now - latest > LEAP:
        return latest
    # Believed years too early, a change of today would look like history that may go.
    return newest if newest - now > LEAP else now


def is_plausible(now: datetime, last: datetime) -> bool:
    """Whether the clock is believed on the strength of this one change alone."""
    return timedelta() <= now - last <= LEAP


def check_accepted(value: str) -> str:
    """An instant to vouch for, in the form in which settings keep it."""
    return to_text(check_instant(value, ACCEPT))


def accepted_in(chosen: str | None) -> datetime | None:
    """The instant that someone has vouched for, as the setting has it."""
    return None if chosen in (None, NOBODY) else check_instant(chosen, ACCEPT)
