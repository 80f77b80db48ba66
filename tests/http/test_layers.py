"""What agents say, do, know and hand each other, over HTTP."""

from tests.http.asking import Api, api, plain

__all__ = ["api", "plain"]
FINN = "project=web&agent=finn"
MAYA = "project=web&agent=maya"


def test_an_agents_status_log_and_facts(api: Api) -> None:
    api.told("PUT", f"/api/now?{FINN}", json={"objective": "Ship it", "next_steps": ["test"]})
    api.told("PUT", f"/api/now?{FINN}", json={"next_steps": ["test", "tell"]})
    now = api.told("GET", f"/api/now?{FINN}")
    assert (now["objective"], now["next_steps"]) == ("Ship it", ["test", "tell"])
    api.told("POST", f"/api/log?{FINN}", json={"type": "THOUGHT", "content": "It is odd"})
    entry = {"type": "TOOL_USE", "content": "ran it", "metadata": {"tool": "make", "text": "x"}}
    api.told("POST", f"/api/log?{FINN}", json=entry)
    [last] = api.told("GET", f"/api/log?{FINN}&n=5&type=TOOL_USE")["records"]
    assert (last["text"], last["data"]) == ("ran it", {"tool": "make", "text": "x"})
    api.told("PUT", f"/api/facts/tea/kind?{FINN}", json={"value": "green"})
    assert api.told("GET", f"/api/facts/tea/kind?{FINN}")["text"] == "green"
    assert len(api.told("GET", f"/api/facts?{FINN}&category=general")["records"]) == 1
    assert api.told("GET", f"/api/facts?{MAYA}")["records"] == []
    api.told("DELETE", f"/api/facts/tea/kind?{FINN}")
    assert api.refused("GET", f"/api/facts/tea/kind?{FINN}")[:2] == (404, "not_found")
    own = {"headers": api.key("finn", "agent", "web")}
    assert api.told("GET", "/api/now", **own) == now


def test_a_session_is_appended_to_and_read(api: Api) -> None:
    said = {"messages": [{"role": "user", "text": "Hi", "id": "m-1", "data": {"at": 1}},
                         {"role": "assistant", "text": "Ho"}]}  # fmt: skip
    api.told("POST", f"/api/sessions/s-1?{FINN}", json=said)
    assert api.refused("POST", f"/api/sessions/s-1?{FINN}", json=said)[:2] == (409, "conflict")
    read = api.told("GET", f"/api/sessions/s-1?{FINN}")["records"]
    assert [(one["kind"], one["text"]) for one in read] == [("user", "Hi"), ("assistant", "Ho")]
    more = {"messages": [{"role": "user", "text": "On", "cites": ["m-1"]}], "continues": "s-1"}
    api.told("POST", f"/api/sessions/s-2?{FINN}", json=more)
    assert api.told("GET", f"/api/sessions/s-2/thread?{FINN}")["sessions"] == ["s-1", "s-2"]
    assert {*api.told("GET", f"/api/sessions?{FINN}")["sessions"]} == {"s-1", "s-2"}
    [last] = api.told("GET", f"/api/sessions/s-1?{FINN}&last=1")["records"]
    assert last["text"] == "Ho"
    odd = {"messages": [{"role": "user", "text": "x", "data": {"id": "y"}}]}
    assert api.refused("POST", f"/api/sessions/s-3?{FINN}", json=odd)[:2] == (422, "invalid_input")


def test_a_session_gives_way_to_a_summary(api: Api) -> None:
    many = {"messages": [{"role": "user", "text": f"We chose option {n}"} for n in range(20)]}
    api.told("POST", f"/api/sessions/long?{FINN}", json=many)
    path = f"/api/sessions/long/compact?{FINN}"
    assert api.told("POST", path, json={}) == {"applied": False, "compacted": []}
    planned = api.told("POST", path, json={"force": True, "dry_run": True})
    assert (planned["applied"], planned["compacted"][0]["tx"]) == (False, None)
    done = api.told("POST", path, json={"force": True})
    assert done["applied"]
    view = api.told("GET", f"/api/sessions/long?{FINN}&view=true")["records"]
    assert (view[0]["kind"], len(view) < 20) == ("summary", True)
    api.told("POST", f"/api/undo?{FINN}", json={"tx": done["compacted"][0]["tx"]})
    assert len(api.told("GET", f"/api/sessions/long?{FINN}")["records"]) == 20


