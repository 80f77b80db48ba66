"""Tasks are done by agents; what was tried is kept, read before the next try, and never lost."""

import json
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Memory
from lamina.errors import (
    BusyError,
    InvalidInputError,
    ModelUnavailableError,
    NotFoundError,
)
from lamina.orchestration.graph import Graph
from lamina.orchestration.orchestrator import Again, Event, GiveUp, Orchestrator
from lamina.orchestration.work import Result, Transient, Work
from lamina.testing import ScriptedModel
from tests.orchestration.running import run, told
from tests.places import STORES, where


@pytest.mark.parametrize("kind", STORES)
def test_agents_do_tasks_in_order_with_what_came_before(kind: str, tmp_path: Path) -> None:
    seen: dict[str, Work] = {}

    def work(one: Work) -> Result:
        seen[one.task] = one
        assert one.memory.working.all() == {"context": {"task": one.task, "approach": one.approach}}
        (tmp_path / f"{one.task}.md").write_text(one.task)
        one.memory.notebook(one.task).note("a thought")
        one.spent(tokens_in=2)
        return Result(f"{one.task} is done", artifacts=(f"{one.task}.md",), tokens_in=3,
                      tokens_out=1, data={"n": len(seen)})  # fmt: skip

    with lamina.open(where(kind, tmp_path / "store")) as mem:
        mem.configure("recall.embedder", "off")
        graph = Graph().add("build", "Build it", after=["plan"], agent="finn", inputs={"x": 1})
        graph.add("plan", "Plan it", agent="maya")
        outcome = run(mem, work, graph, workspace=tmp_path)
        assert (outcome.ok, outcome.attempts, sorted(outcome.done)) == (True, 2, ["build", "plan"])
        web = mem.project("web")
        assert told(mem, "build") == [("attempted", "as described"), ("completed", "as described")]
        ended = web.episode.of_task("build")[-1]
        assert (ended.source, ended.data["outcome"]) == ("finn", "build is done")
        assert (ended.data["tokens_in"], ended.data["tokens_out"]) == (5, 1)
        assert ended.data["duration_ms"] >= 0
        # Artifacts hang on the task, and the next one is given references to them.
        [made] = web.artifact.query(task="plan")
        assert (made.key, made.source) == ("plan.md", "maya")
        given = seen["build"].inputs
        assert (given["x"], given["results"]["plan"]["data"]) == (1, {"n": 1})
        assert [(one["path"], one["sha256"]) for one in given["artifacts"]] == [
            ("plan.md", made.data["sha256"])
        ]
        assert web.task.get("build").data["inputs"]["artifacts"] == given["artifacts"]
        # Status, episode, artifact and the note that was put aside are one commit.
        tx = {one.event.tx for one in mem.changes()
              if one.record and one.record.data.get("task") == "build"
              and one.record.kind in ("completed", "file")}  # fmt: skip
        tx |= {mem.history(web.task.get("build").id)[-1].event.tx}
        assert len(tx) == 1
        assert mem.agent("finn", project="web").notebook("build").read() == []


def test_what_failed_is_not_tried_again_and_comes_last_elsewhere(mem: Memory) -> None:
    failures: list[tuple[Any, ...]] = []

    def work(one: Work) -> str:
        failures.append((one.task, one.approach, [(f.task, f.approach) for f in one.failures]))
        if one.approach == "by hand":
            raise ValueError("too slow")
        return "fine"

    graph = Graph().add("one", "Translate the manual", approaches=["by hand", "by tool"])
    graph.add("two", "Translate the second manual", approaches=["by hand", "by tool"],
              after=["one"])  # fmt: skip
    assert run(mem, work, graph).ok
    assert failures == [
        ("one", "by hand", []),
        ("one", "by tool", [("one", "by hand")]),
        ("two", "by tool", [("one", "by hand")]),
    ]


def test_all_failed_drops_the_task_blocks_what_waits_and_reopening_works(mem: Memory) -> None:
    heals = threading.Event()

    def work(one: Work) -> str:
        if one.task == "mid" and not heals.is_set():
            raise ValueError("no")
        return "fine"

    graph = Graph().add("mid", "Middle").add("end", "End", after=["mid"])
    graph.add("last", "Last", after=["end"])
    events: list[Event] = []
    orchestrator = Orchestrator(mem.project("web"), work)
    outcome = orchestrator.run(graph, on_event=events.append)
    assert outcome.dropped == {"mid": "every approach failed: as described: ValueError: no"}
    assert outcome.blocked.keys() == {"end", "last"}
    assert outcome.blocked["last"].startswith("waits for mid, which was dropped: every approach")
    assert [one.kind for one in events] == ["began", "failed", "dropped", "blocked", "blocked"]
    assert orchestrator.run().attempts == 0
    heals.set()
    mem.project("web").task.move("mid", "open")
    assert orchestrator.run().ok
    assert told(mem, "mid")[-2:] == [("attempted", "as described"), ("completed", "as described")]


