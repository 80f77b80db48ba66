"""Twenty projects side by side: no byte, count, score or existence of one reaches another."""

import dataclasses
import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from lamina import ForbiddenError, InvalidInputError, Memory, NotFoundError
from lamina.core.cursor import parse_cursor
from lamina.core.principal import Principal
from lamina.core.record import to_json
from lamina.core.scope import Scope
from lamina.events import MemoryFlush
from lamina.exchange import count_exported, export_lines, import_lines
from lamina.memory import AgentMemory
from tests.layers.test_isolation import AGENT_VERBS
from tests.places import mem

__all__ = ["mem"]

PROJECTS = [f"team{n}" for n in range(1, 20)] + ["team_1"]
"""Names that are prefixes of each other or hold the wildcards of LIKE."""
LAYERS = ("knowledge", "fact", "notebook", "task", "blackboard", "log", "session", "artifact")


def canary(project: str) -> str:
    return f"canary{PROJECTS.index(project):02d}zq"


@pytest.fixture
def crowded(mem: Memory) -> Memory:
    """Every project holds records in eight layers, each with its own canary in every field."""
    mem.configure("events.reads", "on")
    for project in PROJECTS:
        word = canary(project)
        mem.project(project).remember_many(
            [
                {
                    "text": f"{word} shared words about deploys in {layer}",
                    "layer": layer,
                    "key": f"{word}-{layer}",
                    "tags": [word],
                    "data": {"owner": word},
                }
                for layer in LAYERS
            ]
        )
    return mem


def foreign(project: str, answer: object) -> list[str]:
    """The canaries of other projects in everything an answer shows."""
    seen = set(re.findall(r"canary\d\dzq", repr(answer)))
    return sorted(seen - {canary(project)})


def calls(own: Memory, other: str, other_id: str) -> dict[str, Callable[[], Any]]:
    """Every method of the front door, asked for another project's things in every way."""
    word = canary(other)
    return {
        "agent": lambda: own.agent("finn", project=other),
        "project": lambda: own.project(other),
        "acting": lambda: own.acting(Principal(root=Scope.of(f"project/{other}"))),
        "remember": lambda: own.remember("x", scope=f"project/{other}"),
        "remember_many": lambda: own.remember_many([{"text": "x", "scope": f"project/{other}"}]),
        "edit": lambda: own.edit(other_id, "x"),
        "forget": lambda: own.forget(other_id),
        "accept": lambda: own.accept(other_id),
        "undo": lambda: own.undo(other_id),
        "erase": lambda: own.erase(other_id),
        "would_erase": lambda: own.would_erase(other_id),
        "index": lambda: own.index(".", scope=f"project/{other}"),
        "get": lambda: own.get(other_id),
        "query": lambda: own.query({"tags": [word], "scope": f"project/{other}"}),
        "count": lambda: own.count({"data.owner": word}, scope=f"project/{other}"),
        "census": lambda: own.census({"data.owner": word}, scope=f"project/{other}"),
        "recall": lambda: own.recall(f"{word} deploys", k=100, layers=LAYERS, floor=0.0),
        "context": lambda: own.context(f"{word} deploys", layers=LAYERS).text,
        "why_not": lambda: own.why_not(other_id, f"{word} deploys", layers=LAYERS),
        "vectors": own.vectors,
        "catch_up": own.catch_up,
        "reindex": own.reindex,
        "history": lambda: own.history(other_id),
        "reveal": lambda: own.reveal(other_id, "secret://" + "a" * 26),
        "changes": lambda: list(own.changes()),
        "cursor": lambda: parse_cursor(own.cursor(), "after"),
        # Its own searches quote the other's word, because it asked for it.
        "events": lambda: list(own.events(names=["memory:read", "memory:write", "memory:flush"])),
        "announce": lambda: own.announce(MemoryFlush(session_id="s"), scope=f"project/{other}"),
        "anchor": lambda: own.anchor().to_text(),
        "verify": own.verify,
        "backup": lambda: own.backup("copy"),
        "maintain": own.maintain,
        "settings": own.settings,
        "configure": lambda: own.configure("knowledge.accept", "review"),
        "path_for": lambda: None,
        "check": own.check,
        "flush": own.flush,
        "close": lambda: None,
    }