def test_the_blackboard(api: Api) -> None:
    path = "/api/blackboard/signals/task:t-1:status?project=web"
    api.told("PUT", "/api/blackboard/schemas/task:?project=web",
             json={"keys": {"task:{id}:status": "text"}})  # fmt: skip
    first = api.told("PUT", path, json={"value": "open", "ttl": "1h", "expect": 0})
    assert first["drift"] == []
    assert api.refused("PUT", path, json={"value": "x", "expect": 0})[:2] == (409, "conflict")
    assert api.told("PUT", path, json={"value": 3})["drift"]
    assert api.refused("PUT", path, json={"value": 3, "strict": True})[:2] == (422, "invalid_input")
    assert api.told("GET", path)["value"] == 3
    [signal] = api.told("GET", "/api/blackboard?project=web&prefix=task:")["signals"]
    assert (signal["key"], signal["publisher"]) == ("task:t-1:status", "user")
    assert api.told("GET", "/api/blackboard/schemas?project=web")["schemas"] == {
        "task:": {"task:{id}:status": "text"}
    }
    api.told("DELETE", path)
    assert api.refused("GET", path)[:2] == (404, "not_found")


def test_tasks_wait_for_each_other(api: Api) -> None:
    api.told("POST", "/api/tasks?project=web", json={"task": "t-1", "description": "First"})
    after = {"task": "t-2", "description": "Second", "blocked_by": ["t-1"], "priority": 5}
    api.told("POST", "/api/tasks?project=web", json=after)
    assert api.refused("POST", "/api/tasks?project=web", json=after)[:2] == (409, "conflict")
    [ready] = api.told("GET", "/api/tasks?project=web&ready=true")["records"]
    assert ready["key"] == "t-1"
    graph = api.told("GET", "/api/task-graph?project=web")
    assert graph["edges"] == [{"task": "t-2", "waits_for": "t-1"}]
    wrong = {"json": {"status": "done"}}
    assert api.refused("POST", "/api/tasks/t-2/move?project=web", **wrong)[:2] == (409, "conflict")
    api.told("PATCH", "/api/tasks/t-1?project=web", json={"description": "The first"})
    for status in ("active", "done"):
        api.told("POST", "/api/tasks/t-1/move?project=web", json={"status": status, "note": "ok"})
    found = api.told("GET", "/api/tasks/t-1?project=web")
    assert (found["text"], found["data"]["status"]) == ("The first", "done")
    [left] = api.told("GET", "/api/tasks?project=web&ready=true")["records"]
    assert left["key"] == "t-2"


def test_one_agent_asks_another(api: Api) -> None:
    finn, maya = (api.key(name, "agent", "web") for name in ("finn", "maya"))
    asked = {"to": "maya", "action": "Review it", "memory": ["Forms post"], "context": {"a": 1}}
    made = api.told("POST", "/api/handoffs", json=asked, headers=finn)
    [found] = api.told("GET", "/api/handoffs?status=open", headers=maya)["handoffs"]
    assert (found["from"], found["context"]) == ("finn", {"a": 1})
    assert found["memory"][0]["text"] == "Forms post"
    path = f"/api/handoffs/{made['id']}/answer"
    api.told("POST", path, json={"text": "Fine"}, headers=maya)
    [sent] = api.told("GET", "/api/handoffs?box=sent", headers=finn)["handoffs"]
    assert (sent["status"], sent["answer"]) == ("done", "Fine")
    otto = api.key("otto", "agent", "web")
    assert api.refused("POST", path, json={"text": "x"}, headers=otto)[:2] == (404, "not_found")


def test_plans_are_shown_before_they_are_carried_out(api: Api) -> None:
    many = [{"text": "The build runs in CI", "scope": "project/web"} for _ in range(2)]
    api.told("POST", "/api/records", json={"records": many})
    [plan] = api.told("GET", "/api/lifecycle/plans?name=consolidation")["plans"]
    ids = [step["id"] for step in plan["steps"]]
    assert len(ids) == 2
    path = "/api/lifecycle/plans/consolidation/apply"
    odd = {"only": ["01kaf5r8q4m3n2p7d6s9t0v1w2"]}
    assert api.refused("POST", path, json=odd)[:2] == (409, "conflict")
    done = api.told("POST", path, json={"only": ids})["receipt"]
    assert api.memory.project("web").count({"layer": "knowledge"}) == 1
    api.told("POST", "/api/undo", json={"tx": done["tx"]})
    assert api.told("POST", "/api/lifecycle/run", json={})["applied"] is False
    finn = api.key("finn", "agent", "web")
    assert api.refused("POST", "/api/lifecycle/run", json={}, headers=finn)[0] == 403


