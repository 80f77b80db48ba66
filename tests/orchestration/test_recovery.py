"""Runs that are stopped, killed, joined by others or crossed by people end every attempt once."""

import threading

import pytest

from lamina import Memory
from lamina.orchestration.books import Begun, End
from lamina.orchestration.choosing import MOST_INTERRUPTIONS
from lamina.orchestration.graph import Graph
from lamina.orchestration.orchestrator import Event, Orchestrator, Outcome
from lamina.orchestration.work import Work
from tests.orchestration.running import run, told


class Stop(BaseException):
    """Ends a run in the middle, as a signal would."""


def test_a_run_that_is_stopped_goes_on_with_the_steps_that_are_left(mem: Memory) -> None:
    calls: list[str] = []
    reached, stopped = threading.Event(), threading.Event()

    def work(one: Work) -> str:
        if one.task == "b":
            return "fine"
        one.once("first", lambda: calls.append(one.effect("first")))
        if not stopped.is_set():
            reached.set()
            stopped.wait(30)
        one.once("second", lambda: calls.append(one.effect("second")))
        return "fine"

    def stop(event: Event) -> None:
        if event.kind == "completed":
            assert reached.wait(30)
            raise Stop

    orchestrator = Orchestrator(mem.project("web"), work)
    graph = Graph().add("a", "A", approaches=["X", "Y"]).add("b", "B")
    with pytest.raises(Stop):
        orchestrator.run(graph, on_event=stop)
    stopped.set()
    assert told(mem, "a") == [("attempted", "X"), ("retried", "X")]
    assert orchestrator.run().ok
    assert told(mem, "a")[-2:] == [("attempted", "X"), ("completed", "X")]
    names = [call.rpartition("/")[2] for call in calls]
    assert (names[0], names[-1], names.count("first")) == ("first", "second", 1)
    steps = mem.project("web").task.get("a").data["steps"]
    assert (steps["approach"], sorted(steps["done"])) == ("X", ["first", "second"])


def test_what_a_dead_process_left_is_taken_over(mem: Memory) -> None:
    orchestrator = Orchestrator(mem.project("web"), lambda work: "fine")
    orchestrator.add(Graph().add("a", "A", approaches=["X", "Y"]).add("b", "B", after=["a"]))
    task = orchestrator.books.task("a")
    assert task is not None
    # An attempt that began, and nobody holds a lease for it: its process was killed.
    left = Begun(task="a", attempt="1", approach="Y", agent="finn")
    assert orchestrator.books.begin(task, left, {})
    assert not orchestrator.books.begin(task, left, {})
    events: list[Event] = []
    assert orchestrator.run(on_event=events.append).ok
    assert events[0].kind == "interrupted"
    assert told(mem, "a") == [
        ("attempted", "Y"), ("retried", "Y"), ("attempted", "Y"), ("completed", "Y")
    ]  # fmt: skip
    assert not orchestrator.books.end(left, End(kind="completed"))


def test_several_at_once_do_everything_once_and_wait_for_each_other(mem: Memory) -> None:
    begun: list[tuple[str, str]] = []

    def work(one: Work) -> str:
        begun.append((one.task, one.approach))
        if one.approach == "X" and one.task in ("t-3", "t-4", "t-8"):
            raise ValueError("no")
        return "fine"

    graph = Graph()
    for number in range(12):
        before = [f"t-{number // 2}"] if number else []
        graph.add(f"t-{number}", "Do it", after=before, approaches=["X", "Y"])
    outcomes: list[Outcome] = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(run(mem, work, graph, threads=2)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(one.done) for one in outcomes] == [12] * 3
    assert sum(one.attempts for one in outcomes) == len(begun) == len({*begun})


def test_what_ends_its_process_again_and_again_has_failed(mem: Memory) -> None:
    orchestrator = Orchestrator(mem.project("web"), {"maya": lambda work: "not asked"})
    orchestrator.add(Graph().add("a", "A", approaches=["X", "Y"]))
    for number in range(MOST_INTERRUPTIONS + 1):
        task = orchestrator.books.task("a")
        assert task is not None
        begun = Begun(task="a", attempt=str(number), approach="X", agent="finn")
        assert orchestrator.books.begin(task, begun, {})
        orchestrator.run()
    ends = [kind for kind, _ in told(mem, "a") if kind != "attempted"]
    assert ends == ["retried"] * MOST_INTERRUPTIONS + ["failed"]
    assert run(mem, lambda work: work.approach).ok
    assert told(mem, "a")[-1] == ("completed", "Y")


def test_what_a_person_decides_meanwhile_stands_and_the_attempt_has_its_end(mem: Memory) -> None:
    web = mem.project("web")

    def work(one: Work) -> str:
        web.task.move(one.task, "dropped", note="not needed")
        return "fine"

    assert run(mem, work, Graph().add("a", "A")).dropped == {"a": "not needed"}
    assert [kind for kind, _ in told(mem, "a")] == ["attempted", "completed"]
    # The same when the process of the attempt has died.
    orchestrator = Orchestrator(web, work)
    orchestrator.add(Graph().add("b", "B"))
    task = orchestrator.books.task("b")
    assert task is not None
    assert orchestrator.books.begin(task, Begun(task="b", attempt="2", approach="Z", agent="x"), {})
    web.task.move("b", "dropped", note="nor this")
    assert orchestrator.run().dropped == {"a": "not needed", "b": "nor this"}
    assert told(mem, "b") == [("attempted", "Z"), ("retried", "Z")]
    # Something else about a task may change while it is worked on, and it is done all the same.
    graph = Graph().add("c", "C")
    run(mem, lambda one: str(web.task.change("c", priority=5).rev), graph)
    assert (web.task.get("c").data["status"], web.task.get("c").data["priority"]) == ("done", 5)