def test_errors_that_may_pass_are_retried_so_often_and_no_more(mem: Memory) -> None:
    def work(one: Work) -> str:
        raise Transient("busy") if one.approach == "X" else BusyError("busy too")

    graph = Graph().add("a", "A", approaches=["X", "Y"], retry=1)
    assert "BusyError" in run(mem, work, graph).dropped["a"]
    ends = [one for one in told(mem, "a") if one[0] != "attempted"]
    assert ends == [("retried", "X"), ("failed", "X"), ("retried", "Y"), ("failed", "Y")]


def misbehaving(one: Work) -> Any:
    match one.task:
        case "raises":
            raise SystemExit(3)
        case "unsayable":
            raise ValueError("\0 \ud800")
        case "wrong":
            return {"ok": True}
        case "nothing":
            return None
        case "unkept":
            return Result(data={"x": object()})
        case "elsewhere":
            return Result(artifacts=("../../etc/passwd",))
        case "tokens":
            return Result(tokens_in=-1)
        case "hangs":
            return threading.Event().wait(30)
        case _:
            return "x" * 50_000_000


def test_workers_that_misbehave_are_told_of_and_hold_up_nobody(mem: Memory) -> None:
    names = ["raises", "unsayable", "wrong", "nothing", "unkept", "elsewhere", "tokens", "hangs"]
    graph = Graph().add("huge", "Huge")
    for name in names:
        graph.add(name, name, seconds=0.05 if name == "hangs" else 60)
    outcome = run(mem, misbehaving, graph)
    assert outcome.done == ("huge",)
    assert outcome.dropped.keys() == {*names}
    assert "returned dict, no Result or text" in outcome.dropped["wrong"]
    assert "SystemExit" in outcome.dropped["raises"]
    assert "took longer than 0.05 seconds" in outcome.dropped["hangs"]
    assert "out of the workspace" in outcome.dropped["elsewhere"]
    kept = mem.project("web").task.get("huge").data["result"]["outcome"]
    assert len(kept) < 5_000
    assert "49,996,000 of 50,000,000 characters left out" in kept


def test_an_attempt_that_is_over_can_do_nothing_more(mem: Memory) -> None:
    refused: list[str] = []
    may_go_on, done = threading.Event(), threading.Event()

    def late(one: Work) -> str:
        if one.approach == "quick":
            return "fine"
        may_go_on.wait(30)
        for call in (
            partial(one.step_done, "s"), partial(one.artifact, "x"),
            partial(one.discovered, "fact", "k", "v"), partial(one.check),
        ):  # fmt: skip
            with pytest.raises(BusyError) as error:
                call()
            refused.append(error.value.message)
        done.set()
        return "too late"

    graph = Graph().add("a", "A", approaches=["slow", "quick"], seconds=0.05)
    assert run(mem, late, graph).ok
    may_go_on.set()
    assert done.wait(30)
    assert len(refused) == 4
    assert told(mem, "a")[-1] == ("completed", "quick")
    assert len(told(mem, "a")) == 4


def test_replanning_reads_the_episodes_and_may_name_what_comes_first(mem: Memory) -> None:
    asked: list[list[str]] = []

    def replan(task: Any, episodes: list[Any]) -> Any:
        asked.append([one.kind for one in episodes])
        if task.key == "tired":
            return GiveUp("not worth it")
        if task.key == "stubborn":
            return "X"
        if task.key == "raising":
            raise ValueError("oh")
        if task.key == "circle":
            return Graph().add("round", "Round", after=["circle"])
        return Again("X") if "tools" in task.data.get("blocked_by", ()) else tools

    def work(one: Work) -> str:
        is_there = one.memory.task.query(status="done")
        if one.approach == "X" and not is_there:
            raise ValueError("no tools")
        return "fine"

    tools = Graph().add("tools", "Get the tools", approaches=["buy"])
    graph = Graph()
    for name in ("tired", "stubborn", "raising", "circle"):
        graph.add(name, name, approaches=["X"])
    outcome = run(mem, work, graph, replan=replan, threads=1)
    assert outcome.dropped["tired"] == "not worth it"
    assert "which had failed" in outcome.dropped["stubborn"]
    assert "replanning failed: ValueError: oh" in outcome.dropped["raising"]
    assert "wait for each other" in outcome.dropped["circle"]
    asked.clear()
    outcome = run(mem, work, Graph().add("b", "B", approaches=["X"]), replan=replan, threads=1)
    assert outcome.done == ("b", "tools")
    assert asked == [["attempted", "failed"]] * 2
    assert told(mem, "b")[-1] == ("completed", "X")