def test_a_note_becomes_knowledge_of_the_project(api: Api) -> None:
    finn = {"headers": api.key("finn", "agent", "web")}
    kept = api.told("POST", "/api/records", json={"text": "Caches lie"}, **finn)["outcomes"][0]
    api.told("POST", "/api/lifecycle/promote", json={"ids": [kept["id"]]}, **finn)
    [found] = api.told("GET", "/api/memory/knowledge?project=web")["knowledge"]
    assert (found["value"], found["source"]) == ("Caches lie", "finn")


def test_a_context_is_assembled(api: Api) -> None:
    api.memory.project("web").knowledge.put("fact", "tea", "The team drinks green tea")
    asked = {"query": "what tea", "budget": 600}
    told = api.told("POST", f"/api/context?{FINN}", json=asked)
    assert "green tea" in told["text"]
    assert told["tokens"] <= 600
    assert api.refused("POST", "/api/context", json={"budget": 1})[:2] == (422, "invalid_input")


def test_changes_come_page_by_page_and_go_on_from_a_cursor(api: Api) -> None:
    start = api.told("GET", "/api/cursor")["cursor"]
    for n in range(5):
        api.told("POST", "/api/records", json={"text": f"number {n}", "scope": "project/web"})
    api.told("POST", "/api/records", json={"text": "elsewhere", "scope": "project/other"})
    texts, more, after = [], True, start
    while more:
        page = api.told("GET", f"/api/changes?limit=2&scope=project/web&after={after}")
        texts += [one["record"]["text"] for one in page["changes"]]
        more, after = page["more"], page["cursor"]
    assert texts == [f"number {n}" for n in range(5)]
    finn = {"headers": api.key("finn", "agent", "other")}
    seen = api.told("GET", "/api/changes", **finn)["changes"]
    assert [one["record"]["text"] for one in seen] == ["elsewhere"]
    assert api.refused("GET", "/api/changes?after=c1.nonsense")[:2] == (422, "invalid_input")
    assert api.refused("GET", "/api/changes?scope=project/web", **finn)[0] == 403


def test_settings_are_everybodys_to_read_and_the_owners_to_change(api: Api) -> None:
    told = api.told("PUT", "/api/settings/log.tail", json={"value": "7"})
    assert (told["value"], told["default"]) == ("7", "20")
    finn = {"headers": api.key("finn", "agent", "web")}
    every = {
        one["name"]: one["value"] for one in api.told("GET", "/api/settings", **finn)["settings"]
    }
    assert every["log.tail"] == "7"
    assert api.told("PUT", "/api/settings/log.tail", json={"value": None})["value"] == "20"
    for headers in (finn, {"headers": api.key("ann", "admin", "web")}):
        said = {"json": {"value": "3"}, **headers}
        assert api.refused("PUT", "/api/settings/log.tail", **said)[:2] == (403, "forbidden")
    assert api.refused("PUT", "/api/settings/log.tail", json={"value": "no"})[0] == 422


def test_who_read_an_older_status_or_task_is_told(api: Api) -> None:
    api.told("PUT", f"/api/now?{FINN}", json={"objective": "Ship it"})
    read = api.told("GET", f"/api/now?{FINN}")["rev"]
    api.told("PUT", f"/api/now?{FINN}", json={"objective": "Wait", "expect": read})
    late = {"json": {"objective": "Ship", "expect": read}}
    assert api.refused("PUT", f"/api/now?{FINN}", **late)[:2] == (409, "conflict")
    assert api.told("GET", f"/api/now?{FINN}")["objective"] == "Wait"
    api.told("POST", "/api/tasks?project=web", json={"task": "t-1", "description": "Do it"})
    api.told("PATCH", "/api/tasks/t-1?project=web", json={"priority": 3})
    moved = {"json": {"status": "active", "expect": 1}}
    assert api.refused("POST", "/api/tasks/t-1/move?project=web", **moved)[:2] == (409, "conflict")
