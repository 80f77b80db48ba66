"""`lamina.connect`: the same `Memory`, on a store that a server keeps.

The client is a store: every face, adapter and agent works on it unchanged. What it asks for is
decided again at the server, which trusts nothing of it but the key.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lamina.core.instants import check_seconds
from lamina.core.names import check_name
from lamina.core.principal import Role, Surface
from lamina.core.scope import Scope

if TYPE_CHECKING:
    from lamina.memory import Memory

_SECONDS: Final = 30.0


def connect(
    url: str, *, key: str | None = None, project: str | None = None, timeout: float = _SECONDS
) -> Memory:
    """Connect to a server and return a handle, with the same methods as that of `lamina.open`.

    Args:
        url: Where the server is, as `http://127.0.0.1:8484`.
        key: What `lamina token create` showed, or a token made of it; it says who acts. Without
            it, the environment variable `LAMINA_KEY` is used.
        project: Confine the handle to one project; only the key of an admin can.
        timeout: How many seconds an answer may take.

    Raises:
        StoreUnavailableError: The server is away; a handle that is there recovers by itself.
        UnauthenticatedError: The key is none that the server knows.
        StoreVersionError: The server is of another version.
    """
    from lamina import config
    from lamina.memory import AgentMemory, Memory
    from lamina.remote.afar import Afar, VectorsAfar
    from lamina.remote.store import RemoteStore
    from lamina.remote.transport import Transport

    shown = config.load_key() if key is None else key
    store = RemoteStore(Transport(url, shown, check_seconds(timeout, "timeout")))
    principal = replace(store.me.principal, surface=Surface.HTTP)
    kind = AgentMemory if principal.role is Role.AGENT else Memory
    afar, vectors = Afar(store), VectorsAfar(store)
    handle = kind(store, afar.vault(), principal, vectors=vectors, afar=afar)
    return handle if project is None else _confined(handle, project)


def _confined(handle: Memory, project: str) -> Memory:
    root = Scope.of(f"project/{check_name(project, 'project')}")
    return handle if handle.principal.root == root else handle.project(project)
