"""Chat servers to talk to: real ones, on a socket, that behave as each test wants."""

import json
import socket
import struct
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from lamina.models.http import ChatModel
from lamina.web import Patience
from tests.embedders.servers import KEY, Behaviour, Exchange, Service

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def model_at(service: Service, *, seconds: float = 5.0, retries: int = 2) -> ChatModel:
    """A model at this server that does not wait long between two tries."""
    again = (408, 425, 429, 500, 502, 503, 504)
    patience = Patience(
        seconds, retries, again=again, pause_seconds=0.001, most=2 << 20, again_if_cut=True
    )
    return ChatModel(f"{service.url}/v1", "tiny", key=KEY, patience=patience)


def whole(message: dict[str, Any] | str, finish: str = "stop", **more: Any) -> dict[str, Any]:
    """An answer at once."""
    said = {"role": "assistant", "content": message} if isinstance(message, str) else message
    return {"choices": [{"index": 0, "message": said, "finish_reason": finish}], **more}


def piece(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """A piece of an answer."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def streaming(pieces: Iterable[dict[str, Any] | str], end: str = "data: [DONE]\n\n") -> Behaviour:
    """Sends pieces as events, and then `end`."""

    def answer(exchange: Exchange) -> None:
        exchange.send_response(200)
        exchange.send_header("Content-Type", "text/event-stream")
        exchange.send_header("Connection", "close")
        exchange.end_headers()
        exchange.close_connection = True
        exchange.wfile.write(b": a comment that says nothing\n\n")
        for one in pieces:
            told = one if isinstance(one, str) else f"data: {json.dumps(one)}\n\n"
            exchange.wfile.write(told.encode())
        exchange.wfile.write(end.encode())

    return answer


def trickling(head: bytes, drop: bytes) -> Behaviour:
    """Says the head and then a drop at a time, each well within the patience of the other side."""

    def answer(exchange: Exchange) -> None:
        exchange.close_connection = True
        with suppress(OSError):
            exchange.wfile.write(head)
            for _ in range(1_000):
                exchange.wfile.write(drop)
                time.sleep(0.01)

    return answer


def resetting(exchange: Exchange) -> None:
    """Hangs up rudely, without a word."""
    exchange.close_connection = True
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.connection.close()


def hanging(exchange: Exchange) -> None:
    """Takes the question, and says nothing until the other side has gone."""
    exchange.close_connection = True
    exchange.connection.settimeout(5)
    exchange.connection.recv(1)
