"""What the shell may offer behind an option or an argument.

Called while a person types: nothing is created, and whatever goes wrong, nothing is offered.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from lamina.surfaces.cli.session import Session

_MOST: Final = 50

Words = Callable[[click.Context], Iterable[str]]
Completer = Callable[[click.Context, click.Parameter, str], "list[str]"]


def offering(words: Words) -> Completer:
    """Offer the words that begin as what was typed does."""

    def complete(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
        return [word for word in words(context) if word.startswith(typed)]

    return complete


def _layers(_: click.Context) -> Iterable[str]:
    from lamina.core.layers import LAYERS

    return LAYERS


def _kinds(context: click.Context) -> Iterable[str]:
    """The kinds of the layer that was named, or of all."""
    from lamina.core.draft import DEFAULT_LAYER
    from lamina.core.layers import LAYERS

    named = context.params.get("layers") or [context.params.get("layer")]
    chosen = [LAYERS[name] for name in named if name in LAYERS]
    usual = [LAYERS[DEFAULT_LAYER], *LAYERS.values()]
    return dict.fromkeys(kind for layer in chosen or usual for kind in layer.kinds)


def _states(_: click.Context) -> Iterable[str]:
    from lamina.core.record import State

    return [state.value for state in State]


def _origins(_: click.Context) -> Iterable[str]:
    from lamina.core.record import Trust

    return [trust.value for trust in Trust]


def _roles(_: click.Context) -> Iterable[str]:
    from lamina.core.principal import Role

    return [role.value for role in Role]


def _orders(_: click.Context) -> Iterable[str]:
    from lamina.core.filters import ORDERABLE

    fields = sorted(ORDERABLE)
    return [*fields, *(f"-{field}" for field in fields)]


def _settings(_: click.Context) -> Iterable[str]:
    from lamina.core.settings import SETTINGS

    return SETTINGS


def _choices(context: click.Context) -> Iterable[str]:
    """What the setting that was named can be."""
    from lamina.core.settings import SETTINGS

    setting = SETTINGS.get(context.params.get("name") or "")
    return () if setting is None else setting.choices


def _embedders(_: click.Context) -> Iterable[str]:
    from lamina.core.settings import EMBEDDER, SETTINGS

    return [*SETTINGS[EMBEDDER].choices, "ollama:", "openai:"]


def _upkeep(_: click.Context) -> Iterable[str]:
    from lamina.lifecycle.upkeep import PARTS

    return PARTS


def _wider(_: click.Context) -> Iterable[str]:
    from lamina.lifecycle.face import WIDER

    return WIDER


layers: Final = offering(_layers)
upkeep: Final = offering(_upkeep)
wider: Final = offering(_wider)
kinds: Final = offering(_kinds)
states: Final = offering(_states)
origins: Final = offering(_origins)
roles: Final = offering(_roles)
orders: Final = offering(_orders)
embedders: Final = offering(_embedders)
settings: Final = offering(_settings)
choices: Final = offering(_choices)


def _asking(look: Callable[["Session", click.Context, str], Iterable[str]]) -> Completer:
    """Offer what stands in the store, at most so much of it."""

    def complete(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
        session: Session | None = context.obj
        if session is None:
            return []
        try:
            return list(islice(look(session, context, typed), _MOST))
        except Exception:  # whatever it is, a person in the middle of a line cannot act on it
            return []

    return complete


def keys_of(layer: str) -> Completer:
    """Offer the keys that stand in a layer."""

    def look(session: "Session", _: click.Context, typed: str) -> Iterable[str]:
        begun: dict[str, Any] = {"$prefix": typed} if typed else {"$ne": None}
        found = session.handle.query({"layer": layer, "key": begun}, limit=_MOST)
        return dict.fromkeys(record.key for record in found if record.key)

    return _asking(look)


def _records(session: "Session", _: click.Context, typed: str) -> Iterable[str]:
    """Keys of current memories, and ids once one was begun."""
    begun: dict[str, Any] = {"$prefix": typed} if typed else {"$ne": None}
    keyed = session.handle.query({"key": begun}, limit=_MOST)
    found = [record.key for record in keyed if record.key]
    if typed:
        listed = session.handle.query({"id": {"$prefix": typed}}, limit=_MOST)
        found += [record.id for record in listed]
    return dict.fromkeys(found)


def _agents(session: "Session", _: click.Context, typed: str) -> Iterable[str]:
    """Agents that have memories of their own."""
    found = session.unbound.query({"layer": {"$in": ["now", "log", "fact"]}}, limit=_MOST)
    return _parts([record.scope for record in found], "agent", typed)


def _projects(session: "Session", _: click.Context, typed: str) -> Iterable[str]:
    """Projects that hold something."""
    return _parts(session.unbound.store.streams(), "project", typed)


def _sessions(session: "Session", context: click.Context, typed: str) -> Iterable[str]:
    """Sessions of whoever acts, the newest first."""
    session.name = session.name or context.params.get("agent")
    return (name for name in session.handle.session.names() if name.startswith(typed))


def _proposals(session: "Session", _: click.Context, typed: str) -> Iterable[str]:
    """Ids of what waits for a yes."""
    found = session.handle.query({"state": "proposed"}, limit=_MOST)
    return (record.id for record in found if record.id.startswith(typed))


records: Final = _asking(_records)
agents: Final = _asking(_agents)
projects: Final = _asking(_projects)
sessions: Final = _asking(_sessions)
proposals: Final = _asking(_proposals)


def kinds_of(layer: str) -> Completer:
    """Offer the kinds that a layer is made for."""

    def kinds(_: click.Context) -> Iterable[str]:
        from lamina.core.layers import LAYERS

        return LAYERS[layer].kinds

    return offering(kinds)


def files(_: click.Context, __: click.Parameter, typed: str) -> "list[CompletionItem]":
    """Let the shell offer its files."""
    return _left_to_the_shell(typed, "file")


def folders(_: click.Context, __: click.Parameter, typed: str) -> "list[CompletionItem]":
    """Let the shell offer its directories."""
    return _left_to_the_shell(typed, "dir")


def _parts(scopes: list[str], level: str, typed: str) -> list[str]:
    """The names that scopes have on a level, as far as they begin so."""
    from lamina.core.scope import Scope

    found = {name for scope in scopes if (name := Scope.of(scope).part(level))}
    return sorted(name for name in found if name.startswith(typed))


def _left_to_the_shell(typed: str, sort: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type=sort)]
