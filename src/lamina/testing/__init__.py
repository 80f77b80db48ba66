"""What anyone who writes a store or an embedder, or tests against one, can use.

`FakeEmbedder` needs no model, `FaultyEmbedder` goes wrong on demand. `ScriptedProposer` stands in
for a model that proposes items, and `ScriptedModel` for one that chats.

`StoreContract` is `lamina.stores.base` made executable: inherit from it, supply a fixture called
`store`, and pytest runs every clause. It needs pytest and hypothesis, which Lamina itself does not:
install them beside it, and import this package from tests only.
"""

import pytest

# Without this a failed assertion in the clauses would not say what it compared.
pytest.register_assert_rewrite("lamina.testing.contract")

from lamina.models.scripted import ScriptedModel  # noqa: E402
from lamina.testing.contract import (  # noqa: E402  # only after the line above
    DurableContract,
    ScrubbedContract,
    SharedContract,
    StoreContract,
)
from lamina.testing.embedders import FakeEmbedder, Fault, FaultyEmbedder  # noqa: E402
from lamina.testing.proposers import ScriptedProposer  # noqa: E402

__all__ = [
    "DurableContract",
    "FakeEmbedder",
    "Fault",
    "FaultyEmbedder",
    "ScriptedModel",
    "ScriptedProposer",
    "ScrubbedContract",
    "SharedContract",
    "StoreContract",
]
