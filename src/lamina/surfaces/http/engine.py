"""What a server works with: the store, who may come in, and how much it takes from each."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from lamina.core.principal import Surface
from lamina.surfaces.http.hub import Hub
from lamina.surfaces.http.pulse import Pulse
from lamina.surfaces.http.stock import Stock
from lamina.surfaces.http.turns import Turns
from lamina.surfaces.mcp.door import Door
from lamina.tokens import Keys
from lamina.tokens.codes import Codes

if TYPE_CHECKING:
    from pathlib import Path

    from lamina.core.principal import Principal
    from lamina.memory import Memory
    from lamina.surfaces.http.metrics import Meter

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
"""What a machine calls itself."""
_HANDLES: Final = 1_000
"""How many principals' handles are kept at hand."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a server takes from one request."""

    body_bytes: int = 4_000_000
    client_bytes: int = 16_000_000
    """The same for our own client, which sends whole commits."""
    import_bytes: int = 1_000_000_000
    """The same for a file to import, which goes to the disk and never as a whole into memory."""
    import_pace: int = 10_000
    """So many bytes of it must come in a second, on the whole: it is sent, not kept waiting."""
    turn_seconds: float = 5.0
    """How long an import waits for the one before it with the same key."""
    body_seconds: float = 15.0
    """How long a client may take to send what it has announced."""
    attempts: int = 10
    """How often in a minute a key may be refused before it is not looked at."""


@dataclass
class Engine:
    """One store behind one server."""

    whole: Memory
    """The handle of the store's owner."""
    limits: Limits = field(default_factory=Limits)
    hosts: tuple[str, ...] = LOOPBACK
    """The names that this server answers to; a port may follow."""
    origins: tuple[str, ...] = ()
    """Addresses of pages that count as the server's own, such as that of a proxy before it."""
    workspace: Path | None = None
    """Where files of artifacts are looked for; nobody who calls can name another folder."""

    def __post_init__(self) -> None:
        self.keys = Keys(self.whole)
        self.codes = Codes(self.whole)
        """What browsers sign in with."""
        self.hub = Hub(self.whole.store, self.keys.still)
        self.pulse = Pulse()
        """What worked lately, for `/api/health`."""
        self.stock = Stock(self.whole.store)
        """Figures about the whole of the store."""
        self.mcp = Door(self)
        self.turns = Turns("import", 4)
        """Who is importing."""
        self.leaving = Turns("export", 16)
        """Who is exporting."""
        self._handles: dict[Principal, Memory] = {}
        self._lock = threading.Lock()

    @cached_property
    def meter(self) -> Meter:
        """What was done so far, for `/metrics`."""
        from lamina.surfaces.http.metrics import Meter

        return Meter(self.whole, self.pulse)

    def handle(self, principal: Principal, surface: Surface = Surface.HTTP) -> Memory:
        """The store as a principal sees it, its changes marked with the door it came through."""
        bound = replace(principal, surface=surface)
        with self._lock:
            found = self._handles.get(bound)
            if found is None:
                if len(self._handles) >= _HANDLES:
                    self._handles.clear()
                found = self._handles[bound] = self.whole.acting(bound)
            return found
