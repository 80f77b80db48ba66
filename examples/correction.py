"""The correction test: a fact comes back from memory much later, and a correction replaces it.

    python examples/correction.py

A user tells an agent a fact. Sixty turns about other things follow, and the session is compacted,
so that the fact stands nowhere in the conversation any more. Asked for it, the agent answers from
memory. Then it is told a correction: memory puts the new value and only the new one before the
model. The model below answers from the messages that it is shown, and has no other way to know
anything. The status is 1 unless all went as told.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import lamina
from lamina.models import Message, Reply, ToolCall
from lamina.runtime import Agent

TURNS = 60
AFTERWARDS = 15
OLD, NEW = "EUR", "CHF"
TALK = (
    "The parser drops tabs in nested lists", "Which tests are slow today",
    "Please review the change to the printer", "The release notes need a headline",
    "Why does the cache miss after a restart", "Ben is on holiday until Monday",
)  # fmt: skip
TOLD = re.compile(r"(?:Remember|Correction): the (\w+) of our reports is (\w+)")
ASKED = re.compile(r"Which (\w+) do our reports use\?")


def think(messages: Sequence[Message]) -> Reply:
    """Keep what is told, answer what is asked, and only from what the messages show."""
    said = messages[-1]
    if said["role"] == "tool":
        return Reply(text="Noted.")
    if told := TOLD.match(said["content"]):
        call = ToolCall("keep", "save_fact", {"key": told[1], "value": told[2]})
        return Reply(tool_calls=(call,))
    if asked := ASKED.match(said["content"]):
        shown = "\n".join(one["content"] for one in messages)
        found = re.search(rf"{asked[1]} \(.*\) = (\w+)", shown)
        return Reply(text=f"Our reports use {found[1]}." if found else "I do not know.")
    return Reply(text="All right.")


class Play:
    """The conversation, and what is wrong with it."""

    def __init__(self, agent: Agent) -> None:
        """Begin with nothing wrong."""
        self.agent = agent
        self.wrong = 0

    def check(self, what: str, holds: bool) -> None:
        """Say whether something is as it should be."""
        self.wrong += not holds
        print(f"{'ok' if holds else 'NOT AS TOLD':<12}{what}")

    def talk(self, turns: int) -> None:
        """Speak of other things, then shorten the session."""
        for number in range(turns):
            self.agent.run(f"{TALK[number % len(TALK)]} ({number})")
        done = self.agent.memory.session("main").compact(force=True)
        self.check(f"{turns} turns about other things, and the session is compacted", bool(done))

    def ask(self, value: str, other: str) -> None:
        """Ask for the fact: memory shows one value, and the answer is that one."""
        done = self.agent.run("Which currency do our reports use?")
        print(f'            "{done.reply}"')
        shown = done.context.text
        self.check(f"memory puts {value} before the model", value in shown)
        self.check(f"and nothing else: {other} is not in it", other not in shown)
        self.check(f"the answer is {value} alone", value in done.reply and other not in done.reply)


def play(store: str | Path, turns: int) -> int:
    """Hold the conversation; how many things were not as told."""
    with lamina.open(store) as mem:
        # By meaning or by words, the same is found here; without a model it is quicker.
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        scene = Play(Agent(finn, think))
        scene.agent.run(f"Remember: the currency of our reports is {OLD}")
        scene.check(f"told that the currency is {OLD}", finn.get_fact("currency") == OLD)
        scene.talk(turns)
        view = "\n".join(one.text for one in finn.session("main").view(keep_tool_results=0))
        scene.check("the conversation itself does not say it any more", OLD not in view)
        scene.ask(OLD, NEW)
        scene.agent.run(f"Correction: the currency of our reports is {NEW}")
        scene.ask(NEW, OLD)
        scene.talk(AFTERWARDS)
        scene.ask(NEW, OLD)
        scene.check("what it was before is in the history",
                    [one.record.text for one in mem.history(finn.fact.record("currency").id)]
                    == [OLD, NEW])  # fmt: skip
        return scene.wrong


def main() -> int:
    """Play, and say how it went."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=TURNS, help="how much else is said meanwhile")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lamina-correction-") as folder:
        return 1 if play(Path(folder) / "store", given.turns) else 0


if __name__ == "__main__":
    sys.exit(main())
