"""Options that a call takes by name, declared as a `TypedDict`: anything else is refused."""

from collections.abc import Iterable

from lamina.errors import InvalidInputError


def check_options(given: Iterable[object], allowed: type, what: str, *also: str) -> None:
    """Refuse a name that nobody would read; `what` completes "… is not".

    `also` are those that the call takes beside what is declared.
    """
    known = allowed.__annotations__.keys()
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        raise InvalidInputError(
            f"`{unknown!s:.40}` is not {what}",
            remedy=f"Use one of: {', '.join((*also, *known))}",
        )


def check_share(value: object, argument: str) -> float:
    """A number from 0 to 1."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InvalidInputError(
        f"`{argument}` must be from 0 to 1, not {value!r:.40}",
        remedy="Use a number such as 0.5, or leave it out",
    )


def check_flag(value: object, argument: str) -> bool:
    """True or false, and nothing that merely counts as one of them."""
    if isinstance(value, bool):
        return value
    raise InvalidInputError(
        f"`{argument}` must be true or false, not {value!r:.40}", remedy="Use one of these"
    )
