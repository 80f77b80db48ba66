"""Our real application with the tools in it that the protocol's conformance suite calls.

They are those of the SDK's own example server, which comes with its source distribution; they are
put beside ours, behind our keys, guards, mounting and permissions. The suite shows no key, so one
is added on the way in to what shows none.
"""

import logging
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from lamina import Memory
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.http.server import Server
from lamina.surfaces.mcp.door import Door

_EXAMPLE = "examples/servers/everything-server"


def fetch(work: Path) -> Any:
    """The example server of the SDK that is installed."""
    release = f"mcp=={version('mcp')}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary",
               ":all:", "--dest", str(work), release]  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    [archive] = work.glob("mcp-*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(work, filter="data")
    sys.path.insert(0, str(work / archive.name.removesuffix(".tar.gz") / _EXAMPLE))
    found = import_module("mcp_everything_server.server").mcp
    # It has set up the logging of the whole process.
    logging.getLogger().setLevel(logging.ERROR)
    return found


def put_beside(ours: Any, theirs: Any) -> None:
    """Offer their tools, resources and prompts beside ours."""
    ours._tool_manager._tools.update(theirs._tool_manager._tools)
    ours._resource_manager._resources.update(theirs._resource_manager._resources)
    ours._resource_manager._templates.update(theirs._resource_manager._templates)
    ours._prompt_manager._prompts.update(theirs._prompt_manager._prompts)
    level = theirs._lowlevel_server.get_request_handler("logging/setLevel")
    ours._lowlevel_server.add_request_handler("logging/setLevel", level.params_type, level.handler)


class Keyed:
    """Adds a key to requests that show none."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {key}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not any(
            name == b"authorization" for name, _ in scope["headers"]
        ):
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)


@contextmanager
def serving(memory: Memory, theirs: Any) -> Iterator[str]:
    """Serve a store with the suite's fixtures; yields the address of the protocol."""
    engine = Engine(memory)
    engine.mcp = Door(engine, lambda ours: put_beside(ours, theirs))
    key = engine.keys.create("finn", "agent", project="web").text
    app = Keyed(create_app(engine), key)
    server = Server(uvicorn.Config(app, port=0, log_level="warning"), engine)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join(10)
