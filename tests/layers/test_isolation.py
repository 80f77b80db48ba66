"""Twenty projects, every face: no byte of one reaches another."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import lamina
from lamina import Memory
from lamina.memory import AgentMemory
from tests.places import STORES, where

PROJECTS = [f"team{n}" for n in range(1, 20)] + ["team_1"]


def canary(project: str) -> str:
    return f"canary{PROJECTS.index(project):02d}zq"


AGENT_VERBS = {
    "update_now", "append_log", "save_fact", "get_fact", "recall_memory",
    "format_context_for_prompt", "compact_log",
}  # fmt: skip
"""What an agent's handle has beyond any other; all that read are among `verbs`."""


def filled(mem: Memory, project: str, work: Path) -> None:
    word, agent = canary(project), mem.agent("finn", project=project)
    (work / word).write_text(word)
    agent.now.update(word, [word])
    agent.log.thought(word)
    agent.fact.save("fact", word)
    agent.knowledge.put("decision", "key", word)
    agent.experience.put("pitfall", "own", word)
    agent.blackboard.publish("key", word)
    agent.episode.record("t-1", "completed", approach=word)
    agent.artifact.register(word, task="t-1", workspace=work)
    agent.task.add("t-1", word)
    agent.session("s-1").append("user", word)
    agent.session("s-2", continues="s-1").append("user", word)
    agent.notebook("t-1").note(word)
    agent.public.share("fact")
    mem.agent("maya", project=project).handoff.request("finn", word, memory=[word], context=word)
    agent.handoff.request("maya", word, memory=[word], context=word)
    agent.notebook("t-0").note(word)
    agent.notebook("t-0").archive()
    agent.task.add("t-0", word, milestone="m-0")
    agent.task.move("t-0", "dropped")
    agent.task.archive("m-0")
    agent.task_tier("t-1").add_reasoning(word, "plan", promote="fact")
    agent.project_tier.add_decision(word, ["tag"])
    (work / project).mkdir()
    (work / project / "todo.md").write_text(f"- [ ] Say {word} again\n")
    mem.project(project).item.extract(work / project)
    agent.working.set("key", word)
    agent.working.snapshot()


def reads(agent: Memory, start: str, work: Path) -> dict[str, Callable[[], object]]:
    """Everything that a face can be asked."""
    return {
        "now": agent.now.read,
        "log": agent.log.tail,
        "fact": lambda: (agent.fact.get("fact"), agent.fact.all(), agent.fact.record("fact"),
                         agent.fact.records()),
        "knowledge": lambda: (agent.knowledge.query(), agent.knowledge.get("decision", "key"),
                              agent.knowledge.proposals(), agent.knowledge.stale(least=1e-9)),
        "experience": lambda: (agent.experience.query(), agent.experience.get("pitfall", "own"),
                               agent.experience.stale(least=1e-9)),
        "board": lambda: (agent.blackboard.read("key"), agent.blackboard.list(),
                          list(agent.blackboard.subscribe(after=start, timeout=0)),
                          agent.blackboard.wait_for("key", timeout=0)),
        "episode": lambda: (agent.episode.of_task("t-1"), agent.episode.query(),
                            agent.episode.rates(), agent.episode.trend("finn"),
                            agent.episode.similar("canary", k=50)),
        "artifact": lambda: (agent.artifact.query(), list(agent.artifact.verify(workspace=work))),
        "item": lambda: (agent.item.query(), agent.item.query(text="canary", limit=50)),
        "task": lambda: (agent.task.query(), agent.task.ready(), agent.task.get("t-1")),
        "ended": lambda: (agent.task.query(archived=True), agent.task.get("t-0"),
                          agent.notebook("t-0").read(archived=True)),
        "task_tier": lambda: (agent.task_tier("t-1").read(),
                              agent.task_tier("t-1").stage_outputs("plan")),
        "project_tier": lambda: (agent.project_tier.query_decisions(["tag"]),
                                 agent.project_tier(max_items=1).evict()),
        "global_tier": agent.global_tier.query_preferences,
        "session": lambda: (agent.session.names(), agent.session("s-1").read(),
                            agent.session("s-1").search("canary", k=50),
                            [one.read() for one in agent.session("s-2").thread()],
                            agent.session("s-2").search("canary", k=50, thread=True)),
        "notebook": lambda: (agent.notebook("t-1").read(),
                             agent.notebook("t-1").search("canary", k=50)),
        "capsule": lambda: (agent.notebook("t-1").capsule(work / "capsule", replace=True),
                            (work / "capsule").read_text()),
        "public": lambda: (agent.public.mine(), agent.public.of("finn"),
                           agent.public.ask("finn", "canary", k=50, floor=0.0)),
        "handoff": lambda: (agent.handoff.inbox(status=None), agent.handoff.sent(),
                            [vars(agent.handoff.brief(one.id)) for one in agent.handoff.sent()]),
        "working": lambda: (agent.working.restore(), agent.working.all()),
    }  # fmt: skip


def verbs(agent: AgentMemory) -> dict[str, Callable[[], object]]:
    """Everything that an agent's handle can be asked beyond its faces."""
    return {
        "verbs": lambda: (agent.get_fact("fact"), agent.recall_memory("canary", n_results=50),
                          agent.format_context_for_prompt()),
        "compaction": lambda: (agent.compact_log(force=True), agent.log.tail(),
                               agent.recall_memory("canary", n_results=50)),
    }  # fmt: skip


@pytest.mark.parametrize("place", STORES)
def test_no_face_shows_another_project(place: str, tmp_path: Path) -> None:
    with lamina.open(where(place, tmp_path / "store")) as mem:
        mem.configure("recall.embedder", "off")
        start = mem.project("team1").cursor()
        work = tmp_path / "work"
        work.mkdir()
        for project in PROJECTS:
            filled(mem, project, work)
        for project in PROJECTS:
            agent = mem.agent("finn", project=project)
            begun = start if project == "team1" else None
            asked = reads(agent, begun or agent.cursor(), work) | verbs(agent)
            for name, read in asked.items():
                seen = set(re.findall(r"canary\d\dzq", repr(read())))
                assert seen - {canary(project)} == set(), name
                assert seen or name in ("board", "global_tier"), name
