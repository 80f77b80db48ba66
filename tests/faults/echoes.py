"""A model repeats what memory showed it, turn after turn: nothing may be learned from that.

Transcript and log tell of every turn. All the other layers stay as they are, whatever the model
makes of its memory: copied with its fence, without its labels, as one line, wrapped otherwise, as a
quotation, a list, a table or an object, introduced by a phrase, or
saved when it is asked to save what matters before the session is shortened.
"""

import random
from collections import Counter
from collections.abc import Sequence
from json import dumps
from pathlib import Path
from textwrap import fill

import lamina
from lamina.core.chat import Message, Reply, ToolCall
from lamina.core.layers import LAYERS
from lamina.memory import AgentMemory, Memory
from lamina.runtime import Agent, Limits
from tests.faults.report import Report, Tell

TOLD = ("session", "log", "archive", "blackboard")
"""What a run writes by itself: what was said, what was done, both when they are shortened, and who
holds the session."""
STATES = ["current", "superseded", "forgotten", "proposed"]
SESSIONS = 3
QUESTIONS = ("What do you know of the database?", "Which currency?", "What are you doing?")


class Parrot:
    """A model that repeats the memory in its prompt."""

    name = "parrot"

    def __init__(self, seed: int) -> None:
        self.heard = 0
        """How many lines of memory it has repeated."""
        self.saved = 0
        """How often it was asked to save what matters."""
        self._shown = ""
        self._chance = random.Random(seed)

    def chat(self, messages: Sequence[Message], **_: object) -> Reply:
        shown = messages[0]["content"].partition("=== memory")[2] or self._shown
        self._shown = shown
        lines = [line for line in shown.splitlines() if line.startswith("- [")]
        self.heard += len(lines)
        bare = [line.partition("] ")[2] for line in lines]
        self._chance.shuffle(bare)
        said = self._chance.choice([
            "=== memory" + shown, "\n".join(lines), ". ".join(bare), "\n".join(bare),
            "\n".join(f"> {one}" for one in bare), " ".join(bare), "".join(bare),
            f"I remember: {'; '.join(bare)}", fill(" ".join(bare), 40), "; ".join(bare).upper(),
            f"As noted, {', and '.join(bare)}", dumps([{"text": one} for one in bare]),
            "\n".join(["| memory |", "|---|", *(f"| {one} |" for one in bare)]),
        ])  # fmt: skip
        if "Save now" not in messages[-1]["content"]:
            return Reply(text=said)
        # Asked to save what matters, it saves what it knows already.
        self.saved += 1
        call = ToolCall("keep", "save_fact", {"key": f"echo-{self.saved}", "value": bare[0]})
        return Reply(text=said, tool_calls=(call,))


def kept(mem: Memory) -> Counter[str]:
    """How many records there are in each layer, forgotten ones and proposals among them."""
    others = [name for name in LAYERS if name not in TOLD]
    where = {"state": {"$in": STATES}, "layer": {"$in": others}}
    found = mem.query(where, limit=10_000)
    # That a session was flushed is noted once for each, whatever was said there.
    return Counter(record.layer for record in found if record.key != "flushed")


def filled(mem: Memory) -> AgentMemory:
    """An agent that knows something of every sort."""
    mem.configure("recall.embedder", "off")
    mem.configure("flush.threshold_tokens", "400")
    mem.configure("compaction.threshold_tokens", "800")
    finn = mem.agent("finn", project="web")
    finn.save_fact("currency", "Our reports use CHF")
    finn.knowledge.put("decision", "db", "We keep sessions in SQLite, because it is one file")
    finn.notebook("t-1").note("The lexer dropped tabs in nested lists")
    finn.episode.record("t-1", "completed", approach="a table", outcome="The printer works now")
    finn.update_now("Ship the parser", ["Test it with tabs"])
    return finn


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Let it repeat for `size` turns."""
    report = Report("echoes", seed, size)
    parrot = Parrot(seed)
    with lamina.open(folder / "store") as mem:
        finn = filled(mem)
        agent = Agent(finn, parrot, limits=Limits(memory=400, window=4_000))
        before = kept(mem)
        for turn in range(size):
            asked = QUESTIONS[turn % len(QUESTIONS)]
            agent.run(asked, session=f"s-{turn % SESSIONS}")
            more = kept(mem) - before
            if more:
                report.violations.append(f"seed {seed}: turn {turn} left {dict(more)}")
                break
            tell(turn + 1, size)
    if parrot.heard < size or not parrot.saved:
        report.violations.append(f"seed {seed}: nothing was repeated, or nothing saved")
    report.figures = {"lines_repeated": parrot.heard, "times_saved": parrot.saved}
    return report
