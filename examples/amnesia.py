"""The amnesia test: an agent is killed in the middle of its work, and goes on at the right step.

    python examples/amnesia.py --kills 40 --seed 1

An agent sends eight letters, one after the other, in a process of its own. The process is killed
without warning at random moments and started again with the one word "continue". Nothing but the
store tells it where it was: the model below knows no more than the messages that it is shown. Each
letter leaves a line in a ledger, outside of all memory. In the end every letter must stand there
once, in order. The status is 1 if one is missing, or was sent twice.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import lamina
from lamina.models import Message, Reply, ToolCall
from lamina.runtime import Agent, tool
from lamina.runtime.tools import toolbox

NAMES = ("Ada", "Ben", "Cem", "Dora", "Emil", "Faye", "Gus", "Hana")
TASK = f"Send a letter to each of these, in this order: {', '.join(NAMES)}."
LEDGER = "ledger.txt"
WORK_SECONDS = 0.01
"""How long a letter takes, before and after it is sent: time enough to be killed there."""

MARKS = 12
LONGEST_SECONDS = 0.03
"""A process lives until it has made so many marks, three for a letter, and so much longer."""


# -- the agent, in a process of its own


def think(messages: Sequence[Message]) -> Reply:
    """The next step, from what the messages show and from nothing else."""
    mark()
    request = next(one["content"] for one in messages if one["content"].startswith("Send a letter"))
    names = request.partition(": ")[2].rstrip(".").split(", ")
    results = [one["content"] for one in messages if one["role"] == "tool"]
    last = results[-1] if results else ""
    if "not known whether" in last:
        return Reply(tool_calls=(ToolCall("look", "read_ledger"),))
    if "was not made" in last:
        # Never begun, so what came before it is what counts.
        last = results[-2] if len(results) > 1 else ""
    sent = [name for name in names if name in last]
    following = names.index(sent[-1]) + 1 if sent else 0
    if following == len(names):
        return Reply(text="All letters are sent.")
    call = ToolCall("send", "send_letter", {"to": names[following]})
    return Reply(tool_calls=(call,))


def work(folder: Path) -> None:
    """Take the task up, or go on with it."""
    ledger = folder / LEDGER

    def send_letter(to: str) -> str:
        """Send a letter; there is no way to take it back."""
        mark()
        time.sleep(WORK_SECONDS)
        with open(ledger, "a") as file:
            file.write(f"{to}\n")
            file.flush()
            os.fsync(file.fileno())
        mark()
        time.sleep(WORK_SECONDS)
        return f"The letter to {to} is sent."

    @tool(safe_to_repeat=True)
    def read_ledger() -> str:
        """Read who was sent a letter, in order."""
        return f"Letters were sent to: {', '.join(written(folder)) or 'nobody'}"

    with lamina.open(folder / "store") as mem:
        finn = mem.agent("finn", project="post")
        agent = Agent(finn, think, toolbox([send_letter, read_ledger]))
        is_known = bool(finn.session("main").read(last=1))
        mark()
        agent.run("continue" if is_known else TASK)


def mark() -> None:
    """Tell whoever waits that the work goes on."""
    sys.stdout.write(".\n")
    sys.stdout.flush()


# -- the one who kills it, and looks at what is left


@dataclass(frozen=True)
class Life:
    """What one process did."""

    was_killed: bool
    wrong: list[str]


@dataclass(frozen=True)
class Death:
    """A process that was killed, and what it left."""

    task: int
    sent: int
    moment: str


@dataclass(frozen=True)
class End:
    """A task that came to its end, and what is wrong with it."""

    task: int
    lives: int
    wrong: tuple[str, ...]


def play(kills: int, seed: int, folder: Path) -> Iterator[Death | End]:
    """Let agents work, one task after the other, until so many processes were killed."""
    chance = random.Random(seed)
    task = 0
    while task == 0 or kills > 0:
        task += 1
        place = folder / f"task-{task}"
        with lamina.open(place / "store") as mem:
            # Nothing is searched by meaning here, and a process starts faster without.
            mem.configure("recall.embedder", "off")
        lives, wrong = 0, list[str]()
        while True:
            lives += 1
            marks = chance.randint(0, MARKS) if kills > 0 else None
            life = _live(place, marks, chance.uniform(0, LONGEST_SECONDS))
            wrong += life.wrong
            if not life.was_killed:
                break
            kills -= 1
            yield Death(task, len(written(place)), _moment(place))
        if written(place) != [*NAMES]:
            wrong.append(f"the ledger says {', '.join(written(place))}")
        yield End(task, lives, tuple(wrong))


def written(folder: Path) -> list[str]:
    """What stands in the ledger."""
    ledger = folder / LEDGER
    return ledger.read_text().splitlines() if ledger.exists() else []


def _live(place: Path, marks: int | None, seconds: float) -> Life:
    """One process: it is killed so many seconds after it made so many marks, if it still lives."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--work", str(place)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    if marks is not None:
        for _ in range(1 + marks):
            process.stdout.readline()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
    _, complaint = process.communicate()
    was_killed = process.returncode < 0
    failed = bool(process.returncode) and not was_killed
    wrong = [f"a process failed: {complaint[-500:]}"] if failed else []
    if written(place) != [*NAMES[: len(written(place))]]:
        wrong.append(f"it went on to the wrong step: {', '.join(written(place))}")
    return Life(was_killed, wrong)


def _moment(place: Path) -> str:
    """Where in its work a process was killed, as its transcript and the ledger tell."""
    with lamina.open(place / "store") as mem:
        last = mem.agent("finn", project="post").session("main").read(last=1)
    if not last:
        return "before the task was taken up"
    if last[0].kind != "tool_call":
        return "at the end" if last[0].kind == "assistant" else "between two steps"
    name = last[0].data["arguments"].get("to", "")
    return "after an effect, before its record" if name in written(place) else "before an effect"


def main() -> int:
    """Play, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Plain)
    parser.add_argument("--kills", type=int, default=40, help="how many processes to kill")
    parser.add_argument("--seed", type=int, default=1, help="for when they are killed")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work is not None:
        work(given.work)
        return 0
    moments, wrong, tasks, kills = Counter[str](), list[str](), 0, 0
    with tempfile.TemporaryDirectory(prefix="lamina-amnesia-") as folder:
        for one in play(given.kills, given.seed, Path(folder)):
            if isinstance(one, Death):
                kills += 1
                moments[one.moment] += 1
                print(f"kill {kills:3}  task {one.task}, {one.sent} of {len(NAMES)} letters sent, "
                      f"{one.moment}")  # fmt: skip
            else:
                tasks += 1
                wrong += one.wrong
                print(f"          task {one.task} done in {one.lives} lives"
                      f"{'' if not one.wrong else ': NOT AS TOLD'}", flush=True)  # fmt: skip
    print(*(f"{times:4} killed {moment}" for moment, times in moments.most_common()), sep="\n")
    print(*wrong, sep="\n")
    verdict = "no letter lost, none sent twice" if not wrong else "NOT AS TOLD"
    print(f"{kills} kills, {tasks} tasks of {len(NAMES)} steps: {verdict}.")
    return 1 if wrong else 0


class _Plain(argparse.RawDescriptionHelpFormatter):
    pass


if __name__ == "__main__":
    sys.exit(main())