def public(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}


def test_the_list_of_calls_is_complete(mem: Memory) -> None:
    assert set(calls(mem.project("team1"), "team2", "0" * 26)) == public(Memory)
    # What an agent has beyond that is asked with its faces: tests/layers/test_isolation.py.
    assert public(AgentMemory) - public(Memory) == AGENT_VERBS


def test_no_call_shows_another_project(crowded: Memory) -> None:
    transactions = {}
    ids = {}
    for project in PROJECTS:
        [record] = crowded.project(project).query({"layer": "fact"})
        ids[project] = record.id
        transactions[project] = crowded.history(record.id)[0].event.tx
    refused = (NotFoundError, ForbiddenError, InvalidInputError)
    for number, project in enumerate(PROJECTS):
        own = crowded.project(project)
        other = PROJECTS[(number + 1) % len(PROJECTS)]
        for name, call in calls(own, other, ids[other]).items():
            try:
                answer: object = call()
            except refused as error:
                answer = str(error)
            assert foreign(project, answer) == [], name
        with pytest.raises(NotFoundError):
            own.undo(transactions[other])
        assert own.count({"layer": {"$in": list(LAYERS)}}) == len(LAYERS)
        assert foreign(project, [to_json(record) for record in own.query(limit=1000)]) == []


def test_what_exists_elsewhere_and_what_does_not_look_the_same(crowded: Memory) -> None:
    [foreign_record] = crowded.project("team2").query({"layer": "fact"})
    own = crowded.project("team1")
    absent = foreign_record.id[:-1] + ("0" if foreign_record.id[-1] != "0" else "1")
    for record_id in (foreign_record.id, absent):
        with pytest.raises(NotFoundError) as caught:
            own.get(record_id)
        said = caught.value.message.replace(record_id, "ID")
        assert said == "nothing current has the key or id 'ID'"
        with pytest.raises(NotFoundError) as caught:
            own.history(record_id)
        assert str(caught.value).replace(record_id, "ID") == "there is no record ID"


def test_export_and_import_stay_inside(crowded: Memory) -> None:
    lines = list(export_lines(crowded.project("team3"))) + list(
        export_lines(crowded.project("team3"), history=True)
    )
    assert foreign("team3", lines) == []
    assert count_exported(crowded.project("team3")) == len(LAYERS)
    report = import_lines(crowded.project("team4"), lines)
    assert report.added == 0
    assert len(report.failed) == len(lines)
    assert foreign("team4", report) == []


def test_an_agent_sees_its_own_and_what_is_common(mem: Memory) -> None:
    finn, gwen = mem.agent("finn", project="web"), mem.agent("gwen", project="web")
    finn.remember("finn keeps this heron to himself", layer="notebook")
    finn.remember("finn talks about a heron", layer="session", kind="user")
    finn.remember("a heron for everyone", scope="project/web")
    mem.remember("a global heron")
    every = {"layers": ["knowledge", "notebook", "session"]}
    seen = [hit.record.text for hit in gwen.recall("heron", **every).hits]  # type: ignore[arg-type]
    assert sorted(seen) == ["a global heron", "a heron for everyone"]
    assert len(finn.recall("heron", **every).hits) == 4  # type: ignore[arg-type]
    skill = mem.agent("tool", project="web", role="skill")
    assert skill.recall("heron", **every).abstained  # type: ignore[arg-type]
    with pytest.raises(ForbiddenError):
        skill.remember("x")


def test_scores_do_not_move_when_another_project_grows(mem: Memory) -> None:
    own = mem.project("small")
    own.remember_many([{"text": f"the heron number {n} eats fish"} for n in range(20)])
    own.remember("herons nest in trees near the river")

    def scores() -> list[tuple[str, float]]:
        found = own.recall("heron river fish", k=50, now="2100-01-01T00:00:00Z")
        return [(hit.record.id, hit.score) for hit in found.hits]

    before = scores()
    mem.project("large").remember_many(
        [{"text": f"heron river fish trees {n} nest"} for n in range(5_000)]
    )
    assert scores() == before
    assert dataclasses.is_dataclass(own.recall("heron"))
