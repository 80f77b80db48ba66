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