def test_a_discovery_is_knowledge_and_the_orchestrator_settles_ties(mem: Memory) -> None:
    asked: list[tuple[str, str]] = []

    def arbitrate(standing: Any, claim: Any) -> bool:
        asked.append((standing.text, claim.text))
        return bool(claim.agent == "noor")

    def work(one: Work) -> str:
        for _ in range(2):
            one.discovered("convention", "indent", one.inputs["says"])
        return "fine"

    graph, before = Graph(), list[str]()
    for agent, says in (("maya", "tabs"), ("finn", "two spaces"), ("noor", "four spaces")):
        graph.add(f"by-{agent}", "Look", agent=agent, inputs={"says": says}, after=before)
        before = [f"by-{agent}"]
    assert run(mem, work, graph, arbitrate=arbitrate).ok
    assert asked == [("tabs", "two spaces")] * 2 + [("tabs", "four spaces")]
    knowledge = mem.project("web").knowledge
    found = knowledge.get("convention", "indent")
    assert found is not None
    assert (found.text, found.source, found.trust.value) == ("four spaces", "noor", "agent")
    assert [(one.text, one.source) for one in knowledge.proposals()] == [("two spaces", "finn")]
    # What was replaced stays in its history; and where knowledge is reviewed, all of it waits.
    assert [one.record.text for one in mem.history(found.id) if one.record][0] == "tabs"
    mem.configure("knowledge.accept", "review")
    more = Graph().add("more", "Look", agent="noor", inputs={"says": "eight spaces"})
    assert run(mem, work, more, arbitrate=arbitrate).ok
    assert len(knowledge.proposals()) == 2


def test_only_tasks_that_name_an_agent_with_a_worker_here_are_run(mem: Memory) -> None:
    web = mem.project("web")
    web.task.add("person", "For a person")
    graph = Graph().add("a", "A", agent="finn").add("b", "B", agent="maya")
    graph.add("c", "C", agent="finn", after=["person"])
    outcome = run(mem, {"finn": lambda work: "fine"}, graph)
    assert outcome.done == ("a",)
    assert outcome.waiting == {"b": "nobody works for maya here", "c": "waits for person"}


def test_where_tasks_are_run_unknown_ones_are_refused(mem: Memory, tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    web, finn = mem.project("web"), mem.agent("finn", project="web")

    def keep(task: str) -> None:
        finn.episode.record(task, "attempted")
        finn.artifact.register("x", task=task, workspace=tmp_path)

    keep("anything")
    web.task.add("person", "For a person")
    keep("anything")
    run(mem, lambda work: "fine", Graph().add("a", "A"))
    for call in (
        partial(finn.episode.record, "anything", "attempted"),
        partial(finn.artifact.register, "x", task="anything", workspace=tmp_path),
    ):
        with pytest.raises(NotFoundError, match="`task`: the project has no task 'anything'"):
            call()
    web.forget(web.task.get("a").id)
    for task in ("person", "a"):
        keep(task)
    mem.agent("finn", project="other").episode.record("anything", "attempted")


def test_wrong_arguments_are_named(mem: Memory) -> None:
    web = mem.project("web")
    for handle in (mem, mem.agent("finn", project="web")):
        with pytest.raises(InvalidInputError, match="`project`"):
            Orchestrator(handle, lambda work: "")
    for option, value in (("threads", 0), ("seconds", 0), ("seconds", "5"), ("name", "A B")):
        with pytest.raises(InvalidInputError, match=f"`{option}`"):
            Orchestrator(web, lambda work: "", **{option: value})  # type: ignore[arg-type]
    with pytest.raises(NotFoundError, match="nowhere"):
        web.task.attempt("nowhere", approach="X")
    with pytest.raises(InvalidInputError, match="`speed`"):
        Orchestrator(web, lambda work: "", speed=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("state", ["on", "off"])
def test_lessons_of_ended_tasks_are_proposed_where_that_is_switched_on(
    mem: Memory, state: str
) -> None:
    lesson = {"kind": "pitfall", "text": "The kettle leaks when full", "from": "m2",
              "quote": "the kettle leaks when full"}  # fmt: skip
    model = ScriptedModel([json.dumps([lesson]), ModelUnavailableError("down")])
    mem.configure("propose.lessons", state)
    graph = Graph().add("tea", "Make tea").add("more", "Make more tea", after=["tea"])
    assert run(mem, lambda one: "the kettle leaks when full", graph, model=model).ok
    waiting = mem.project("web").knowledge.proposals()
    assert [one.text for one in waiting] == ([lesson["text"]] if state == "on" else [])
    assert len(model.asked) == (2 if state == "on" else 0)
