"""Every public method of every face, with arguments that are right: what general tests call.

A method that is missing here fails `test_every_method_is_called` in `test_isolation.py`.
"""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lamina
import lamina.capsule
import lamina.skills
from lamina import LaminaError, Memory
from lamina.backend import ContextItem
from lamina.capsule import Capsule
from lamina.flat import ContextStore
from lamina.layers.attempts import Attempt
from lamina.layers.handed import Brief
from lamina.layers.layered import Layered
from lamina.layers.schemas import Schema
from lamina.layers.subscription import Subscription
from lamina.memory import AgentMemory
from tests.layers.session_calls import session_reads, session_writes
from tests.layers.split_calls import SET_SPLIT, SPLIT_READS


@dataclass
class Desk:
    """One agent of one project at work, and what its calls name."""

    agent: Any
    """Its handle, or whichever does the same."""
    word: str
    """What marks everything that belongs to the project."""
    work: Path
    ids: dict[str, str] = field(default_factory=dict)
    """Records by what they are called here."""
    start: str = ""
    """The cursor from before anything was written."""
    message: Any = None
    """A message that cites another."""

    @property
    def tag(self) -> str:
        """The name of the project."""
        root = self.agent.principal.root
        return str(root.part("project")) if root else ""


def filled(mem: Memory, project: str, word: str, work: Path) -> Desk:
    """A project in which every layer says the word."""
    agent = mem.agent("finn", project=project)
    desk = Desk(agent, word, work / project, start=agent.cursor())
    desk.work.mkdir(parents=True)
    (desk.work / "made.txt").write_text(word)
    (desk.work / "todo.md").write_text(f"- [ ] Say {word} again\n")
    agent.now.update(word, [word])
    agent.log.thought(word)
    agent.fact.save("fact", word)
    desk.ids["knowledge"] = agent.knowledge.put("decision", "key", word).id
    desk.ids["experience"] = agent.experience.put("decision", "key", word).id
    agent.blackboard.publish("key", word)
    agent.blackboard.declare("task:", Schema({f"task:{word}": "text"}))
    agent.episode.record("t-1", "completed", approach=word)
    agent.artifact.register("made.txt", task="t-1", workspace=desk.work, description=word)
    agent.task.add("t-1", word)
    desk.ids["message"] = agent.session("s-1").append("user", word).id
    agent.session("s-2", continues="s-1").append("user", word, cites=[desk.ids["message"]])
    desk.message = agent.session("s-2").read()[-1]
    desk.ids["note"] = agent.notebook("t-1").note(word).id
    agent.notebook("t-1").reason("plan", word)
    agent.public.share("fact")
    ContextStore(agent, task="t-1").add(ContextItem(id="i-0", kind="note", payload={"text": word}))
    maya = mem.agent("maya", project=project)
    desk.ids["received"] = maya.handoff.request("finn", word, memory=[word], context=word).id
    desk.ids["sent"] = agent.handoff.request("maya", word, memory=[word], context=word).id
    agent.notebook("t-0").note(word)
    agent.notebook("t-0").archive()
    agent.task.add("t-0", word, milestone="m-0")
    agent.task.move("t-0", "dropped")
    agent.project_tier.add_decision(word, ["tag"])
    mem.project(project).item.extract(desk.work)
    desk.ids["item"] = str(mem.project(project).item.query()[0].id)
    agent.working.set("key", word)
    agent.working.snapshot()
    agent.notebook("t-1").capsule(desk.work / "one.capsule")
    return desk


def faces(agent: Memory) -> dict[str, Any]:
    """Every face of a handle by its name, and what it gives when it is called, with `()`."""
    found: dict[str, Any] = {"agent": agent} if isinstance(agent, AgentMemory) else {}
    for name, member in vars(Layered).items():
        if isinstance(member, functools.cached_property) and not name.startswith("_"):
            # Who belongs to no project has no project tier.
            with suppress(LaminaError):
                found[name] = getattr(agent, name)
    opened = {"session": ("s-2",), "notebook": ("t-1",), "task_tier": ("t-1",)}
    found |= {f"{name}()": found[name](*args) for name, args in opened.items()}
    return found


def held(desk: Desk) -> dict[str, Any]:
    """What faces hand out that can be asked something itself."""
    capsule = lamina.capsule.open(desk.work / "one.capsule", words_only=True)
    return {
        "attempt": desk.agent.task.attempt("t-1", approach=desk.word),
        "subscription": desk.agent.blackboard.subscribe(after=desk.start, timeout=0),
        "brief": desk.agent.handoff.brief(desk.ids["sent"]),
        "capsule": capsule,
        "flat": ContextStore(desk.agent, task="t-1"),
        "skills": Skills(desk.agent),
    }


