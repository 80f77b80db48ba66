"""What may be said about a context, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypedDict

from lamina.core.layers import layer_named
from lamina.core.names import check_name
from lamina.core.options import check_options
from lamina.core.settings import SPLIT
from lamina.core.shares import check_split
from lamina.core.text import estimate_tokens
from lamina.errors import InvalidInputError, StoreUnavailableError
from lamina.layers.splits import LEARNED, Splits
from lamina.paging.context import FORMS, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from lamina.layers.face import Door

USUAL_BUDGET: Final = 4_000
SMALLEST: Final = 64
LARGEST: Final = 10_000_000
LAYERS: Final = ("knowledge", "fact", "notebook", "episode", "item", "source", "task", "artifact")


class ContextOptions(TypedDict, total=False):
    """What may be said about a context."""

    budget: int
    """How many tokens it may take, marks included."""
    split: str | Mapping[str, float] | None
    """How much of what is recalled comes from task, project and global: `40/40/20`, `learned`."""
    task: str | None
    """The task at hand: its notes are the first tier."""
    session: str | None
    """The session that is before the model itself: what was said there need not be told again."""
    layers: Sequence[str] | None
    """The layers that are searched; sessions only when they are named."""
    hot: bool
    """Whether NOW, the tail of the log, facts, open tasks and MEMORY come first, as is usual."""
    empty: bool
    """Whether NOW, LOG and FACTS are named even when there is nothing in them."""
    form: str
    """The form whose tokens count: `text` (as in `messages`) or `blocks`."""
    count: Callable[[str], int] | None
    """Counts the tokens of a text, as the model does; estimated otherwise."""
    now: str | datetime | None
    """The time that words like `yesterday` are read against; the present by default."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything about a context, decided."""

    budget: int
    split: dict[str, float]
    origin: str
    task: str | None
    session: str | None
    layers: list[str]
    hot: bool
    empty: bool
    form: str
    count: Callable[[str], int]
    now: str | datetime | None

    @property
    def teaches(self) -> bool:
        """Whether use that is told back moves the split."""
        return self.origin == LEARNED


def asked(door: Door, options: ContextOptions) -> Asked:
    """Check what was said, and fill in the rest.

    Raises:
        InvalidInputError: It is not something that a context can be told.
    """
    check_options(options, ContextOptions, "something a context can be told")
    split, origin = _split(door, options.get("split"))
    task, session = options.get("task"), options.get("session")
    form = options.get("form", TEXT)
    if form not in FORMS:
        raise InvalidInputError(
            f"`form` cannot be {form!r:.40}", remedy=f"Use one of: {', '.join(FORMS)}"
        )
    return Asked(
        _budget(options.get("budget", USUAL_BUDGET)), split, origin,
        None if task is None else check_name(task, "task"),
        None if session is None else check_name(session, "session"), _layers(options.get("layers")),
        _switch(options.get("hot", True), "hot"), _switch(options.get("empty", False), "empty"),
        form, _counting(options.get("count")), options.get("now"),
    )  # fmt: skip


def _counting(count: object) -> Callable[[str], int]:
    """What counts tokens, held to saying a number."""
    if count is None:
        return estimate_tokens
    if not callable(count):
        raise InvalidInputError(f"`count` must be a function of a text, not {count!r:.40}")

    def checked(text: str) -> int:
        found = count(text)
        if isinstance(found, int | float) and 0 <= found < float("inf"):
            return math.ceil(found)
        raise InvalidInputError(
            f"`count` must say how many tokens a text has, and said {found!r:.40}",
            remedy="Return a number from 0 on",
        )

    return checked


def _budget(budget: object) -> int:
    if type(budget) is int and SMALLEST <= budget <= LARGEST:
        return budget
    raise InvalidInputError(
        f"`budget` must be a number of tokens from {SMALLEST} to {LARGEST:,}, not {budget!r:.40}",
        remedy=f"Say how much of the model's window memory may take, as {USUAL_BUDGET}",
    )


def _switch(value: object, argument: str) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidInputError(f"`{argument}` must be True or False, not {value!r:.40}")


def _layers(layers: object) -> list[str]:
    if layers is None:
        return list(LAYERS)
    if isinstance(layers, str) or not isinstance(layers, list | tuple):
        raise InvalidInputError(f"`layers` must be a list of layers, not {layers!r:.40}")
    return [layer_named(one).name for one in layers]


def _split(door: Door, split: object) -> tuple[dict[str, float], str]:
    """The split in force: of the request, else what use taught, the agent's own, the setting."""
    if split is None or split == LEARNED:
        try:
            found = Splits(door, door.scope).read(learning=True if split == LEARNED else None)
        except StoreUnavailableError:
            # Working memory may lie in a store of its own, and be away alone.
            return check_split(door.settings()[SPLIT]), "setting"
        return found.shares, found.origin
    return check_split(split), "request"
