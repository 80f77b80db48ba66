"""Server-sent events as a client of ours reads them in tests."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import httpx2

from tests.serving import Served


@dataclass(frozen=True)
class Frame:
    """One event of a stream."""

    id: str
    event: str
    data: Any


class Stream:
    """An open stream, read frame by frame."""

    def __init__(self, response: httpx2.Response) -> None:
        self._lines = response.iter_lines()
        self.response = response
        self.start = self._block()["id"]
        """The place where it began."""

    def take(self, count: int) -> list[Frame]:
        """The next so many events; fewer when it ends."""
        return list(islice(self, count))

    def __iter__(self) -> Iterator[Frame]:
        while block := self._block():
            if "data" in block:
                yield Frame(block["id"], block["event"], json.loads(block["data"]))

    def _block(self) -> dict[str, str]:
        block: dict[str, str] = {}
        for line in self._lines:
            if not line and block:
                return block
            name, _, value = line.partition(": ")
            if line:
                block[name or "comment"] = value
        return {}


@contextmanager
def streaming(
    served: Served,
    asked: str,
    last: str | None = None,
    headers: dict[str, str] | None = None,
    **more: Any,
) -> Iterator[Stream]:
    """Open a stream as the owner, or as who sends these headers, behind the last id seen."""
    sent = {**(headers or served.headers), **({} if last is None else {"Last-Event-ID": last})}
    place = httpx2.URL(f"{served.url}/api/{asked}").copy_merge_params(more)
    with httpx2.stream("GET", place, headers=sent, timeout=20) as response:
        yield Stream(response)
