"""A relay between a client and a server that can be told to fail as networks do."""

import selectors
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_RESET = struct.pack("ii", 1, 0)


class Proxy:
    """Passes bytes on, until it is told otherwise."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._flows = threading.Event()
        self._flows.set()
        self._ended = self._refuses = self._deaf = False
        self._ambush: tuple[bytes, bool | None] | None = None
        self._retold: Callable[[bytes], bytes] = bytes
        self.connections = 0
        """How many there were so far."""
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def cut(self) -> None:
        """Reset every connection."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for one in (one for pair in pairs for one in pair):
            with suppress(OSError):
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                one.shutdown(socket.SHUT_RDWR)
                one.close()

    def stall(self) -> None:
        """Take everything and pass nothing on, as a network that swallows packets."""
        self._flows.clear()

    def deafen(self) -> None:
        """Pass on what clients say and none of the answers: what they ask for is done."""
        self._deaf = True

    def ambush(self, word: bytes, *, heard: bool) -> None:
        """End the connection of the next client that says a word: after the server heard it or not.

        `is_sprung` says when that has happened.
        """
        self._ambush = (word, heard)

    def trap(self, word: bytes) -> None:
        """Stall everything as soon as a client says a word, which the server does not hear yet."""
        self._ambush = (word, None)

    def retell(self, how: Callable[[bytes], bytes]) -> None:
        """Have what servers say go through a function, until it flows again."""
        self._retold = how

    @property
    def is_sprung(self) -> bool:
        """Whether nobody is waited for."""
        return self._ambush is None

    def flow(self) -> None:
        """Pass on again."""
        self._deaf = False
        self._retold = bytes
        self._flows.set()

    def refuse(self) -> None:
        """Cut every connection, and end each new one at once."""
        self._refuses = True
        self.cut()

    def accept(self) -> None:
        """Take new connections again."""
        self._refuses = False

    def end(self) -> None:
        """Be gone."""
        self._ended = True
        self.flow()
        with suppress(OSError):
            # To close it alone would not wake who waits for the next.
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()
        self._thread.join(5)

    def _accept(self) -> None:
        while not self._ended:
            try:
                client, _ = self._listening.accept()
            except OSError:
                continue
            server = self._reached()
            if server is None:
                client.close()
                continue
            self.connections += 1
            with self._lock:
                self._pairs.append((client, server))
            threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()

    def _reached(self) -> socket.socket | None:
        if self._refuses:
            return None
        try:
            return socket.create_connection(("127.0.0.1", self._to))
        except OSError:
            return None

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        with selectors.DefaultSelector() as both, suppress(OSError, ValueError, KeyError):
            both.register(client, selectors.EVENT_READ, server)
            both.register(server, selectors.EVENT_READ, client)
            while True:
                for key, _ in both.select(0.2):
                    said = key.fileobj.recv(65536)  # type: ignore[union-attr]
                    self._flows.wait()
                    if not said:
                        raise OSError("one side is done")
                    if key.fileobj is client and self._is_caught(said, server):
                        raise OSError("ended in the middle of it")
                    if key.fileobj is client:
                        server.sendall(said)
                    elif not self._deaf:
                        client.sendall(self._retold(said))
        for one in (client, server):
            with suppress(OSError):
                one.close()

    def _is_caught(self, said: bytes, server: socket.socket) -> bool:
        with self._lock:
            if self._ambush is None or self._ambush[0] not in said:
                return False
            heard = self._ambush[1]
            if heard is None:
                self._flows.clear()
            self._ambush = None
        if heard is None:
            self._flows.wait()
            return False
        if heard:
            server.sendall(said)
        return True


@contextmanager
def proxied(address: str) -> Iterator[tuple[Proxy, str]]:
    """A relay before the server of an address over TCP, and the address that leads through it."""
    before, _, rest = address.partition("@127.0.0.1:")
    port, _, after = rest.partition("/")
    proxy = Proxy(int(port))
    try:
        yield proxy, f"{before}@127.0.0.1:{proxy.port}/{after}"
    finally:
        proxy.end()
