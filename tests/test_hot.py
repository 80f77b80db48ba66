"""Hot layers in Redis, through the doors that people use."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import lamina
from lamina import Memory, leasing
from lamina.core.scope import Scope
from lamina.errors import (
    BusyError,
    InvalidInputError,
    StoreUnavailableError,
    UnsupportedError,
)
from lamina.files import Files
from lamina.paging.showing import show_part
from lamina.stores.combined.answers import AWAY
from lamina.surfaces.cli.main import main
from tests.redis import RedisServer, needs_redis
from tests.scratch import scratch_folder

pytestmark = needs_redis
WEB = Scope.of("project/web")


@pytest.fixture
def url(redis_server: RedisServer) -> str:
    return redis_server.fresh_url()


@pytest.fixture
def mem(tmp_path: Path, url: str) -> Iterator[Memory]:
    with lamina.open(tmp_path, hot=url) as mem:
        yield mem


def test_agents_work_as_they_do_on_one_store(mem: Memory) -> None:
    finn, gwen = mem.agent("finn", project="web"), mem.agent("gwen", project="web")
    start = gwen.cursor()
    finn.blackboard.publish("build", {"ok": True})
    finn.remember("Deploys go out on Tuesdays", key="deploy-day")
    finn.working.set("plan", "ship it")
    finn.working.snapshot()
    signal = gwen.blackboard.read("build")
    assert signal is not None
    assert signal.value == {"ok": True}
    [news] = gwen.blackboard.subscribe(after=start, timeout=0)
    assert (news.key, news.signal and news.signal.value) == ("build", {"ok": True})
    assert not list(gwen.blackboard.subscribe(after=news.cursor, timeout=0))
    assert {hit.record.layer for hit in finn.recall("deploys build").hits} == {
        "knowledge", "blackboard",
    }  # fmt: skip
    assert finn.working.restore()
    assert gwen.query({"layer": "working"}) == []


def test_a_task_and_its_notes_end_in_one_commit(mem: Memory) -> None:
    finn = mem.agent("finn", project="web")
    finn.task.add("t-1", "Fix the kettle")
    finn.task.move("t-1", "active")
    notes = "project/web/agent/finn/task/t-1"
    finn.remember(
        "The valve was stuck", layer="notebook", kind="note", scope=notes, data={"promote": "fact"}
    )
    receipt = finn.task.move("t-1", "done")
    assert {name for name, _ in receipt.seqs} == {"project/web", "project/web+hot"}
    assert finn.task.get("t-1").data["status"] == "done"
    assert [one.text for one in finn.query({"layer": "knowledge"})] == ["The valve was stuck"]
    mem.undo(receipt.tx)
    assert finn.task.get("t-1").data["status"] == "active"
    assert finn.query({"layer": "knowledge"}) == []


def test_a_lease_guards_what_is_kept_elsewhere(mem: Memory) -> None:
    finn, gwen = mem.agent("finn", project="web"), mem.agent("gwen", project="web")
    with leasing.take(finn, "s-1", scope=WEB) as lease:
        with pytest.raises(BusyError):
            leasing.take(gwen, "s-1", scope=WEB)
        scope = "project/web/agent/finn/session/s-1"
        lease.commit([{"layer": "session", "kind": "user", "scope": scope, "text": "hello"}])
    with leasing.take(gwen, "s-1", scope=WEB):
        assert not leasing.is_held(finn, "s-2", scope=WEB)
    assert len(finn.query({"layer": "session"})) == 1


def test_redis_gone_is_said_and_nothing_else_waits_for_it(tmp_path: Path) -> None:
    with scratch_folder() as folder:
        server = RedisServer(folder, "--appendonly", "yes").start()
        with lamina.open(tmp_path, hot=server.url()) as mem:
            web = mem.project("web")
            web.blackboard.publish("build", "green")
            cursor = web.cursor()
            server.kill()
            web.remember("Redis is away", key="away")
            assert web.recall("redis away").degraded == (AWAY,)
            context = mem.agent("finn", project="web").context("redis away", task="build")
            assert "Redis is away" in context.text
            assert AWAY in context.degraded
            assert any(one.startswith("tasks: ") for one in context.degraded)
            with pytest.raises(StoreUnavailableError, match="tasks: "):
                # Not that there are none.
                show_part(mem.agent("finn", project="web"), "tasks")
            with pytest.raises(StoreUnavailableError):
                web.blackboard.publish("build", "red")
            with lamina.open(tmp_path, hot=server.url()) as other:
                assert other.get("away", layer="knowledge").text == "Redis is away"
            server.start()
            web.blackboard.publish("build", "red")
            told = [one.record and one.record.text for one in web.changes(cursor)]
            assert told == ["Redis is away", "red"]
        server.kill()
        with pytest.raises(StoreUnavailableError):
            lamina.open(tmp_path / "new", hot=server.url())


def test_a_store_with_hot_layers_is_not_opened_without_them(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with lamina.open(tmp_path, hot=url) as mem:
        mem.blackboard.publish("build", "green")
    with pytest.raises(InvalidInputError, match="Redis") as caught:
        lamina.open(tmp_path)
    assert "LAMINA_HOT" in caught.value.remedy
    monkeypatch.setenv("LAMINA_HOT", url)
    with lamina.open(tmp_path) as mem:
        assert mem.blackboard.read("build") is not None
    monkeypatch.delenv("LAMINA_HOT")
    with lamina.open(tmp_path, hot="off") as mem:
        assert mem.blackboard.read("build") is None
    lamina.open(tmp_path).close()


@pytest.mark.parametrize("where", [":memory:", "http://127.0.0.1:1"])
def test_not_every_store_can_have_hot_layers(where: str, url: str) -> None:
    with pytest.raises(InvalidInputError, match="hot"):
        lamina.open(where, hot=url)
    with pytest.raises(InvalidInputError, match="address of a Redis"):
        lamina.open("json:nowhere", hot="somewhere")
    with pytest.raises(InvalidInputError, match="surfaces"):
        lamina.open(":memory:", surfaces="x")  # type: ignore[call-arg]
    with pytest.raises(UnsupportedError) as caught:
        lamina.open("redis://127.0.0.1:1")
    assert "hot=" in caught.value.remedy


def test_the_command_line_and_the_loop_take_it_too(
    tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = ["--dir", str(tmp_path), "--project", "web", "--json"]
    assert main(["blackboard", "publish", "build", "green", "--hot", url, *said]) == 0
    monkeypatch.setenv("LAMINA_HOT", url)
    capsys.readouterr()
    assert main(["blackboard", "get", "build", *said]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "green"
    assert main(["doctor", *said]) == 0
    found = {one["check"] for one in json.loads(capsys.readouterr().out)["findings"]}
    assert {"hot records", "hot log"} <= found
    monkeypatch.delenv("LAMINA_HOT")
    assert main(["blackboard", "get", "build", *said]) != 0
    assert "LAMINA_HOT" in capsys.readouterr().out
    assert main(["list", "--hot", "", *said]) != 0

    async def read() -> object:
        async with await lamina.aio.open(tmp_path, hot=url, project="web") as mem:
            return await mem.blackboard.read("build")

    assert asyncio.run(read()) is not None


def test_nobody_is_shown_the_password_of_a_redis(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with scratch_folder() as folder:
        server = RedisServer(folder, "--appendonly", "yes").start()
        server.client().config_set("requirepass", "hunter2")
        url = server.url(password="hunter2")
        said = ["--dir", str(tmp_path), "--hot", url]
        assert main(["blackboard", "publish", "build", "green", *said, "--project", "web"]) == 0
        capsys.readouterr()
        assert main(["watch", "--once", *said]) == 0
        told = capsys.readouterr()
        assert "resume with:" in told.err
        assert "hunter2" not in told.out + told.err
        for command in (["mcp", "--install", "claude"], ["hook", "install", "claude"]):
            assert main([*command, "--print", *said]) == 2
            told = capsys.readouterr()
            assert "LAMINA_HOT_FILE" in told.err
            assert "hunter2" not in told.out + told.err
        server.kill()


def test_a_redis_that_is_silent_is_not_waited_for_again_and_again(tmp_path: Path) -> None:
    with scratch_folder() as folder:
        server = RedisServer(folder, "--appendonly", "yes").start()
        with lamina.open(tmp_path, hot=server.url()) as mem:
            mem.blackboard.publish("build", "green")
            server.pause()
            with pytest.raises(StoreUnavailableError, match="cannot be reached"):
                mem.blackboard.read("build")
            with pytest.raises(StoreUnavailableError, match="a moment ago"):
                mem.blackboard.read("build")
            server.resume()
            until = time.monotonic() + 20
            while True:
                with suppress(StoreUnavailableError):
                    assert mem.blackboard.read("build") is not None
                    break
                assert time.monotonic() < until
        server.kill()


def test_tasks_are_edited_in_their_file(mem: Memory, tmp_path: Path) -> None:
    web = mem.project("web")
    for name in ("t-1", "t-2", "t-3", "t-4", "t-5", "t-6"):
        web.task.add(name, f"Do {name}")
    files = Files(mem, tmp_path / "out")
    files.sync()
    path = tmp_path / "out" / "projects" / "web" / "tasks.json"
    page = json.loads(path.read_text())
    [first] = [one for one in page["tasks"] if one["id"] == "t-1"]
    first["description"] = "Do it better"
    page["tasks"] = [one for one in page["tasks"] if one["id"] != "t-2"]
    path.write_text(json.dumps(page, indent=2) + "\n")
    web.task.change("t-3", "changed meanwhile")
    files.sync()
    known = {str(one.key): one.text for one in web.task.query()}
    assert known == {
        "t-1": "Do it better", "t-3": "changed meanwhile", "t-4": "Do t-4", "t-5": "Do t-5",
        "t-6": "Do t-6",
    }  # fmt: skip
    assert "changed meanwhile" in path.read_text()


def test_everything_is_exported_and_comes_back(mem: Memory, tmp_path: Path) -> None:
    web = mem.project("web")
    web.remember("cold", key="c")
    web.blackboard.publish("build", "one")
    web.blackboard.publish("build", "two")
    for history, values in ((False, ["cold", "two"]), (True, ["cold", "one", "two"])):
        lines = list(lamina.exchange.export_lines(mem, history=history))
        assert sorted(json.loads(line)["text"] for line in lines) == values
    with lamina.open(tmp_path / "copy") as copy:
        lamina.exchange.import_lines(copy, lines)
        signal = copy.project("web").blackboard.read("build")
        assert signal is not None
        assert signal.value == "two"