HELD: dict[str, type] = {
    "attempt": Attempt, "subscription": Subscription, "brief": Brief, "capsule": Capsule,
    "flat": ContextStore,
}  # fmt: skip


class Skills:
    """The skills of an agent as methods, so that they are called like everything else."""

    def __init__(self, agent: AgentMemory) -> None:
        for skill in lamina.skills.for_agent(agent):
            setattr(self, skill.name, skill.execute)


def methods(kind: type) -> set[str]:
    """The public methods of a type, and `__call__` where its objects are called."""
    names = {name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}
    return names | ({"__call__"} if "__call__" in dir(kind) and kind is not type else set())


Arguments = Mapping[str, Any]


def calls(desk: Desk) -> dict[str, Arguments]:
    """Every method with its arguments by name; those that only read come first."""
    return reads(desk) | writes(desk)


def reads(desk: Desk) -> dict[str, Arguments]:
    """What changes nothing."""
    return _shared_reads(desk) | _own_reads(desk) | _held_reads(desk) | SPLIT_READS


def _known_reads(face: str) -> dict[str, Arguments]:
    return {
        f"{face}.get": {"category": "decision", "key": "key"},
        f"{face}.query": {"category": "decision", "source": "finn", "limit": 10},
        f"{face}.proposals": {"limit": 10}, f"{face}.stale": {"least": 0.5, "limit": 10},
    }  # fmt: skip


def _shared_reads(desk: Desk) -> dict[str, Arguments]:
    word, work = desk.word, desk.work
    return {
        "now.read": {},
        "log.tail": {"n": 20, "kind": "THOUGHT"},
        "fact.get": {"key": "fact"},
        "fact.all": {"category": "general", "limit": 10},
        "fact.records": {"category": "general", "limit": 10},
        "fact.record": {"key": "fact"},
        **_known_reads("knowledge"), **_known_reads("experience"),
        "blackboard.read": {"key": "key"},
        "blackboard.list": {"prefix": "k", "limit": 10},
        "blackboard.subscribe": {"prefix": "k", "after": desk.start, "timeout": 0.0},
        "blackboard.wait_for": {"key": "key", "timeout": 0.0},
        "blackboard.schemas": {},
        "episode.of_task": {"task": "t-1", "limit": 10},
        "episode.query": {"task": "t-1", "agent": "finn", "action": "completed", "limit": 10},
        "episode.similar": {"task": word, "worked": True, "k": 50},
        "episode.rates": {},
        "episode.trend": {"agent": "finn", "days": 7},
        "artifact.query": {"task": "t-1", "kind": "file", "path": "made.txt", "limit": 10},
        "artifact.verify": {"workspace": work, "task": "t-1"},
        "item.query": {"type": "task", "text": word, "file": "todo.md", "state": "current",
                       "limit": 10},
        "task.get": {"task": "t-1"},
        "task.query": {"status": "open", "milestone": None, "archived": False, "limit": 10},
        "task.ready": {"limit": 10},
    }  # fmt: skip


def _own_reads(desk: Desk) -> dict[str, Arguments]:
    word, ids = desk.word, desk.ids
    ask: Arguments = {"query": word, "how": {"k": 50}}
    return {
        "working.all": {},
        "working.get": {"key": "key", "default": None},
        **session_reads(word, desk.message),
        "notebook.__call__": {"task": "t-1"},
        "notebook().read": {"kind": "note", "stage": None, "archived": False, "limit": 10},
        "notebook().search": ask,
        "public.mine": {"limit": 10},
        "public.of": {"agent": "finn", "where": {"layer": "fact"}, "limit": 10},
        "public.ask": {"agent": "finn", **ask},
        "handoff.inbox": {"status": "open", "limit": 10},
        "handoff.sent": {"limit": 10},
        "handoff.brief": {"handoff": ids["received"]},
        "task_tier.__call__": {"task": "t-1"},
        "task_tier().read": {"kind": "note", "stage": None, "archived": False, "limit": 10},
        "task_tier().search": ask,
        "task_tier().stage_outputs": {"stage": "plan"},
        "project_tier.__call__": {"max_items": 10},
        "project_tier.query_decisions": {"tags": ["tag"], "limit": 10},
        "global_tier.__call__": {"confirm": lambda question: True},
        "global_tier.query_preferences": {"category": None, "limit": 10},
        "agent.get_fact": {"key": "fact"},
        "agent.recall_memory": {"query": word, "n_results": 50},
        "agent.format_context_for_prompt": {},
    }  # fmt: skip


