"""What anyone who writes a store or an embedder, or tests against one, can use.

`FakeEmbedder` needs no model, `FaultyEmbedder` goes wrong on demand. `ScriptedProposer` stands in
for a model that proposes items, and `ScriptedModel` for one that chats.

`StoreContract` is `lamina.stores.base` made executable: inherit from it, supply a fixture called
`store`, and pytest runs every clause. It needs pytest and hypothesis, which Lamina itself does not:
install them beside it. Each name is loaded when it is first used, so the others need neither.
"""

import sys
from typing import TYPE_CHECKING

from lamina.core.lazy import loading

if TYPE_CHECKING:
    from lamina.models.scripted import ScriptedModel
    from lamina.testing.contract import (
        ChainedContract,
        DurableContract,
        ExpiringContract,
        HotContract,
        LastingContract,
        LayeredContract,
        PastContract,
        ScrubbedContract,
        SharedContract,
        StoreContract,
    )
    from lamina.testing.embedders import FakeEmbedder, Fault, FaultyEmbedder
    from lamina.testing.proposers import ScriptedProposer

_HOMES = {
    "lamina.models.scripted": ("ScriptedModel",),
    "lamina.testing.contract": (
        "ChainedContract",
        "DurableContract",
        "ExpiringContract",
        "HotContract",
        "LastingContract",
        "LayeredContract",
        "PastContract",
        "ScrubbedContract",
        "SharedContract",
        "StoreContract",
    ),
    "lamina.testing.embedders": ("FakeEmbedder", "Fault", "FaultyEmbedder"),
    "lamina.testing.proposers": ("ScriptedProposer",),
}

__all__ = [
    "ChainedContract",
    "DurableContract",
    "ExpiringContract",
    "FakeEmbedder",
    "Fault",
    "FaultyEmbedder",
    "HotContract",
    "LastingContract",
    "LayeredContract",
    "PastContract",
    "ScriptedModel",
    "ScriptedProposer",
    "ScrubbedContract",
    "SharedContract",
    "StoreContract",
]

if "pytest" in sys.modules:
    # Without this a failed assertion in the clauses would not say what it compared.
    sys.modules["pytest"].register_assert_rewrite("lamina.testing.contract")

__getattr__ = loading(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
