"""A small store with everything in it that a move has to bring along."""

from pathlib import Path

import lamina
from lamina.core.vectors import Embedded
from lamina.exchange import export_lines
from lamina.memory import Memory

SECRET = "the password is quartz-9-bramble-lake"
SPACE = "tests of moving"
POINT = b"\x00\x00\x80?" + bytes(12)
"""One, and three noughts, as 32-bit floats."""


def fill(where: str | Path) -> dict[str, str]:
    """Projects, versions, a secret, a receipt, something erased and forgotten, vectors, use."""
    with lamina.open(where) as mem:
        mem.configure("recall.embedder", "off")
        for number in range(12):
            mem.remember(f"Rivers carry quartz, part {number}", key=f"river-{number % 5}")
        project = mem.project("api")
        project.remember("The build runs on Tuesdays", key="build")
        agent = project.agent("ann")
        agent.remember("Ann looks after the build")
        secret = mem.remember(SECRET, key="login").id
        noted = mem.remember("Said once", idempotency_key="once").id
        gone = mem.remember("This one is to be erased: cormorant").id
        mem.erase(gone)
        hidden = mem.remember("This one is forgotten").id
        mem.forget(hidden)
        _embed(mem)
        mem.recall("quartz")
        return {"secret": secret, "noted": noted, "gone": gone, "hidden": hidden}


def export(where: str | Path) -> list[str]:
    """Every version of everything, as `lamina export --history` writes it."""
    with lamina.open(where) as mem:
        return list(export_lines(mem, history=True))


def _embed(mem: Memory) -> None:
    waiting = mem.store.unembedded(SPACE, 100)
    mem.store.embed(SPACE, [Embedded(one.id, one.rev, POINT) for one in waiting])
