"""Agents at work on servers: each does at most one thing a second, on a server of its own choice.

They write, search, post to the blackboard, and read through another server what they have written:
what one server has acknowledged, all others know.
"""

import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from lamina import clock
from lamina.bench.drafts import draft, question
from lamina.bench.measure import Spread

_KINDS: Final = ("remember", "recall", "read", "publish")
_WEIGHTS: Final = (35, 40, 15, 10)
_APART: Final = 100_000
_PATIENCE_SECONDS: Final = 60.0
_IDLE_SECONDS: Final = 4.0
"""A connection that nobody used for so long is left: the server is about to."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """How many there are, where the servers are, and for how long."""

    ports: list[int]
    agents: int
    seconds: float
    headers: list[dict[str, str]]
    """What they show; those of one project show the same."""
    pause: float = 1.0
    """How long after one operation began the next one begins, at least."""


@dataclass(slots=True)
class _Seen:
    timings: dict[str, list[float]] = field(
        default_factory=lambda: {kind: list[float]() for kind in _KINDS}
    )
    errors: Counter[str] = field(default_factory=Counter)


class _Line:
    """One connection to a server, opened when it is used, and again after a rest or a break."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._port = port
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._used = 0.0

    async def ask(self, method: str, path: str, said: Any = None) -> tuple[int, Any]:
        """The status and what the server answered."""
        body = b"" if said is None else json.dumps(said).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{self._headers}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        if clock.stopwatch() - self._used > _IDLE_SECONDS:
            self.close()
        if self._open is None:
            self._open = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._open
        try:
            writer.write(head.encode() + body)
            lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
            sizes = [line for line in lines if line.startswith("content-length:")]
            answer = await reader.readexactly(int(sizes[0].split(":")[1]) if sizes else 0)
        except BaseException:
            self.close()
            raise
        self._used = clock.stopwatch()
        return int(lines[0].split()[1]), json.loads(answer) if answer else None

    def close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None


async def live(crowd: Crowd) -> dict[str, Any]:
    """Let all of them work for so long; what they did, what failed, and how long it took."""
    seen, start = _Seen(), clock.stopwatch()
    await asyncio.gather(*(_agent(crowd, number, seen) for number in range(crowd.agents)))
    took = clock.stopwatch() - start
    every = [one for timings in seen.timings.values() for one in timings]
    return {
        "agents": crowd.agents, "servers": len(crowd.ports), "seconds": round(took, 1),
        "operations": len(every), "per_second": round(len(every) / took, 1),
        "errors": dict(seen.errors), **_spread(every),
        "kinds": {
            kind: {"operations": len(timings), **_spread(timings)}
            for kind, timings in seen.timings.items()
        },
    }  # fmt: skip


async def _agent(crowd: Crowd, number: int, seen: _Seen) -> None:
    chance, mine = random.Random(number), ""
    shown = crowd.headers[number % len(crowd.headers)]
    lines = [_Line(port, shown) for port in crowd.ports]
    # They do not all begin in the same moment.
    await asyncio.sleep(chance.uniform(0, crowd.pause))
    end = clock.stopwatch() + crowd.seconds - crowd.pause
    for turn in count(number * _APART):
        [kind] = chance.choices(_KINDS, _WEIGHTS)
        line, begun = lines[turn % len(lines)], clock.stopwatch()
        try:
            asked = _asked(kind, number, turn, mine)
            status, answer = await asyncio.wait_for(line.ask(*asked), _PATIENCE_SECONDS)
            if status != 200:
                seen.errors[f"{kind}: {status} {_code(answer)}"] += 1
            elif kind == "remember":
                mine = answer["outcomes"][0]["id"]
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            seen.errors[f"{kind}: {type(error).__name__}"] += 1
        seen.timings[kind].append(clock.stopwatch() - begun)
        await asyncio.sleep(max(0.0, begun + crowd.pause - clock.stopwatch()))
        if clock.stopwatch() > end:
            break
    for line in lines:
        line.close()


def _asked(kind: str, agent: int, turn: int, mine: str) -> tuple[str, str, Any]:
    if kind == "read" and mine:
        return "GET", f"/api/records/{mine}", None
    if kind == "publish":
        return "PUT", f"/api/blackboard/signals/agent:{agent}:turn", {"value": turn}
    if kind == "remember":
        return "POST", "/api/records", draft(turn)
    return "POST", "/api/search", {"query": question(turn)}


def _code(answer: Any) -> str:
    return str(answer.get("code", "")) if isinstance(answer, dict) else ""


def _spread(timings: list[float]) -> dict[str, float]:
    if not timings:
        return {}
    spread = Spread.of(timings)
    return {"p50_ms": spread.p50_ms, "p99_ms": spread.p99_ms, "worst_ms": spread.worst_ms}