def _held_reads(desk: Desk) -> dict[str, Arguments]:
    word = desk.word
    ask: Arguments = {"query": word, "how": {"k": 50}}
    return {
        "subscription.next_of": {"key": "key"},
        "brief.recall": ask,
        "capsule.read": {"kind": "note", "stage": None},
        "capsule.query": {"where": {"kind": "note"}, "limit": 10},
        "capsule.recall": ask,
        "flat.get": {"item_id": "i-0"},
        "flat.list_all": {},
        "flat.count": {},
        "skills.recall_memory": {"query": word, "n_results": 50},
        "skills.get_fact": {"key": "fact"},
    }  # fmt: skip


def looks(desk: Desk) -> dict[str, Callable[[], object]]:
    """Every read of a face of the desk's handle, ready to be called."""
    targets = faces(desk.agent)
    return {
        name: functools.partial(call, targets, name, arguments)
        for name, arguments in reads(desk).items()
        if name.rpartition(".")[0] in targets
    }


def writes(desk: Desk) -> dict[str, Arguments]:
    """What changes something, what ends things last."""
    return _layer_writes(desk) | _tier_writes(desk) | _held_writes(desk) | SET_SPLIT | _ends(desk)


def _layer_writes(desk: Desk) -> dict[str, Arguments]:
    word, ids, work = desk.word, desk.ids, desk.work
    note: Arguments = {"text": word, "data": {"more": word}}
    return {
        "now.update": {"objective": word, "next_steps": [word]},
        "log.append": {"kind": "THOUGHT", **note},
        "log.tool_use": {"tool": "grep", **note},
        "log.thought": note,
        "log.user_feedback": note,
        "log.error": note,
        "log.system": note,
        "fact.save": {"key": "new", "value": word, "category": "general", "expect": None},
        "experience.put": {"category": "decision", "key": "new", "value": word},
        "knowledge.put": {"category": "decision", "key": "new", "value": word, "expect": None,
                          "fields": {"tags": [word]}},
        "blackboard.publish": {"key": "new", "value": {"said": word}, "ttl": "1h", "expect": None,
                               "strict": False},
        "blackboard.declare": {"namespace": "new:", "schema": Schema({f"new:{word}": "any"})},
        "episode.record": {"task": "t-1", "action": "failed", "what": word,
                           "course": {"approach": word, "outcome": word, "duration_ms": 1}},
        "artifact.declare": {"path": "far/off.txt", "task": "t-1", "told": {"kind": "file",
                             "description": word, "size": 3}},
        "artifact.register": {"path": "todo.md", "task": "t-1", "workspace": work, "kind": "file",
                              "description": word},
        "item.extract": {"path": work, "options": {}},
        "task.add": {"task": "t-2", "description": word, "plan": {
            "milestone": "m-1", "priority": 2, "acceptance": [word], "blocked_by": ["t-1"]}},
        "task.change": {"task": "t-1", "description": word, "plan": {"priority": 1}},
        "task.attempt": {"task": "t-1", "approach": word},
        "working.set": {"key": "new", "value": [word]},
        "working.snapshot": {},
        "working.restore": {},
        **session_writes(word),
        "notebook().note": note,
        "notebook().reason": {"stage": "plan", **note},
        "notebook().tool_output": {"tool": "grep", **note},
        "notebook().capsule": {"path": work / "two.capsule", "replace": True},
        "public.share": {"name": ids["note"]},
        "public.unshare": {"name": ids["note"]},
        "handoff.request": {"to": "maya", "action": word, "memory": [ids["note"], word],
                            "context": {"said": word}},
        "handoff.answer": {"handoff": ids["received"], "text": word, "memory": [word],
                           "status": "done"},
    }  # fmt: skip


