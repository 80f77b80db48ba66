"""Asking an application without a wire: for tables of questions whose verdict alone counts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

App = Callable[[Any, Any, Any], Awaitable[None]]


class Verdict(NamedTuple):
    """What was answered."""

    status: int
    text: str


async def ask(
    app: App, method: str, path: str, headers: dict[str, str], body: bytes = b""
) -> Verdict:
    """What an application answers; of a stream, which has no end of its own, how it begins."""
    begun: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    sent = {"host": "localhost", "content-type": "application/json", **headers}
    sent["content-length"] = str(len(body))
    scope = {
        "type": "http", "http_version": "1.1", "scheme": "http", "method": method, "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1),
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
    }  # fmt: skip
    parts = [{"type": "http.request", "body": body, "more_body": False}]
    said: list[bytes] = []

    async def receive() -> dict[str, Any]:
        while not parts:
            # Nobody goes away before the answer has begun.
            await asyncio.sleep(60)
        return parts.pop()

    async def send(message: dict[str, Any]) -> None:
        said.append(message.get("body", b""))
        if message["type"] == "http.response.body" and not begun.done():
            begun.set_result(status[0])
        elif message["type"] == "http.response.start":
            status.append(message["status"])

    status: list[int] = []
    answering = asyncio.ensure_future(app(scope, receive, send))
    either: list[asyncio.Future[Any]] = [answering, begun]
    await asyncio.wait(either, timeout=20, return_when=asyncio.FIRST_COMPLETED)
    answering.cancel()
    await asyncio.gather(answering, return_exceptions=True)
    return Verdict(status[0], b"".join(said).decode())
