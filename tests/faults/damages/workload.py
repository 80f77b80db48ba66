"""A small store with something of everything in it: what damage is planted in."""

import random
from pathlib import Path

import lamina
from lamina import Memory
from lamina.embedding import Vectors
from lamina.errors import ConflictError
from lamina.testing.embedders import FakeEmbedder

TOKEN_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
WORDS = (
    "heron kettle anchor ProcessEvent snake_case /etc/hosts violet ledger harbour 東京 C++ lantern"
    " orchard compass thimble saffron granite willow quartz ember"
).split()
KEYS = tuple(f"key-{number}" for number in range(8))
DIMENSIONS = 24
SIGNALS = 20
"""More than a blackboard keeps of one key, so that some versions are pruned."""


def fill(folder: Path, seed: int, steps: int = 60) -> None:
    """Make a store by a random history."""
    chance = random.Random(seed)
    with opened(folder) as mem:
        handles = (mem, mem.project("web"), mem.project("app"), mem.agent("finn", project="web"))
        for handle in handles:
            handle.remember(said(chance), key=chance.choice(KEYS), data={"n": chance.randrange(9)})
        for _ in range(steps):
            _step(chance.choice(handles), chance)
        for number in range(SIGNALS):
            mem.remember(f"signal {number}", layer="blackboard", key="pulse")
        _always(mem, chance)
        embed(mem)


def opened(folder: Path) -> Memory:
    """A store whose vectors are made without a model."""
    return lamina.open(folder, embedder=FakeEmbedder(DIMENSIONS))


def embed(mem: Memory) -> Vectors:
    """Make all vectors that are pending."""
    vectors = Vectors(mem.store, FakeEmbedder(DIMENSIONS))
    vectors.make()
    return vectors


def said(chance: random.Random) -> str:
    """Something to remember; now and then longer than a page."""
    return " ".join(chance.choices(WORDS, k=chance.choice((3, 5, 8, 13, 40, 900))))


def secret(chance: random.Random) -> str:
    """What is recognised as a credential."""
    return "ghp_" + "".join(chance.choices(TOKEN_LETTERS, k=36))


def _always(mem: Memory, chance: random.Random) -> None:
    """What every class of damage needs at least one of."""
    mem.remember(f"the token is {secret(chance)}", key="token")
    mem.remember("asked once", idempotency_key=f"request-{chance.random()}")
    doomed = mem.remember(said(chance) + " doomed " * 2000)
    mem.erase(doomed.id)
    for text in ("one heron", "two herons", "three herons"):
        mem.remember(text, key="birds", layer="fact")
    mem.recall("herons")
    mem.remember("looked after", key="later", tags=["due"], expires="400d", importance=0.25)
    proposed = mem.agent("finn", project="web")
    proposed.remember("a convention", key="style", kind="convention", scope="project/web")


def _step(mem: Memory, chance: random.Random) -> None:
    match chance.randrange(8):
        case 0:
            mem.remember_many([{"text": said(chance)} for _ in range(3)])
        case 1:
            mem.remember(said(chance), layer="log", kind="THOUGHT")
        case 2 | 3 | 4:
            mem.remember(said(chance), key=chance.choice(KEYS), data={"n": chance.randrange(9)})
        case 5:
            _change(mem, chance)
        case 6:
            mem.remember(f"{said(chance)} {secret(chance)}", tags=[chance.choice(WORDS)])
        case _:
            mem.remember(said(chance), idempotency_key=f"key {chance.random()}")


def _change(mem: Memory, chance: random.Random) -> None:
    mine = [one for one in mem.query(limit=50, scope=mem.scope.path) if one.layer != "log"]
    if not mine:
        return
    record = chance.choice(mine)
    match chance.randrange(4):
        case 0:
            mem.forget(record.id)
        case 1:
            mem.edit(record.id, said(chance))
        case 2:
            receipt = mem.edit(record.id, said(chance))
            try:
                mem.undo(receipt.tx)
            except ConflictError:
                # What a blackboard held before is no longer kept.
                return
        case _:
            mem.erase(record.id)
