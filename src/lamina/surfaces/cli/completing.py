"""What the shell may offer behind an option or an argument.

Called while a person types: nothing is created, and whatever goes wrong, nothing is offered.
"""

from collections.abc import Callable, Iterable
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


def records(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Keys of current memories, and ids once one was begun."""
    session: Session | None = context.obj
    if session is None:
        return []
    try:
        return _names(session, typed)
    except Exception:  # whatever it is, a person in the middle of a line cannot act on it
        return []


def agents(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Agents that have memories of their own."""
    session: Session | None = context.obj
    if session is None:
        return []
    try:
        found = session.unbound.query({"layer": {"$in": ["now", "log", "fact"]}}, limit=_MOST)
        return _parts([record.scope for record in found], "agent", typed)
    except Exception:  # as above
        return []


def projects(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Projects that hold something."""
    session: Session | None = context.obj
    if session is None:
        return []
    try:
        return _parts(list(session.unbound.store.position()), "project", typed)
    except Exception:  # as above
        return []


def keys_of(layer: str) -> Completer:
    """Offer the keys that stand in a layer."""

    def complete(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
        session: Session | None = context.obj
        if session is None:
            return []
        begun: dict[str, Any] = {"$prefix": typed} if typed else {"$ne": None}
        try:
            found = session.handle.query({"layer": layer, "key": begun}, limit=_MOST)
        except Exception:  # as above
            return []
        return list(dict.fromkeys(record.key for record in found if record.key))

    return complete


def sessions(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Sessions of whoever acts, the newest first."""
    session: Session | None = context.obj
    if session is None:
        return []
    session.name = session.name or context.params.get("agent")
    try:
        found = session.handle.session.names()
    except Exception:  # as above
        return []
    return [name for name in found if name.startswith(typed)][:_MOST]


def proposals(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Ids of what waits for a yes."""
    session: Session | None = context.obj
    if session is None:
        return []
    try:
        found = session.handle.query({"state": "proposed"}, limit=_MOST)
    except Exception:  # as above
        return []
    return [record.id for record in found if record.id.startswith(typed)]


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


def _names(session: "Session", typed: str) -> list[str]:
    begun: dict[str, Any] = {"$prefix": typed} if typed else {"$ne": None}
    keyed = session.handle.query({"key": begun}, limit=_MOST)
    found = [record.key for record in keyed if record.key]
    if typed:
        listed = session.handle.query({"id": {"$prefix": typed}}, limit=_MOST)
        found += [record.id for record in listed]
    return list(dict.fromkeys(found))[:_MOST]


def _left_to_the_shell(typed: str, sort: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return [CompletionItem(typed, type=sort)]
