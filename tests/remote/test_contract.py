"""The contract of every store, through the codec, the client and a real server.

An authorising gateway has its own clock and words and lets nobody speak for others, which is what
many clauses do on purpose. So the routes here are the same, with the store itself behind them; what
the gateway makes of a call is tested beside this, by the front door.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import lamina
from lamina.core.indexing import index_terms
from lamina.core.record import Record
from lamina.core.principal import Principal
from lamina.remote.calls import Me
from lamina.remote.store import RemoteStore
from lamina.remote.transport import Transport
from lamina.stores.base import Store
from lamina.stores.ephemeral import EphemeralStore
from lamina.surfaces.http.routing import Caller
from lamina.surfaces.http.store_routes import declared
from lamina.testing import SharedContract, StoreContract
from lamina.version import VERSION
