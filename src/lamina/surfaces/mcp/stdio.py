"""The server on standard streams: one client, one principal, until the client goes."""

import logging
import signal
import sys

import anyio

from lamina.memory import Memory
from lamina.surfaces.mcp.server import build


def serve(memory: Memory, profile: str) -> None:
    """Answer whoever started this process, in the name of a handle's principal."""
    # Standard output belongs to the protocol.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    # Whoever waits for input cannot be woken by an interrupt, and would never end. A store takes
    # no harm from a process that is cut off.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(build(lambda _: memory, profile).run_stdio_async)
