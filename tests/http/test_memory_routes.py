"""The four-layer design's own addresses and words, and the items of a project."""

from pathlib import Path
from typing import Any

import pytest

from tests.http.asking import Api, api, plain

__all__ = ["api", "plain"]

KNOWN = {"project": "swarm", "category": "convention", "key": "imports", "value": "node: prefix"}
TRIED = {
    "project": "swarm", "task_id": "t-1", "agent_id": "finn", "action": "failed",
    "approach": "cache it", "outcome": "stale", "duration_ms": 12, "tokens_in": 3, "tokens_out": 4,
}  # fmt: skip
MADE = {
    "project": "swarm", "task_id": "t-1", "agent_id": "finn", "type": "test", "path": "tests/a.py",
    "description": "the cache", "size_bytes": 3, "checksum": "a" * 64,
}  # fmt: skip


def _listed(api: Api, path: str, **asked: str) -> list[dict[str, Any]]:
    answer = api.told("GET", f"/api/memory/{path}", params=asked)
    assert answer["total"] == len(answer[path])
    found: list[dict[str, Any]] = answer[path]
    return found


def test_knowledge_is_kept_asked_for_replaced_and_removed(api: Api) -> None:
    api.told("POST", "/api/memory/knowledge", json={**KNOWN, "confidence": 0.5, "source": "ann"})
    [found] = _listed(api, "knowledge", project="swarm", category="convention")
    assert {name: found[name] for name in KNOWN} == KNOWN
    assert (found["confidence"], found["source"]) == (0.5, "ann")
    api.told("POST", "/api/memory/knowledge", json={**KNOWN, "value": "no prefix"})
    [found] = _listed(api, "knowledge", key="imports", source="user")
    assert (found["value"], found["rev"]) == ("no prefix", 2)
    nothing = [{"project": "other"}, {"category": "decision"}, {"key": "x"}, {"source": "maya"}]
    assert [_listed(api, "knowledge", **one) for one in nothing] == [[]] * 4
    gone = api.told("DELETE", f"/api/memory/knowledge/{found['id']}")
    assert _listed(api, "knowledge") == []
    api.told("POST", "/api/undo", json={"tx": gone["tx"]})
    assert len(_listed(api, "knowledge")) == 1


def test_episodes_are_kept_and_asked_for(api: Api) -> None:
    api.told("POST", "/api/memory/episodes", json=TRIED)
    [found] = _listed(api, "episodes", agent_id="finn", action="failed")
    assert {name: found[name] for name in TRIED} == TRIED
    assert _listed(api, "episodes", task_id="t-1", project="swarm") == [found]
    assert _listed(api, "episodes", task_id="t-2") == _listed(api, "episodes", agent_id="x") == []
    assert api.refused("DELETE", f"/api/memory/episodes/{found['id']}")[0] == 404


def test_artifacts_are_kept_asked_for_and_removed(api: Api) -> None:
    api.told("POST", "/api/memory/artifacts", json=MADE)
    [found] = _listed(api, "artifacts", type="test", task_id="t-1", project="swarm")
    assert {name: found[name] for name in MADE} == MADE
    assert _listed(api, "artifacts", type="patch") == []
    # An id of another layer is not there, as far as this address is concerned.
    assert api.refused("DELETE", f"/api/memory/knowledge/{found['id']}")[:2] == (404, "not_found")
    api.told("DELETE", f"/api/memory/artifacts/{found['id']}")
    assert _listed(api, "artifacts") == []


@pytest.mark.parametrize("path", ["/etc/passwd", "../up", "", "a\0b"])
def test_a_path_that_leads_out_of_a_workspace_is_refused(api: Api, path: str) -> None:
    said = {**MADE, "path": path}
    assert api.refused("POST", "/api/memory/artifacts", json=said)[:2] == (422, "invalid_input")


def test_an_agent_speaks_for_itself_in_its_own_project(api: Api) -> None:
    finn = {"headers": api.key("finn", "agent", "swarm")}
    own = {name: value for name, value in TRIED.items() if name not in ("project", "agent_id")}
    api.told("POST", "/api/memory/episodes", json=own, **finn)
    [found] = _listed(api, "episodes")
    assert (found["agent_id"], found["project"]) == ("finn", "swarm")
    assert api.told("GET", "/api/memory/episodes?project=swarm", **finn)["total"] == 1
    for said in ({**own, "agent_id": "maya"}, {**own, "project": "other"}):
        assert api.refused("POST", "/api/memory/episodes", json=said, **finn)[:2] == (
            403, "forbidden",
        )  # fmt: skip
    assert api.refused("GET", "/api/memory/episodes?project=other", **finn)[0] == 403
    assert api.refused("GET", "/api/records?agent=maya", **finn)[0] == 403
    assert api.told("GET", "/api/records?agent=finn&project=swarm", **finn)["total"] == 1


