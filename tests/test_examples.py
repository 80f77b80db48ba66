"""The examples run as they stand, and the story they tell can fail."""

import subprocess
import sys
from pathlib import Path

import pytest

import lamina
from lamina.story.agents import BUILT, PROJECT
from lamina.story.playing import play

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = {"amnesia.py": ["--kills", "1"]}
"""Arguments that make an example short."""


@pytest.mark.parametrize("example", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_an_example_runs(example: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / example, *SMALL.get(example, [])],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT AS TOLD" not in done.stdout


def test_agent_b_profits_from_what_agent_a_found_out(tmp_path: Path) -> None:
    """Two processes: a signal wakes B, which finds A's experience, though A was killed."""
    steps = list(play(tmp_path / "store"))
    assert [step for step in steps if not step.holds] == []
    told = {f"{step.who} {step.layer}" for step in steps}
    assert {"A working", "A notebook", "A blackboard", "A knowledge", "B blackboard", "B recall",
            "B episode", "B notebook"} <= told  # fmt: skip
    assert any("killed" in step.text for step in steps)
    with lamina.open(tmp_path / "store") as mem:
        recorded = mem.agent("b", project=PROJECT).episode.query(agent="b")
        assert [one.data["approach"] for one in recorded] == ["Y"]


def test_a_story_gone_wrong_is_noticed(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as mem:
        mem.agent("c", project=PROJECT).blackboard.publish(BUILT, "failure")
    wrong = [step.text for step in play(tmp_path / "store") if not step.holds]
    assert any("waits for" in text for text in wrong)
    assert any("failure from c" in text for text in wrong)
