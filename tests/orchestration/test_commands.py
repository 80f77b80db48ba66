"""A worker may be a program of its own; whatever it does becomes the end of its attempt."""

import sys
from pathlib import Path

import lamina
from lamina.orchestration.commands import Command
from lamina.orchestration.graph import Graph
from lamina.orchestration.orchestrator import Orchestrator

PROGRAM = """
import json, os, subprocess, sys, time
work = json.load(sys.stdin)
match work["task"]:
    case "good":
        open("made.txt", "w").write(work["inputs"]["says"])
        print(json.dumps({"outcome": f"by {work['agent']} in {work['scope']}",
            "artifacts": ["made.txt"], "tokens_in": 7,
            "discovered": [["convention", "names", "short ones"]]}))
    case "plain":
        print("only text")
    case "fails":
        sys.exit("it does not compile")
    case "passes":
        sys.exit(75)
    case "hangs":
        subprocess.Popen(["sleep", "60"])
        time.sleep(60)
    case "huge":
        sys.stdout.write("x" * 3_000_000)
    case "odd":
        print(json.dumps({"speed": 3}))
"""


def test_programs_do_the_work(tmp_path: Path) -> None:
    script = tmp_path / "work.py"
    script.write_text(PROGRAM, encoding="utf-8")
    graph = Graph().add("good", "Good", agent="finn", inputs={"says": "hello"})
    for name in ("plain", "fails", "hangs", "huge", "odd"):
        graph.add(name, name, seconds=0.7 if name == "hangs" else 60)
    graph.add("passes", "passes", retry=1)
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        web = mem.project("web")
        work = Command(sys.executable, "-S", "-E", str(script))
        outcome = Orchestrator(web, work, workspace=tmp_path, threads=7).run(graph)
        assert sorted(outcome.done) == ["good", "plain"]
        [artifact] = web.artifact.query(task="good")
        assert (artifact.key, artifact.data["size"], artifact.source) == ("made.txt", 5, "finn")
        [said] = web.episode.query(task="good", action="completed")
        assert said.data["outcome"] == "by finn in project/web/agent/finn"
        assert said.data["tokens_in"] == 7
        assert web.knowledge.query("convention")[0].source == "finn"
        assert web.task.get("plain").data["result"]["outcome"] == "only text"
        told = outcome.dropped
        assert "status 1: it does not compile" in told["fails"]
        assert "longer than 0.7 seconds" in told["hangs"]
        assert "printed more than 1,048,576 bytes" in told["huge"]
        assert "'speed'" in told["odd"]
        assert [one.kind for one in web.episode.of_task("passes")].count("retried") == 1