def test_a_foreign_id_is_as_absent_as_one_that_never_was(api: Api) -> None:
    kept = api.told("POST", "/api/memory/knowledge", json=KNOWN)["outcomes"][0]["id"]
    never = "01kaf5r8q4m3n2p7d6s9t0v1w2"
    finn = {"headers": api.key("finn", "agent", "web")}
    for method, path, said in (
        ("GET", "/api/records/{}", None), ("PATCH", "/api/records/{}", {"text": "x"}),
        ("DELETE", "/api/records/{}", None), ("GET", "/api/records/{}/history", None),
        ("POST", "/api/records/{}/erase", None), ("DELETE", "/api/memory/knowledge/{}", None),
        ("DELETE", "/api/memory/artifacts/{}", None),
        ("POST", "/api/lifecycle/promote", {"ids": ["{}"]}),
        ("POST", "/api/why-not", {"name": "{}", "query": "x"}),
    ):  # fmt: skip
        seen = [
            api.refused(method, path.format(one), json=_named(said, one), **finn)
            for one in (kept, never)
        ]
        assert seen[0][:2] == seen[1][:2] == (404, "not_found"), (method, path)
        assert seen[0][2].replace(kept, never) == seen[1][2]
    assert api.memory.get(kept).rev == 1


def _named(said: Any, name: str) -> Any:
    if said is None:
        return None
    if "ids" in said:
        return {"ids": [name]}
    return {field: value.format(name) for field, value in said.items()}


def test_the_items_of_a_project_are_asked_for_by_type_and_content(api: Api, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(
        "# Notes\n\nDecision: sessions live in Redis.\n\n- [ ] Rotate the signing keys\n"
    )
    api.memory.project("web").item.extract(tmp_path)
    every = api.told("GET", "/projects/web/knowledge")["records"]
    kinds = {one["kind"] for one in every}
    assert {"decision", "task"} <= kinds
    [found] = api.told("GET", "/projects/web/knowledge?type=decision")["records"]
    assert "Redis" in found["text"]
    [found] = api.told("GET", "/projects/web/knowledge?q=rotate+signing")["records"]
    assert (found["kind"], found["data"]["file"]) == ("task", "notes.md")
    assert api.told("GET", "/projects/other/knowledge")["records"] == []
    finn = api.key("finn", "agent", "other")
    assert api.refused("GET", "/projects/web/knowledge", headers=finn)[0] == 403


def test_files_are_verified_for_the_owner_in_the_servers_workspace_alone(
    api: Api, tmp_path: Path
) -> None:
    place = "/api/memory/artifacts/verify?project=swarm"
    assert api.refused("GET", place)[1] == "unsupported"
    (tmp_path / "secret").write_text("s")
    work = api.engine.workspace = tmp_path / "work"
    work.mkdir()
    swarm = api.memory.project("swarm")
    for name in ("a.py", "b.py", "c.py"):
        (work / name).write_text(name)
        swarm.artifact.register(name, task="t-1", workspace=work)
    (work / "b.py").write_text("other")
    (work / "c.py").unlink()
    (work / "link").symlink_to(tmp_path / "secret")
    swarm.artifact.declare("link", task="t-2")
    # Written past the face, as an importer might.
    for key in ("../secret", str(tmp_path / "secret"), "a/../../secret"):
        swarm.remember("x", layer="artifact", kind="file", key=key, data={"task": "t-2"})
    told = api.told("GET", f"{place}&task_id=t-1")
    assert {one["path"]: one["standing"] for one in told["artifacts"]} == {
        "a.py": "same", "b.py": "changed", "c.py": "missing",
    }  # fmt: skip
    assert (told["ok"], told["workspace"]) == (False, str(work))
    outside = api.told("GET", f"{place}&task_id=t-2")["artifacts"]
    assert [one["standing"] for one in outside] == ["missing"] * 4
    # Who may declare a file could otherwise ask which files there are.
    for role, project in (("agent", "swarm"), ("orchestrator", "swarm"), ("admin", "swarm")):
        theirs = api.key("eve", role, project)
        assert api.refused("GET", "/api/memory/artifacts/verify", headers=theirs)[0] == 403
    assert api.refused("GET", f"{place}&workspace=/")[0] == 422
