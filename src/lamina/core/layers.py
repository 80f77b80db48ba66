"""Layers: what sorts of memory there are, declared as data.

A layer says which kinds it holds, what makes a key unique, whether records change, how durable a
write is and how much history stays. Code asks these declarations; it never asks for a layer by
name.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from lamina.core.record import INDEXED, Record, State
from lamina.errors import InvalidInputError


class Durability(StrEnum):
    """What an acknowledged write survives."""

    SYNCED = "synced"
    """Power loss: the bytes were on the disk before the call returned."""
    COMMITTED = "committed"
    """Death of the process; power loss only once a later synced commit has followed."""
    EPHEMERAL = "ephemeral"
    """Nothing beyond this process."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The rules of one layer."""

    name: str
    kinds: tuple[str, ...]
    """The kinds the layer is made for, the usual one first."""
    open_kinds: bool = True
    """Whether other kinds are welcome."""
    append_only: bool = False
    """Append, archive, forget and erase only: a record never gets other content."""
    key_includes_kind: bool = False
    """Whether one key may stand once per kind, rather than once per scope."""
    durability: Durability = Durability.SYNCED
    history: int | None = None
    """How many earlier versions stay; `None` keeps all."""
    horizon: timedelta | None = None
    """How long a version stays once it was replaced; `None` is for ever.

    Only maintenance applies it. Most layers keep all: what was believed, and when, is what a memory
    is for. Signals are news, which a subscriber that was away still gets for so long; and what was
    read out of files can be read out of them again.
    """
    pipeline_only: bool = False
    """Written by extraction and indexing alone."""
    indexed: bool = True
    """Whether its words are in the keyword index; working memory is private even in that."""
    in_order: bool = False
    """Whether it is told in order, so that what was said before helps to understand a record."""
    unsaid: tuple[str, ...] = ()
    """Kinds that keep the books of the layer: listed and filtered, but nothing to be searched."""
    recalled: bool = True
    """Whether a plain recall looks here; otherwise only when the layer is named."""
    owner_only: bool = False
    """Whether it says who may come in: seen and written by those alone who have the whole store,
    listed only by name, and never exported or imported."""
    hot: bool = False
    """Whether it is what agents are at right now, which a store of its own may keep."""


_ALL: Final = (
    Layer("working", ("scratchpad", "plan", "constraints", "context"),
          durability=Durability.COMMITTED, history=0, indexed=False, recalled=False, hot=True),
    Layer("now", ("objective", "next_steps", "profile", "frame"), unsaid=("frame",)),
    Layer("fact", ("general", "preference", "personal", "config"), open_kinds=False),
    Layer("blackboard", ("signal",), durability=Durability.COMMITTED,
          horizon=timedelta(days=30), hot=True),
    Layer("session", ("user", "assistant", "tool_call", "tool_result", "summary"),
          open_kinds=False, append_only=True, key_includes_kind=True, in_order=True,
          recalled=False),
    Layer("log", ("SYSTEM", "TOOL_USE", "THOUGHT", "USER_FEEDBACK", "ERROR"),
          open_kinds=False, append_only=True, in_order=True),
    Layer("notebook", ("note", "reasoning", "tool_output")),
    Layer("episode", ("attempted", "completed", "failed", "retried"),
          open_kinds=False, append_only=True),
    Layer("knowledge",
          ("fact", "convention", "architecture", "decision", "pattern", "pitfall",
           "codebase", "preference", "outcome", "failure"),
          key_includes_kind=True),
    Layer("artifact", ("file", "patch", "test", "document", "config"), open_kinds=False),
    Layer("item", ("note", "entity", "claim", "task", "decision"),
          open_kinds=False, pipeline_only=True, horizon=timedelta(days=90)),
    Layer("source", ("chunk", "file", "root", "extract"), unsaid=("file", "root", "extract"),
          pipeline_only=True, horizon=timedelta(days=90)),
    Layer("task", ("task",), hot=True),
    Layer("archive", ("original", "capsule", "summary"), recalled=False),
    Layer("access", ("key", "code"), open_kinds=False, append_only=True, indexed=False,
          recalled=False, owner_only=True),
)  # fmt: skip

LAYERS: Final = {layer.name: layer for layer in _ALL}
OWNERS: Final = frozenset(name for name, layer in LAYERS.items() if layer.owner_only)
"""What only those see who have the whole store."""
HOT: Final = frozenset(name for name, layer in LAYERS.items() if layer.hot)
"""What a store of its own may keep."""
SHARED: Final = frozenset(
    ("knowledge", "episode", "artifact", "blackboard", "item", "source", "task", "fact")
)
"""What the agents of one project may read of each other's common scopes."""


def layer_named(name: object) -> Layer:
    """The layer called `name`, or an error that lists the layers there are."""
    found = LAYERS.get(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidInputError(
            f"`layer` is not one of Lamina's layers: {name!r:.40}",
            remedy=f"Use one of: {', '.join(LAYERS)}",
        )
    return found


def check_kind_of(layer: Layer, kind: str, argument: str = "kind") -> str:
    """Return `kind` if the layer holds such records."""
    if layer.open_kinds or kind in layer.kinds:
        return kind
    raise InvalidInputError(
        f"`{argument}` {kind!r:.80} does not belong in the layer `{layer.name}`",
        remedy=f"Use one of: {', '.join(layer.kinds)}",
    )


def slot(layer: Layer, scope: str, kind: str, key: str) -> str:
    """The place that only one current record may hold."""
    return "\x1f".join((scope, layer.name, kind if layer.key_includes_kind else "", key))


def place_of(record: Record) -> str | None:
    """The slot that a record holds while it is current."""
    if record.key is None or record.state is not State.CURRENT:
        return None
    return slot(LAYERS[record.layer], record.scope, record.kind, record.key)


def is_indexed(record: Record) -> bool:
    """Whether the record's words belong in the keyword index."""
    layer = LAYERS[record.layer]
    return record.state in INDEXED and layer.indexed and record.kind not in layer.unsaid
