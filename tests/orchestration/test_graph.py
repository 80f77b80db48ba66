"""A graph of tasks is checked as a whole, and written in one commit or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Memory
from lamina.errors import InvalidInputError
from lamina.orchestration.graph import Graph
from lamina.orchestration.orchestrator import Orchestrator
from tests.places import STORES, where


def written(mem: Memory, graph: Graph) -> list[str]:
    return Orchestrator(mem.project("web"), lambda work: "fine").add(graph)


def test_everything_wrong_is_named_at_once_and_nothing_is_written() -> None:
    graph = Graph().add("a", "A", after=["b"]).add("b", "B", after=["c"]).add("c", "C", after=["a"])
    graph.add("d", "D", after=["d"]).add("e", "E", after=["nowhere"]).add("f", "F").add("f", "G")
    with lamina.open(":memory:") as mem:
        with pytest.raises(InvalidInputError) as error:
            written(mem, graph)
        told = error.value.message
        assert "these wait for each other: a → b → c → a" in told
        assert "'d' waits for itself" in told
        assert "'e' waits for 'nowhere', which is not there" in told
        assert "'f' is there 2 times" in told
        assert mem.project("web").task.query() == []


@pytest.mark.parametrize("kind", STORES)
def test_a_graph_is_one_commit_and_can_be_added_to(kind: str, tmp_path: Path) -> None:
    with lamina.open(where(kind, tmp_path)) as mem:
        mem.configure("recall.embedder", "off")
        first = Graph().add("b", "B", after=["a"], agent="finn").add("a", "A", priority=3)
        assert written(mem, first) == ["b", "a"]
        web = mem.project("web")
        tasks = {str(one.key): one for one in web.task.query()}
        events = [one for one in mem.changes() if one.record and one.record.layer == "task"]
        assert len({change.event.tx for change in events}) == 1
        assert tasks["b"].data == {"status": "open", "agent": "finn", "blocked_by": ["a"]}
        # Written again, as after a crash, nothing happens; more may wait for what is there.
        assert written(mem, first) == []
        assert written(mem, Graph().add("c", "C", after=["b"]).add("b", "B")) == ["c"]
        assert [one.rev for one in tasks.values()] == [1, 1]
        with pytest.raises(InvalidInputError, match="say something else: a"):
            written(mem, Graph().add("a", "Another A"))


def test_a_long_chain_and_a_long_circle_are_walked_without_recursion() -> None:
    chain = Graph()
    for number in range(5_000):
        chain.add(f"t-{number}", "x", after=[f"t-{number + 1}"] if number < 4_999 else [])
    chain.check()
    circle = Graph()
    for number in range(5_000):
        circle.add(f"t-{number}", "x", after=[f"t-{(number + 1) % 5_000}"])
    with pytest.raises(InvalidInputError, match="wait for each other"):
        circle.check()


def test_a_graph_is_read_from_tasks_json(tmp_path: Path) -> None:
    tasks: list[dict[str, Any]] = [
        {"id": "TASK-001", "description": "Plan", "status": "completed", "owner": "somebody"},
        {"id": "build", "description": "Build", "blocked_by": ["TASK-001"], "agent": "finn",
         "acceptance_criteria": ["it runs"], "approaches": ["X", "Y"], "priority": 2},
    ]  # fmt: skip
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps({"tasks": tasks}), encoding="utf-8")
    for graph in (Graph.read(path), Graph.of(tasks)):
        first, second = graph.tasks
        assert (first.name, first.data["status"]) == ("task-001", "done")
        assert (second.name, second.after) == ("build", ("task-001",))
        assert second.data == {
            "status": "open", "agent": "finn", "acceptance": ["it runs"], "priority": 2,
            "approaches": ["X", "Y"],
        }  # fmt: skip


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"task": "No Name"}, "task"),
    ({"description": ""}, "description"),
    ({"description": 5}, "description"),
    ({"after": "plan"}, "after"),
    ({"agent": "Finn!"}, "agent"),
    ({"inputs": [1]}, "inputs"),
    ({"inputs": {"artifacts": []}}, "inputs"),
    ({"inputs": {"x": float("nan")}}, "inputs.x"),
    ({"approaches": []}, "approaches"),
    ({"approaches": ["X", "X"]}, "approaches"),
    ({"approaches": [""]}, "approaches"),
    ({"approaches": "X"}, "approaches"),
    ({"retry": -1}, "retry"),
    ({"retry": True}, "retry"),
    ({"seconds": float("nan")}, "seconds"),
    ({"owner": "x"}, "owner"),
    ({"priority": "high"}, "priority"),
)


def test_what_a_task_cannot_be_told_is_named() -> None:
    for wrong, argument in WRONG:
        said: dict[str, Any] = {"task": "a", "description": "A", **wrong}
        with pytest.raises(InvalidInputError, match=f"`{argument}`"):
            Graph().add(**said)
    for tasks in ([{"description": "no id"}], [{"id": "a"}], ["a"]):
        with pytest.raises(InvalidInputError, match="`tasks`"):
            Graph.of(tasks)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="`path` 'not there.json' cannot be read: No such"):
        Graph.read("not there.json")


def test_a_worker_that_cannot_be_called_is_refused_before_anything_runs() -> None:
    with lamina.open(":memory:") as mem:
        for workers in (7, None, {"finn": "work"}):
            with pytest.raises(InvalidInputError, match="`workers`"):
                Orchestrator(mem.project("web"), workers)  # type: ignore[arg-type]
