"""Why an answer may be empty: a project that nothing was ever kept in, a time before everything."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lamina.surfaces.cli.session import Session

if TYPE_CHECKING:
    from lamina.core.scope import Scope

_PROJECT = "project/"


def tell_why(session: Session, scope: str | None, as_of: str | None) -> None:
    """Say beside an empty answer what it may be empty for, as far as that is no secret."""
    for reason in _reasons(session, scope, as_of):
        session.out.note(reason)
        return


def _reasons(session: Session, scope: str | None, as_of: str | None) -> Iterator[str]:
    from lamina.core.scope import Scope

    memory = session.memory(scope)
    root = Scope.of(scope) if scope is not None else memory.principal.root
    if root is not None and not memory.store.position({root.stream}):
        yield f"{_named(root)} holds nothing{_instead(session, root)}"
    if (
        as_of is not None
        and memory.count(scope=scope)
        and not memory.count(scope=scope, as_of=as_of)
    ):
        yield "Nothing was there yet at that time"


def _named(root: "Scope") -> str:
    stream = root.stream
    is_project = stream.startswith(_PROJECT)
    return f"The project {stream.removeprefix(_PROJECT)}" if is_project else stream


def _instead(session: Session, root: "Scope") -> str:
    """A project that may have been meant; only its owner hears of others."""
    if session.is_acting:
        return ""
    from difflib import get_close_matches

    there = [name for name in session.unbound.store.streams() if name.startswith(_PROJECT)]
    near = get_close_matches(root.stream, there, n=1, cutoff=0.75)
    return f"; did you mean {near[0].removeprefix(_PROJECT)}?" if near else ""