def _tier_writes(desk: Desk) -> dict[str, Arguments]:
    word, ids, work = desk.word, desk.ids, desk.work
    note: Arguments = {"text": word, "data": {"more": word}}
    return {
        "task_tier().note": note,
        "task_tier().reason": {"stage": "plan", **note},
        "task_tier().tool_output": {"tool": "grep", **note},
        "task_tier().capsule": {"path": work / "three.capsule", "replace": True},
        "task_tier().add_reasoning": {"stage": "plan", **note},
        "task_tier().add_tool_output": {"tool": "grep", "output": [word], "data": {"more": word}},
        "task_tier().promote": {"notes": [ids["note"]], "kind": "pitfall"},
        "project_tier.add_decision": {"decision": word + " d", "tags": [word]},
        "project_tier.add_convention": {"convention": word + " c", "scope": "python"},
        "project_tier.add_failure": {"failure": word, "lesson": word, "tags": [word]},
        "project_tier.add_pattern": {"pattern": word + " p", "domain": "web"},
        "project_tier.add_preference": {"preference": word + " q", "category": "style"},
        "project_tier.promote": {"ids": [ids["note"]], "kind": "fact"},
        "project_tier.evict": {},
        "global_tier.add_preference": {"preference": word, "category": "style", "key": "k"},
        "global_tier.add_pattern": {"pattern": word, "domain": "web"},
        "global_tier.promote": {"ids": [ids["note"]], "kind": "pattern"},
        "global_tier.clear_all": {},
    }  # fmt: skip


def _held_writes(desk: Desk) -> dict[str, Arguments]:
    word, work = desk.word, desk.work
    return {
        "agent.update_now": {"status": word, "next_steps": [word]},
        "agent.append_log": {"entry_type": "ERROR", "content": word, "metadata": {"more": word}},
        "agent.save_fact": {"key": "new", "value": word, "category": "general"},
        "agent.compact_log": {"force": True, "summarise": None},
        "attempt.outcome": {"text": word},
        "attempt.spent": {"tokens_in": 1, "tokens_out": 2},
        "attempt.artifact": {"path": "todo.md", "workspace": work, "kind": "file",
                             "description": word},
        "flat.add": {"item": ContextItem(id="i-1", kind="note", payload={"text": word})},
        "flat.delete": {"item_id": "i-1"},
        "skills.update_status": {"new_status": word, "next_steps": [word]},
        "skills.log_activity": {"entry_type": "ERROR", "content": word,
                                "metadata": {"more": word}},
        "skills.save_fact": {"key": "new", "value": word, "category": "general"},
    }  # fmt: skip


def _ends(desk: Desk) -> dict[str, Arguments]:
    return {
        "fact.forget": {"key": "fact"},
        **{f"{face}.prune": {"what": [desk.ids[face]]} for face in ("knowledge", "experience")},
        "knowledge.delete": {"category": "decision", "key": "key"},
        "experience.delete": {"category": "decision", "key": "key"},
        "blackboard.clear": {"key": "key"},
        "item.remove": {"ids": [desk.ids["item"]]},
        "artifact.deregister": {"path": "made.txt"},
        "artifact.prune": {"task": "t-1", "before": None},
        "episode.prune": {"task": "t-1", "before": None},
        "task.move": {"task": "t-1", "status": "dropped", "note": desk.word, "notebook": "archive"},
        "task.tidy": {},
        "task.archive": {"milestone": "m-0"},
        "notebook().archive": {},
        "notebook().discard": {},
        "task_tier().archive": {},
        "task_tier().discard": {},
        "working.clear": {},
        "flat.clear": {},
        "subscription.close": {},
        "capsule.close": {},
    }  # fmt: skip


def call(targets: Mapping[str, Any], name: str, arguments: Arguments) -> Any:
    """Call a method with arguments by name, each in the way in which its signature takes it."""
    target, _, method = name.rpartition(".")
    function: Callable[..., Any] = getattr(targets[target], method)
    args: list[Any] = []
    named: dict[str, Any] = {}
    parameters = inspect.signature(function).parameters
    for parameter, value in arguments.items():
        kind = parameters[parameter].kind if parameter in parameters else None
        if kind is inspect.Parameter.POSITIONAL_ONLY:
            args.append(value)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            args.extend(value)
        elif kind is inspect.Parameter.VAR_KEYWORD and parameter != "arguments":
            named |= value
        else:
            named[parameter] = value
    return whole(function(*args, **named))


def whole(answer: Any) -> Any:
    """An answer with everything in it that can be asked for."""
    if isinstance(answer, Iterator):
        return list(answer)
    if isinstance(answer, Brief):
        return vars(answer)
    if isinstance(answer, list) and answer and hasattr(answer[0], "read"):
        return [one.read() for one in answer]
    return answer
