"""The servers that `lamina bench http` measures: ours on a store, and one that does nothing.

python -m lamina.surfaces.http.measured DIRECTORY
"""

import asyncio
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from lamina.bench.measure import resident_kb
from lamina.opening import open as open_memory
from lamina.surfaces.http.app import create_app
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.http.server import Server


def serve(store: Path) -> None:
    """Serve a store as `lamina serve` does, and beside it what costs nothing but the framework."""
    with open_memory(store) as mem:
        engine = Engine(mem)
        ours = Server(uvicorn.Config(create_app(engine), port=0, log_level="warning"), engine)
        empty = uvicorn.Server(uvicorn.Config(_empty(), port=0, log_level="warning"))
        threading.Thread(target=_answer, args=(ours, empty), daemon=True).start()
        asyncio.run(_both(ours, empty))


async def _both(*servers: uvicorn.Server) -> None:
    await asyncio.gather(*(server.serve() for server in servers))


def _empty() -> FastAPI:
    app = FastAPI()

    @app.get("/")
    async def nothing() -> dict[str, Any]:
        return {}

    return app


def _answer(*servers: uvicorn.Server) -> None:
    """Say the ports; then, for each line, what the process takes. The end of the lines ends it."""
    while not all(server.started for server in servers):
        time.sleep(0.01)
    _say([server.servers[0].sockets[0].getsockname()[1] for server in servers])
    for _ in sys.stdin:
        _say({"kb": resident_kb(), "cpu": time.process_time()})
    for server in servers:
        server.should_exit = True


def _say(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
