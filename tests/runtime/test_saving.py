"""After a run: what matters is saved, then the session is shortened, and neither harms the run."""

import pytest

import lamina
from lamina.core.chat import Reply
from lamina.errors import ModelError
from lamina.memory import AgentMemory
from lamina.models.scripted import Line
from lamina.runtime import Agent
from lamina.testing import ScriptedModel
from tests.runtime.scenes import calls, logged, said

KNOWN = "The harbour crane is painted green every seventh spring."


def _long_talk(mem: lamina.Memory) -> AgentMemory:
    """A session that is to be flushed and compacted after the next run."""
    mem.configure("recall.embedder", "off")
    mem.configure("flush.threshold_tokens", "400")
    mem.configure("compaction.threshold_tokens", "500")
    memory = mem.agent("finn", project="web")
    mem.project("web").knowledge.put("fact", "crane", KNOWN)
    for number in range(40):
        text = f"Point {number}: the machine in room {number} has {number * 7} wheels and a bell."
        memory.session("main").append("user" if number % 2 else "assistant", text)
    return memory


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        (calls("save_fact", key="bell", value="The bell is loud"), "The bell is loud"),
        ("Room 7 has the loud bell.", "Room 7 has the loud bell."),
        ("NOTHING.", None),
        (KNOWN, None),
        (calls("save_fact", key="crane", value=KNOWN), None),
        (Reply("", (calls("no_such_skill"), calls("save_fact", nonsense=1))), None),
        (ModelError("out of order"), None),
        ("x" * 3_000_000, None),
    ],
)
def test_the_model_is_asked_once_to_save_before_the_session_is_shortened(
    line: Line, kept: str | None
) -> None:
    with lamina.open(":memory:") as mem:
        memory = _long_talk(mem)
        model = ScriptedModel(["Here it is.", line, "Shorter now."])
        agent = Agent(memory, model)
        assert agent.run("Sum up").reply == "Here it is."
        assert "about to be shortened" in model.asked[1][-1]["content"]
        assert "save_fact" in model.offered[1]
        now = [*memory.fact.records(), *memory.experience.query()]
        assert [one.text for one in now] == ([] if kept is None else [kept])
        assert [kind for kind, _ in said(memory)].count("summary") == 1
        if isinstance(line, ModelError):
            assert "out of order" in logged(memory)[-1][1]
        assert agent.run("And now?").reply == "Shorter now."
        assert len(model.asked) == 3


def test_nothing_is_asked_where_nothing_is_due_or_it_is_switched_off() -> None:
    with lamina.open(":memory:") as mem:
        memory = _long_talk(mem)
        mem.configure("flush.enabled", "off")
        model = ScriptedModel(["Here it is."])
        Agent(memory, model).run("Sum up")
        assert len(model.asked) == 1


def test_a_long_log_is_compacted_after_a_run() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        mem.configure("log.compact_entries", "20")
        memory = mem.agent("finn", project="web")
        for number in range(30):
            memory.log.thought(f"thought {number}")
        Agent(memory, lambda _: "Yes.").run("Are you thinking?")
        assert len(logged(memory)) < 30
