"""What the loop offers a model by itself: the five skills, and what the agent's folder says."""

from pathlib import Path

import lamina
from lamina.core.chat import ToolCall
from lamina.models.scripted import ScriptedModel
from lamina.runtime import Agent
from lamina.runtime.tools import toolbox

FIVE = ["update_status", "log_activity", "recall_memory", "save_fact", "get_fact"]


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def get_fact(key: str) -> str:
    """One of our own."""
    return f"{key} is ours"


def test_the_five_skills_are_tools_of_the_loop() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        keep = ToolCall("1", "save_fact", {"key": "currency", "value": "EUR"})
        model = ScriptedModel(
            [keep, "Noted.", "Hello.", ToolCall("1", "get_fact", {"key": "x"}), "x"]
        )
        Agent(finn, model).run("We pay in euros")
        assert sorted(model.offered[0]) == sorted(FIVE)
        assert finn.get_fact("currency") == "EUR"
        Agent(finn, model, toolbox([add])).run("Hello")
        assert model.offered[-1] == ["add"]
        done = Agent(finn, model, [add, get_fact]).run("What is x?")
        assert sorted(model.offered[-1]) == sorted([*FIVE, "add"])
        assert done.steps[0].calls[0].text == "x is ours"


def test_the_folder_is_read_anew_for_each_run(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as mem:
        mem.configure("recall.embedder", "off")
        folder = tmp_path / "store" / "projects" / "web" / "agents" / "finn"
        read = ToolCall("1", "use_skill", {"name": "deploy"})
        model = ScriptedModel(["Hi.", read, "Done."])
        agent = Agent(mem.agent("finn", project="web"), model, instructions="Be brief.")
        agent.run("Hello")
        assert "use_skill" not in model.offered[0]
        (folder / "directives").mkdir(parents=True)
        (folder / "skills").mkdir()
        (folder / "directives" / "fridays.md").write_text("Never deploy on Fridays.")
        (folder / "skills" / "deploy.md").write_text("# How to deploy\nTag it, wait, tell.")
        done = agent.run("Deploy it")
        system = model.asked[1][0]["content"]
        assert "Never deploy on Fridays." in system
        assert "- deploy: How to deploy" in system
        assert "Tag it" not in system
        assert system.index("Fridays") < system.index("Be brief.")
        assert "use_skill" in model.offered[1]
        assert done.steps[0].calls[0].text == "# How to deploy\nTag it, wait, tell."
