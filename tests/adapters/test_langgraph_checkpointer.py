"""LangGraph's threads on Lamina: large, resumed after a kill, nobody else's, and erased for good.

LangGraph's own kit for checkpointers runs in `make conformance`; here is what it does not ask.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, empty_checkpoint
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

import lamina
from lamina import Memory
from lamina.adapters.langgraph import LaminaCheckpointer, threads
from tests.meta.children import environment
from tests.places import mem, plain

__all__ = ["mem", "plain"]

LONG = os.urandom(300)
THREAD: RunnableConfig = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}


def _state(**values: Any) -> Checkpoint:
    made = empty_checkpoint()
    made["channel_values"] = values
    return made


def _chain(saver: LaminaCheckpointer, *states: Checkpoint, **about: Any) -> list[RunnableConfig]:
    made, config = [], THREAD
    for step, state in enumerate(states):
        config = saver.put(config, state, {"step": step, **about}, {})  # type: ignore[typeddict-item]
        made.append(config)
    return made


def test_a_checkpoint_larger_than_a_record_may_be(plain: Memory) -> None:
    saver = LaminaCheckpointer(plain)
    large = _state(blob=os.urandom(540_000))
    _chain(saver, large)
    found = saver.get_tuple(THREAD)
    assert found is not None
    assert found.checkpoint == large


def test_pieces_are_put_together_copied_and_erased(
    mem: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "_LARGEST", 100)
    saver = LaminaCheckpointer(mem)
    small, large = _state(), _state(blob=os.urandom(300))
    *_, last = _chain(saver, small, large)
    saver.put_writes(last, [("big", LONG)], "task")
    saver.copy_thread("t", "copy")
    saver.prune(["t"])
    for thread, count in (("t", 1), ("copy", 2)):
        found = list(saver.list({"configurable": {"thread_id": thread}}))
        assert len(found) == count
        assert found[0].checkpoint == large
        assert found[0].pending_writes == [("task", "big", LONG)]
    saver.delete_thread("t")
    saver.delete_thread("copy")
    assert not mem.query({"layer": "working"})


def test_what_looks_like_a_secret_by_chance_comes_back(plain: Memory) -> None:
    telling = "password=Kx9hunter2Qq8"

    class Telling(JsonPlusSerializer):
        def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
            name, content = super().dumps_typed(obj)
            return (telling if obj == telling else name), content

        def loads_typed(self, data: tuple[str, bytes]) -> Any:
            return super().loads_typed(("msgpack" if data[0] == telling else data[0], data[1]))

    saver = LaminaCheckpointer(plain, serde=Telling())
    (config,) = _chain(saver, _state())
    saver.put_writes(config, [("channel", telling)], "task")
    (kept,) = plain.query({"layer": "working", "kind": "write"})
    assert "secret://" in kept.data["payload"]
    found = saver.get_tuple(THREAD)
    assert found is not None
    assert found.pending_writes == [("task", "channel", telling)]


def test_threads_are_nothing_to_recall(plain: Memory) -> None:
    saver = LaminaCheckpointer(plain)
    _chain(saver, _state(messages=["the harbour is closed"]))
    for layers in (None, ["working"]):
        assert not plain.recall("harbour closed thread", layers=layers).hits
    assert "harbour" not in plain.context("harbour").text


@pytest.mark.parametrize("thread", ["a/b", "a//b", "é", "e\u0301", "x\ny", "l" * 700, ""])
def test_any_thread_name(plain: Memory, thread: str) -> None:
    saver = LaminaCheckpointer(plain)
    for one in (thread, f"{thread}/", "a"):
        for space in ("", "child:1|grand/child", "s" * 400):
            config = {"thread_id": one, "checkpoint_ns": space}
            saver.put({"configurable": config}, _state(of=[one, space]), {}, {})
    for space in ("", "child:1|grand/child", "s" * 400):
        found = saver.get_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": space}})
        assert found is not None
        assert found.checkpoint["channel_values"]["of"] == [thread, space]
    saver.delete_thread(thread)
    assert len(list(saver.list(None))) == (3 if thread == "a" else 6)


def test_two_agents_have_threads_of_their_own(plain: Memory) -> None:
    ada, bob = (LaminaCheckpointer(plain.agent(name, project="web")) for name in ("ada", "bob"))
    _chain(ada, _state(of="ada"))
    assert bob.get_tuple(THREAD) is None
    assert not list(bob.list(None))
    assert not list(LaminaCheckpointer(plain).list(None))
    bob.delete_thread("t")
    bob.prune(["t"], strategy="delete")
    assert ada.get_tuple(THREAD) is not None


def test_a_deleted_thread_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    with lamina.open(str(tmp_path / "store")) as memory:
        saver = LaminaCheckpointer(memory)
        _chain(saver, _state(said="a confession of some length, said once"))
        (kept,) = memory.query({"layer": "working"})
        piece = kept.data["payload"][40:80].encode()
        assert _holds(tmp_path, piece)
        saver.delete_thread("t")
        memory.flush()
        assert not _holds(tmp_path, piece)


def _holds(folder: Path, piece: bytes) -> bool:
    return any(piece in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_pruning_keeps_what_a_channel_of_changes_is_put_together_from(plain: Memory) -> None:
    saver = LaminaCheckpointer(plain)
    counted: dict[str, Any] = {"counters_since_delta_snapshot": {"log": (1, 1)}}
    states = (_state(), _state(log=["a"]), _state(), _state())
    configs = _chain(saver, *states, **counted)
    for number, config in enumerate(configs):
        saver.put_writes(config, [("log", f"w{number}")], f"task{number}")
    whole = saver.get_delta_channel_history(config=THREAD, channels=["log"])
    assert whole["log"]["seed"] == ["a"]
    assert [write[2] for write in whole["log"]["writes"]] == ["w1", "w2"]
    saver.prune(["t"])
    assert saver.get_delta_channel_history(config=THREAD, channels=["log"]) == whole
    assert len(list(saver.list(THREAD))) == 3


def test_of_two_that_write_the_same_task_the_first_stays(tmp_path: Path) -> None:
    with lamina.open(str(tmp_path / "s")) as one, lamina.open(str(tmp_path / "s")) as two:
        (config,) = _chain(LaminaCheckpointer(one), _state())
        LaminaCheckpointer(one).put_writes(config, [("c", 1), ("__error__", "x")], "task")
        LaminaCheckpointer(two).put_writes(config, [("c", 2), ("__error__", "y")], "task")
        found = LaminaCheckpointer(one).get_tuple(THREAD)
        assert found is not None
        assert found.pending_writes == [
            ("task", "__error__", "y"),
            ("task", "c", 1),
        ]


def test_versions_go_on_from_those_of_other_savers(plain: Memory) -> None:
    saver = LaminaCheckpointer(plain)
    assert [saver.get_next_version(one, None) for one in (None, 1)] == [1, 2]
    theirs = f"{9:032}.0.25"
    after = saver.get_next_version(theirs, None)
    assert after == f"{10:032}.0.25"
    assert after > theirs


WORKER = """
import sys, lamina
from langgraph.checkpoint.base import empty_checkpoint
from lamina.adapters.langgraph import LaminaCheckpointer
saver = LaminaCheckpointer(lamina.open(sys.argv[1]))
config = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
for step in range(10**6):
    state = empty_checkpoint()
    state["channel_values"] = {"step": step}
    config = saver.put(config, state, {"step": step}, {})
    saver.put_writes(config, [("step", step)], "task")
    print(step, flush=True)
"""


def test_a_thread_goes_on_where_a_killed_process_was(tmp_path: Path) -> None:
    folder = str(tmp_path / "store")
    command = [sys.executable, "-c", WORKER, folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as worker:
        assert worker.stdout is not None
        told = [int(worker.stdout.readline()) for _ in range(5)][-1]
        worker.send_signal(signal.SIGKILL)
    with lamina.open(folder) as memory:
        saver = LaminaCheckpointer(memory)
        found = list(saver.list(THREAD))
        steps = [one.checkpoint["channel_values"]["step"] for one in found]
        assert steps == list(range(steps[0], -1, -1))
        assert steps[0] >= told
        assert [one.pending_writes for one in found[-told - 1 :]] == [
            [("task", "step", step)] for step in range(told, -1, -1)
        ]
        saver.put(found[0].config, _state(step="next"), {}, {})
        assert next(iter(saver.list(THREAD))).parent_config == found[0].config
