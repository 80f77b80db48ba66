"""Five skills that a model can call, as plain functions with what any framework wants to know.

    for skill in lamina.skills.for_agent(mem.agent("finn", project="web")):
        framework.register(skill.name, skill.description, skill.parameters, skill.execute)

The parameters are read off the functions below by `lamina.signatures`. Answers are plain JSON.
"""

from dataclasses import replace
from typing import Annotated, Any, Final

from lamina.core.changes import Receipt
from lamina.core.instants import to_text
from lamina.core.layers import LAYERS
from lamina.memory import AgentMemory
from lamina.signatures import About, Skill, skill_of

__all__ = [
    "About", "Skill", "for_agent", "get_fact", "log_activity", "recall_memory", "save_fact",
    "update_status",
]  # fmt: skip

_MOST_RESULTS: Final = 50


def for_agent(agent: AgentMemory) -> tuple[Skill, ...]:
    """The skills of one agent: they read and write its memory, with its rights."""
    return tuple(
        replace(skill_of(function, agent), safe_to_repeat=function is not log_activity)
        for function in _SKILLS
    )


def update_status(
    agent: AgentMemory,
    new_status: Annotated[str, About("What you are working on now, in one sentence.")],
    next_steps: Annotated[list[str], About("What you will do next, in order.")] | None = None,
) -> dict[str, Any]:
    """Say what you are working on and what comes next, so that you can resume after a restart."""
    return _kept(agent.update_now(new_status, next_steps))


def log_activity(
    agent: AgentMemory,
    entry_type: Annotated[str, About("What sort of entry it is.", LAYERS["log"].kinds)],
    content: Annotated[str, About("What you did, thought, heard or failed at.")],
    metadata: Annotated[dict[str, Any], About("Anything else, as names and values.")] | None = None,
) -> dict[str, Any]:
    """Add an entry to your log."""
    return _kept(agent.append_log(entry_type, content, metadata))


def recall_memory(
    agent: AgentMemory,
    query: Annotated[str, About("What you want to know, in your own words.")],
    n_results: Annotated[int, About("How many memories at most.", at_most=_MOST_RESULTS)] = 5,
) -> dict[str, Any]:
    """Search everything you may know. No memories in the answer means that nothing is relevant."""
    return {
        "memories": [
            {
                "id": hit.record.id, "text": hit.record.text, "score": round(hit.score, 3),
                "layer": hit.record.layer, "kind": hit.record.kind, "key": hit.record.key,
                "source": hit.record.source, "trust": hit.record.trust.value,
                "at": to_text(hit.record.updated_at),
            }
            for hit in agent.recall_memory(query, n_results)
        ]
    }  # fmt: skip


def save_fact(
    agent: AgentMemory,
    key: Annotated[str, About("A short name, by which you will ask for it.")],
    value: Annotated[str, About("What is true now; it replaces what was kept under the key.")],
    category: Annotated[str, About("What sort of fact it is.", LAYERS["fact"].kinds)] = "general",
) -> dict[str, Any]:
    """Keep a single fact under a key: a preference, a name, a setting."""
    return _kept(agent.save_fact(key, value, category))


def get_fact(
    agent: AgentMemory, key: Annotated[str, About("The name under which it was kept.")]
) -> dict[str, Any]:
    """Read the fact under a key; its value is null when there is none."""
    return {"key": key, "value": agent.get_fact(key)}


_SKILLS: Final = (update_status, log_activity, recall_memory, save_fact, get_fact)


def _kept(receipt: Receipt) -> dict[str, Any]:
    return {"id": receipt.id, "action": receipt.action.value, "rev": receipt.rev}
