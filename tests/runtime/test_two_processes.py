"""One run per session between processes; a run that was killed is taken over and goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import lamina
from lamina.errors import BusyError
from lamina.runtime import Agent
from lamina.testing import ScriptedModel
from tests.runtime.scenes import calls, said

_CHILD = """
import sys, time
from pathlib import Path
import lamina
from lamina.core.chat import ToolCall
from lamina.models.scripted import ScriptedModel
from lamina.runtime import Agent

traces = Path(sys.argv[2])

def send(to: str) -> str:
    with traces.open("a") as file:
        file.write(to + "\\n")
    if to == "noor":
        print("sending", flush=True)
        time.sleep(600)
    return "sent"

with lamina.open(sys.argv[1]) as mem:
    lines = [ToolCall("1", "send", {"to": "maya"}), ToolCall("2", "send", {"to": "noor"})]
    Agent(mem.agent("finn", project="web"), ScriptedModel(lines), [send]).run("Write to all three")
"""


def test_a_killed_run_is_taken_over_and_goes_on_at_the_right_step(tmp_path: Path) -> None:
    store, traces = tmp_path / "store", tmp_path / "traces"

    def send(to: str) -> str:
        with traces.open("a") as file:
            file.write(to + "\n")
        return "sent"

    with lamina.open(store) as mem:
        mem.configure("recall.embedder", "off")
        memory = mem.agent("finn", project="web")
        child = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(store), str(traces)], stdout=subprocess.PIPE
        )
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"sending\n"
            model = ScriptedModel([calls("send", to="omar"), "All three are written to."])
            agent = Agent(memory, model, [send])
            with pytest.raises(BusyError, match="finn"):
                agent.run("continue")
            # Another session is free.
            Agent(memory, lambda _: "Hi.").run("Hello", session="other")
        finally:
            os.kill(child.pid, signal.SIGKILL)
            child.communicate()
        done = agent.run("continue")
        assert (done.reply, done.is_resumed) == ("All three are written to.", True)
        # Each effect once: the first has a result, the second may have happened and is not redone.
        assert traces.read_text().split() == ["maya", "noor", "omar"]
        told = [one["content"] for one in model.asked[0] if one["role"] == "tool"]
        assert told[0] == "sent"
        assert "not known whether" in told[1]
        roles = [role for role, _ in said(memory)]
        assert roles == [
            "user", "tool_call", "tool_result", "tool_call", "user", "tool_result", "tool_call",
            "tool_result", "assistant",
        ]  # fmt: skip
        keys = [(one.key, one.kind) for one in memory.session("main").read()]
        assert len(keys) == len(set(keys))
