"""Workers, people and replanning that meddle with tasks hold up nobody and end nothing twice."""

import threading
from pathlib import Path
from typing import Any

import pytest

from lamina import Memory
from lamina.orchestration import Again, Command, Graph, Outcome, Result, Work
from tests.orchestration.running import run, told


def test_what_a_worker_says_itself_of_its_task_loses_nothing(mem: Memory) -> None:
    web, given = mem.project("web"), dict[str, Any]()

    def work(one: Work) -> Result:
        task = web.task.get(one.task)
        if one.task == "ended":
            web.task.move("ended", "done")
        elif one.task == "edited":
            one.memory.edit(task.id, data={"status": "active", "agent": "worker"})
        elif one.task == "forgotten":
            one.memory.forget(task.id)
        given.update(one.inputs["results"])
        return Result("fine", data={"n": 1})

    graph = Graph().add("ended", "Ended").add("edited", "Edited").add("forgotten", "Forgotten")
    graph.add("last", "Last", after=["ended", "edited"]).add("never", "N", after=["forgotten"])
    outcome = run(mem, work, graph, threads=1)
    assert {*outcome.done} == {"ended", "edited", "last"}
    assert outcome.blocked == {"never": "waits for forgotten, which is not there"}
    # Nobody begins what waits before there is a result.
    assert {name: one["data"] for name, one in given.items()} == dict.fromkeys(
        ("ended", "edited"), {"n": 1}
    )
    assert told(mem, "edited") == [("attempted", "as described"), ("completed", "as described")]


def test_what_cannot_be_kept_fails_its_own_task_alone(mem: Memory, tmp_path: Path) -> None:
    def work(one: Work) -> Result:
        if one.task == "much":
            one.step_done("half", "x" * 600_000)
            return Result(data={"other half": "x" * 600_000})
        if one.task == "files":
            for number in range(60):
                (tmp_path / f"{number}").touch()
                one.artifact(f"{number}", description="x" * 20_000)
        return Result("fine")

    graph = Graph().add("much", "Much").add("files", "Files").add("reads", "R", after=["files"])
    graph.add("told", "Told", inputs={"x": "y" * 1_030_000}, after=["files"])
    outcome = run(mem, work, graph, workspace=tmp_path)
    assert {*outcome.done} == {"files", "reads"}
    assert "what came of it cannot be kept" in outcome.dropped["much"]
    assert "what it is given cannot be kept" in outcome.dropped["told"]


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("approach", "50 attempts failed"),
        ("wide", "other tasks came first 10 times"),
        ("deep", "other tasks came first 10 times"),
        ("there", "replanning named nothing new"),
        ("no text", "which is no approach"),
        ("empty", "which is no approach"),
    ],
)
def test_replanning_that_never_ends_does(mem: Memory, kind: str, why: str) -> None:
    asked: list[int] = []

    def replan(task: Any, episodes: Any) -> Any:
        asked.append(1)
        answers = {
            "approach": f"way {len(asked)}", "empty": "", "no text": Again(3),  # type: ignore[arg-type]
            "there": Graph().add("b", "B"),
        }  # fmt: skip
        return answers.get(kind, Graph().add(f"x-{len(asked)}", "X"))

    def work(one: Work) -> str:
        if one.task == "a" or kind == "deep":
            raise ValueError("no")
        return "fine"

    graph = Graph().add("a", "A")
    if kind == "there":
        graph.add("b", "B")
    outcome = run(mem, work, graph, replan=replan)
    assert [one for one in outcome.dropped.values() if why in one], outcome
    assert len(asked) <= 50


def test_who_has_lost_its_lease_ends_nothing_any_more(mem: Memory) -> None:
    begun, may_end = threading.Event(), threading.Event()
    calls: list[str] = []

    def work(one: Work) -> str:
        calls.append(one.attempt)
        if len(calls) == 1:
            begun.set()
            may_end.wait(30)
        return f"by {len(calls)}"

    outcomes: list[Outcome] = []
    first = threading.Thread(target=lambda: outcomes.append(run(mem, work, Graph().add("a", "A"))))
    first.start()
    assert begun.wait(30)
    # As when the process was stopped for too long, or a person has forgotten the lease.
    [lease] = mem.query({"layer": "blackboard", "kind": "lease"}, scope="project/web")
    mem.forget(lease.id)
    assert run(mem, work).done == ("a",)
    may_end.set()
    first.join(30)
    assert outcomes[0].done == ("a",)
    assert [kind for kind, _ in told(mem, "a")] == [
        "attempted", "retried", "attempted", "completed"
    ]  # fmt: skip
    assert mem.project("web").task.get("a").data["result"]["outcome"] == "by 2"


def test_a_program_that_does_not_read_is_ended_in_time(mem: Memory) -> None:
    graph = Graph().add("a", "A", seconds=0.2, inputs={"x": "y" * 200_000})
    outcome = run(mem, Command("sleep", "600"), graph)
    assert "took longer than 0.2 seconds" in outcome.dropped["a"]
    for thread in threading.enumerate():
        if thread.name == "task a":
            thread.join(30)
            assert not thread.is_alive()
