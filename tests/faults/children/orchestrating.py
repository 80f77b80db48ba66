"""Runs a graph of tasks until it ends or is killed, and notes beside the store what workers did."""

import json
import os
import random
import sys
import time
from itertools import count
from pathlib import Path

import lamina
from lamina.orchestration.graph import Graph
from lamina.orchestration.orchestrator import Orchestrator
from lamina.orchestration.work import Result, Transient, Work

WAYS = ("north", "south", "west")
GOOD, BAD, PASSING = "good", "bad", "passing"
RETRY = 2
WITNESS = "witness.jsonl"


def fate(seed: str, task: str, approach: str) -> str:
    """What an approach comes to, each time it is tried."""
    return random.Random(f"{seed} {task} {approach}").choices((GOOD, BAD, PASSING), (5, 3, 1))[0]


def graph_of(seed: str, size: int) -> Graph:
    """A graph in which each task waits for up to three of those before it."""
    chance, graph = random.Random(f"{seed} graph"), Graph()
    names = [f"t-{number}" for number in range(size)]
    for number, name in enumerate(names):
        after = chance.sample(names[max(0, number - 12) : number], min(number, chance.randrange(3)))
        ways = chance.sample(WAYS, len(WAYS))
        graph.add(
            name, f"Build part {name} of the machine", after=after, approaches=ways,
            retry=RETRY, agent=chance.choice(("maya", "finn", "noor")),
        )  # fmt: skip
    return graph


def main(folder: str, seed: str, size: str) -> None:
    place = Path(folder)
    files = place / "files"
    files.mkdir(exist_ok=True)
    witness = os.open(place / WITNESS, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(what: str, work: Work) -> None:
        line = {"what": what, "attempt": work.attempt, "task": work.task}
        os.write(witness, f"{json.dumps(line)}\n".encode())

    def work_on(work: Work) -> Result:
        note("began", work)
        time.sleep(random.Random(work.attempt).uniform(0.005, 0.06))
        outcome = fate(seed, work.task, work.approach)
        if outcome == PASSING:
            raise Transient("the line was busy")
        if outcome == BAD:
            raise ValueError(f"{work.approach} leads nowhere")
        work.once("drawn", lambda: work.attempt)
        (files / f"{work.task}.txt").write_text(work.approach)
        work.artifact(f"{work.task}.txt")
        work.discovered("convention", "way", f"go {work.approach}")
        note("finished", work)
        return Result(f"went {work.approach}", tokens_in=3, tokens_out=1)

    with lamina.open(place / "store") as mem:
        mem.configure("recall.embedder", "off")
        orchestrator = Orchestrator(mem.project("web"), work_on, threads=4, workspace=files)
        events = count(1)
        print(json.dumps({"ready": True}), flush=True)
        outcome = orchestrator.run(
            graph_of(seed, int(size)),
            on_event=lambda event: print(json.dumps({"event": next(events)}), flush=True),
        )
        print(json.dumps({"done": len(outcome.done), "waiting": outcome.waiting}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
