"""Writes to a store as an agent does, and its files after every few writes, until it is killed."""

import json
import random
import sys
from pathlib import Path

import lamina
from lamina import Memory
from lamina.errors import ConflictError
from lamina.files import Files


def main(store: str, folder: str, seed: str) -> None:
    chance = random.Random(seed)
    with lamina.open(store) as mem:
        files = Files(mem, Path(folder))
        agent = mem.agent("finn", project="web")
        files.sync()
        print(json.dumps({"ready": True}), flush=True)
        for number in range(10_000):
            written = f"{seed}w{number}x"
            if write(agent, chance, written):
                print(json.dumps({"written": written}), flush=True)
            try:
                files.sync()
            except ConflictError:
                # Somebody saves all the time: the next one will do.
                continue


def write(agent: Memory, chance: random.Random, text: str) -> bool:
    """Write something; whether it stays there."""
    match chance.randrange(5):
        case 0:
            agent.now.update(text, [text])
            return False
        case 1:
            agent.log.thought(text)
        case 2:
            agent.session("s-1").append("user", text)
        case 3:
            agent.task.add(text, text)
        case _:
            agent.remember(f"{text}\n\nand more", scope="project/web")
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
