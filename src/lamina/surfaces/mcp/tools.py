"""The eight tools of the default profile.

Every word that a model reads of them is paid for in each conversation: together they take at most
1,500 tokens, which `tests/mcp/test_tools.py` holds them to.
"""

from typing import Annotated, Any, Final

from lamina.core.layers import LAYERS
from lamina.core.permissions import Permission
from lamina.paging.showing import note_shown, show_hits
from lamina.sealing import scrub
from lamina.signatures import About
from lamina.surfaces.mcp.here import Here
from lamina.surfaces.mcp.shapes import ANYTHING, KEPT, NUMBER, TEXT, list_of, object_of
from lamina.surfaces.mcp.tool import Answer, Plan
from lamina.surfaces.wire import outcome_out
from lamina.surfaces.wire_brief import kept_out, memories_out, told_out

_MOST: Final = 50
_USUAL: Final = 8
_NOTHING: Final = "Nothing relevant is remembered."
_Key = Annotated[str, About("Short name of the fact.")]


def recall(
    here: Here,
    query: Annotated[str, About("What you want to know.")],
    k: Annotated[int, About("", at_most=_MOST)] = _USUAL,
) -> Answer:
    """Search memory before you answer or ask about earlier work, people, preferences, decisions.

    No memories means nothing relevant is known.
    """
    found = here.memory.recall(query, k=k)
    return Answer(memories_out(found), show_hits(here.memory, found.hits) or _NOTHING)


def remember(
    here: Here,
    text: Annotated[str, About("One statement that makes sense by itself.")],
    kind: Annotated[str, About("As decision, convention, preference, pitfall.")] = "fact",
    key: Annotated[str, About("Names it: remembering the key again replaces it.")] | None = None,
    shared: Annotated[bool, About("For the whole project, not you alone.")] = False,
) -> dict[str, Any]:
    """Keep what will matter in later conversations: decisions and why, conventions, corrections.

    Not what recall or context just told you.
    """
    fields: dict[str, Any] = {"kind": kind, "key": key or None}
    if shared:
        fields["scope"] = here.memory.principal.common.path
    return kept_out(here.memory.remember(text, **fields))


def context(
    here: Here,
    query: Annotated[str, About("The task or question at hand; may be empty.")] = "",
    budget: Annotated[int, About("Tokens it may take.")] = 2_000,
) -> Answer:
    """Load what you were doing, your log, facts, open tasks and what matters for a task.

    Call it once when a conversation or task begins.
    """
    found = here.memory.context(query, budget=budget, empty=True)
    return Answer(told_out(found), found.text)


def update_status(
    here: Here,
    new_status: Annotated[str, About("What you work on, in one sentence.")],
    next_steps: Annotated[list[str], About("What comes next, in order.")] | None = None,
) -> dict[str, Any]:
    """Say what you work on and what comes next, so that you can resume after a restart."""
    return kept_out(here.memory.now.update(new_status, next_steps))


def log_activity(
    here: Here,
    entry_type: Annotated[str, About("", LAYERS["log"].kinds)],
    content: str,
    metadata: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Add what you did, thought, heard or failed at to your log."""
    return kept_out(here.memory.log.append(entry_type, content, **(metadata or {})))


def save_fact(
    here: Here,
    key: _Key,
    value: Annotated[str, About("What is true now; replaces what was.")],
    category: Annotated[str, About("", LAYERS["fact"].kinds)] = "general",
) -> dict[str, Any]:
    """Keep one exact value under a key: a name, a setting, a preference."""
    return kept_out(here.memory.fact.save(key, value, category))


def get_fact(here: Here, key: _Key) -> dict[str, Any]:
    """Read the value under a key; null when there is none."""
    value = here.memory.fact.get(key)
    if value is not None:
        note_shown(here.memory, here.memory.fact.record(key))
    return {"key": scrub(key), "value": value}


def forget(
    here: Here, ids: Annotated[list[str], About("Ids, or keys, of memories.")]
) -> dict[str, Any]:
    """Hide memories that are wrong, outdated or unwanted; undoable."""
    return {"outcomes": [outcome_out(one) for one in here.memory.forget(*ids).outcomes]}


_AS_QUERY: Final = {"q": "query", "text": "query", "question": "query", "topic": "query"}
_AS_K: Final = dict.fromkeys(("limit", "n", "n_results", "top_k", "page_size", "max_results"), "k")
_AS_TEXT: Final = dict.fromkeys(("content", "memory", "fact", "value", "message"), "text")
_AS_KEY: Final = {"name": "key", "id": "key"}

TOOLS: Final = (
    Plan(recall, "Recall memories", Permission.READ,
         object_of(memories=list_of(ANYTHING)), aliases=_AS_QUERY | _AS_K),
    Plan(remember, "Remember", Permission.WRITE, KEPT,
         aliases=_AS_TEXT | {"type": "kind", "category": "kind", "name": "key"}),
    Plan(context, "Load context", Permission.READ,
         object_of(text=TEXT, tokens=NUMBER),
         aliases=_AS_QUERY | {"task": "query", "max_tokens": "budget", "tokens": "budget"}),
    Plan(update_status, "Update status", Permission.WRITE, KEPT, idempotent=True,
         aliases={"status": "new_status", "objective": "new_status", "steps": "next_steps"}),
    Plan(log_activity, "Log activity", Permission.WRITE, KEPT,
         aliases={"type": "entry_type", "kind": "entry_type", "text": "content",
                  "message": "content", "data": "metadata"}),
    Plan(save_fact, "Save a fact", Permission.WRITE, KEPT, idempotent=True,
         aliases=_AS_KEY | {"text": "value", "content": "value", "kind": "category"}),
    Plan(get_fact, "Get a fact", Permission.READ,
         object_of(key=TEXT, value={"type": ["string", "null"]}), aliases=_AS_KEY),
    Plan(forget, "Forget memories", Permission.WRITE,
         object_of(outcomes=list_of(ANYTHING)), destructive=True, idempotent=True,
         aliases=dict.fromkeys(("id", "key", "keys", "name", "names", "memory_id"), "ids")),
)  # fmt: skip
