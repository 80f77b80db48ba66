"""Scopes: where a record belongs, as a path under a root.

`global`, `project/<p>`, `user/<u>` and `agent/<a>` are roots; `/agent/<a>`, `/task/<t>` and
`/session/<s>` may follow, in that order, so that one place has one spelling. A root is also a
*stream*: the unit that has its own sequence, chain and keyword statistics. What is hot may have a
second one, in a store of its own.
"""

from dataclasses import dataclass, field
from typing import Final

from lamina.core.names import check_name
from lamina.errors import InvalidInputError

ROOTS: Final = ("project", "user", "agent")
_BELOW: Final = ("agent", "task", "session")
_HOT: Final = "+hot"
"""Ends the name of a stream that is not the root's own; no scope can have it."""
_FORMS: Final = (
    "Scopes are global, project/NAME, user/NAME or agent/NAME,"
    " then /agent/NAME, /task/NAME, /session/NAME in that order"
)


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """A checked path. Build it with `Scope.of`, which refuses whatever is not one."""

    path: str
    stream: str = field(compare=False)
    """The root scope, whose sequence this scope's changes belong to."""

    @classmethod
    def of(cls, path: "str | Scope", argument: str = "scope") -> "Scope":
        """Read a path such as `project/web/task/t-7`."""
        if isinstance(path, Scope):
            return path
        if not isinstance(path, str):
            raise InvalidInputError(f"`{argument}` must be text, not {type(path).__name__}")
        head, *rest = path.split("/", 8)
        if head == "global":
            root, pairs = "global", rest
        elif head in ROOTS and rest:
            root, pairs = f"{head}/{check_name(rest[0], argument)}", rest[1:]
        else:
            raise InvalidInputError(f"`{argument}` is not a scope: {path!r:.80}", remedy=_FORMS)
        _check_below(pairs, head, path, argument)
        return cls(path, root)

    def child(self, level: str, name: str) -> "Scope":
        """The scope one level below, as `Scope.of("project/web").child("task", "t-7")`."""
        return Scope.of(f"{self.path}/{level}/{check_name(name, level)}")

    def part(self, level: str) -> str | None:
        """The name at a level (`project`, `agent`, `task`, …), if this scope has one."""
        parts = self.path.split("/")
        pairs = parts[1:] if parts[0] == "global" else parts
        return dict(zip(pairs[::2], pairs[1::2], strict=True)).get(level)

    def contains(self, other: "Scope") -> bool:
        """Whether `other` is this scope or lies below it."""
        return other.path == self.path or other.path.startswith(self.path + "/")

    def __str__(self) -> str:
        return self.path


def stream_of(path: str) -> str:
    """The root of a path that has been checked before, or of a grant's prefix."""
    return "global" if path.split("/", 1)[0] == "global" else "/".join(path.split("/", 2)[:2])


def hot_stream(root: str) -> str:
    """The stream of what is hot in a root scope, where a store of its own keeps that."""
    return root + _HOT


def is_hot(stream: str) -> bool:
    """Whether a stream is that of what is hot."""
    return stream.endswith(_HOT)


def root_of(stream: str) -> str:
    """The root scope that a stream belongs to."""
    return stream.removesuffix(_HOT)


def _check_below(pairs: list[str], head: str, path: str, argument: str) -> None:
    levels = pairs[::2]
    # An agent below an agent would have two owners.
    allowed = [level for level in _BELOW if level != head]
    known = [level for level in allowed if level in levels]
    if len(pairs) % 2 or levels != known:
        raise InvalidInputError(f"`{argument}` is not a scope: {path!r:.80}", remedy=_FORMS)
    for name in pairs[1::2]:
        check_name(name, argument)


GLOBAL: Final = Scope.of("global")
