"""Twenty projects, every method of every face: no byte of one reaches another, none is changed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import LaminaError, Memory, Record
from lamina.core.scope import Scope
from tests.layers.calls import (
    HELD,
    Arguments,
    Desk,
    Skills,
    call,
    calls,
    faces,
    filled,
    held,
    methods,
    reads,
    writes,
)
from tests.places import STORES, where

PROJECTS = [f"team{n}" for n in range(1, 20)] + ["team_1"]
"""Names that are prefixes of each other or hold the wildcards of LIKE."""
SILENT = {
    "session.__call__", "notebook.__call__", "task_tier.__call__", "project_tier.__call__",
    "global_tier.__call__", "global_tier.query_preferences", "knowledge.proposals",
    "experience.proposals", "knowledge.stale", "experience.stale",
    "episode.trend", "session.names", "flat.count", "split.read",
    "session().pressure", "session().plan_compaction",
}  # fmt: skip
"""Reads whose answers hold no text, or none here."""
AGENT_VERBS = {
    "update_now", "append_log", "save_fact", "get_fact", "recall_memory",
    "format_context_for_prompt", "compact_log",
}  # fmt: skip
"""What an agent's handle has beyond any other."""


def canary(project: str) -> str:
    return f"canary{PROJECTS.index(project):02d}zq"


def canaries(answer: object) -> set[str]:
    return set(re.findall(r"canary\d\dzq", repr(answer)))


@pytest.fixture(scope="module", params=STORES)
def town(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Twenty projects, each full of its own canary, and a desk in each."""
    folder = tmp_path_factory.mktemp("town")
    with lamina.open(where(request.param, folder / "store")) as mem:
        mem.configure("recall.embedder", "off")
        desks = [filled(mem, project, canary(project), folder) for project in PROJECTS]
        yield mem, desks


def kept(mem: Memory) -> dict[str, list[Record]]:
    """Everything there is, by project."""
    states = ["current", "proposed", "archived", "forgotten", "superseded"]
    found: dict[str, list[Record]] = {}
    for record in mem.query({"state": {"$in": states}}, limit=10_000):
        found.setdefault(Scope.of(record.scope).part("project") or "", []).append(record)
    return found


def test_every_method_is_called(tmp_path: Path) -> None:
    with lamina.open(":memory:") as mem:
        desk = filled(mem, "team1", "word", tmp_path)
        wanted = {
            f"{name}.{method}"
            for name, face in faces(desk.agent).items()
            for method in (AGENT_VERBS if name == "agent" else methods(type(face)))
        }
        wanted |= {f"{name}.{method}" for name, kind in HELD.items() for method in methods(kind)}
        wanted |= {f"skills.{name}" for name in vars(Skills(desk.agent))}
        assert set(calls(desk)) == wanted
        assert not [name for name in SILENT if name not in calls(desk)]


def test_reads_show_their_own_project_and_no_other(town: tuple[Memory, list[Desk]]) -> None:
    _, desks = town
    for desk in desks:
        targets = faces(desk.agent) | held(desk)
        for name, arguments in reads(desk).items():
            seen = canaries(call(targets, name, arguments))
            assert seen == (set() if name in SILENT else {desk.word}), name


@pytest.mark.parametrize("role", ["reader", "orchestrator", "agent"])
def test_naming_what_is_anothers_shows_and_changes_nothing(
    town: tuple[Memory, list[Desk]], role: str
) -> None:
    """Ids, cursors and words of one project, in calls of another."""
    mem, desks = town
    for desk, other in ((desks[0], desks[-1]), (desks[-1], desks[0]), (desks[1], desks[9])):
        before = kept(mem)
        agent = mem.agent("finn", project=desk.tag, role=role)
        own = replace(desk, agent=agent)
        strange = replace(other, agent=agent, word=desk.word, work=desk.work)
        for name, answer in _asked(own, calls(strange)):
            assert canaries(answer) <= {desk.word}, name
        after = kept(mem)
        changed = {name for name in after if after[name] != before.get(name)}
        assert changed <= {desk.tag}
        assert role != "reader" or not changed


def _asked(own: Desk, said: Mapping[str, Arguments]) -> Iterator[tuple[str, object]]:
    targets = faces(own.agent) | _held(own)
    for name, arguments in said.items():
        if name.partition(".")[0] not in targets:
            continue
        try:
            yield name, call(targets, name, arguments)
        except LaminaError as error:
            yield name, str(error)


def _held(desk: Desk) -> dict[str, Any]:
    """What can be had: somebody without requests has no brief, a reader makes no attempt."""
    try:
        return held(desk)
    except LaminaError:
        return {}


def test_writes_change_their_own_project_alone(town: tuple[Memory, list[Desk]]) -> None:
    mem, desks = town
    before = kept(mem)
    for desk in desks:
        for name, answer in _asked(desk, writes(desk)):
            assert canaries(answer) <= {desk.word}, name
        after = kept(mem)
        assert {name for name in after if after[name] != before[name]} == {desk.tag}
        before = after
    assert all(canaries(before[project]) == {canary(project)} for project in PROJECTS)


def test_an_admin_sees_all_and_a_skill_nothing(town: tuple[Memory, list[Desk]]) -> None:
    mem, desks = town
    assert canaries(mem.query(limit=10_000)) == {canary(project) for project in PROJECTS}
    before = kept(mem)
    for desk in (desks[0], desks[-1]):
        skill = mem.agent("finn", project=desk.tag, role="skill")
        nobody = replace(desk, agent=skill, word="word")
        for name, answer in _asked(nobody, calls(nobody)):
            assert not canaries(answer), name
    assert kept(mem) == before


def test_a_skill_sees_what_it_is_handed(town: tuple[Memory, list[Desk]]) -> None:
    _, desks = town
    for desk in desks:
        brief = desk.agent.handoff.brief(desk.ids["sent"])
        assert canaries([vars(brief), brief.recall("canary", k=50)]) == {desk.word}
