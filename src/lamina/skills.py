"""Five skills that a model can call, as plain functions with what any framework wants to know.

    for skill in lamina.skills.for_agent(mem.agent("finn", project="web")):
        framework.register(skill.name, skill.description, skill.parameters, skill.execute)

The parameters are read off the functions below, so that what a model is told and what is called
cannot differ. Answers are plain JSON.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from lamina.core.canonical import check
from lamina.core.changes import Receipt
from lamina.core.instants import to_text
from lamina.core.layers import LAYERS
from lamina.errors import InvalidInputError
from lamina.memory import AgentMemory

_MOST_RESULTS: Final = 50


@dataclass(frozen=True, slots=True)
class About:
    """What a model is told of a parameter."""

    text: str
    one_of: tuple[str, ...] = ()
    at_most: int | None = None


@dataclass(frozen=True, slots=True)
class Skill:
    """Something that a model can ask for by name."""

    name: str
    description: str
    parameters: dict[str, Any]
    """A JSON schema of the arguments."""
    execute: Callable[..., Any]
    """Takes the arguments by name; one that is missing, unknown or wrong is named in the error."""

    @property
    def metadata(self) -> dict[str, Any]:
        """Name, description and parameters as one object."""
        return {
            "name": self.name, "description": self.description, "parameters": self.parameters,
        }  # fmt: skip


def for_agent(agent: AgentMemory) -> tuple[Skill, ...]:
    """The skills of one agent: they read and write its memory, with its rights."""
    return tuple(_skill(function, agent) for function in _SKILLS)


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
_TYPES: Final[Mapping[type, tuple[str, str]]] = {
    str: ("string", "text"),
    int: ("integer", "a whole number"),
    list: ("array", "a list of texts"),
    dict: ("object", "an object"),
}


def _kept(receipt: Receipt) -> dict[str, Any]:
    return {"id": receipt.id, "action": receipt.action.value, "rev": receipt.rev}


def _skill(function: Callable[..., Any], agent: AgentMemory) -> Skill:
    known = dict(_parameters(function))

    def execute(**arguments: Any) -> Any:
        for name, value in arguments.items():
            if name not in known:
                raise _wrong(function, f"`{name!s:.40}` is not one of its arguments", known)
            known[name].check(name, value)
        for name, parameter in known.items():
            if parameter.required and name not in arguments:
                raise _wrong(function, f"`{name}` is missing", known)
        return function(agent, **arguments)

    execute.__name__ = function.__name__
    execute.__doc__ = function.__doc__
    schema = {
        "type": "object",
        "properties": {name: parameter.schema() for name, parameter in known.items()},
        "required": [name for name, parameter in known.items() if parameter.required],
        "additionalProperties": False,
    }
    return Skill(function.__name__, inspect.getdoc(function) or "", schema, execute)


@dataclass(frozen=True, slots=True)
class _Parameter:
    kind: type
    about: About
    required: bool
    nullable: bool

    def schema(self) -> dict[str, Any]:
        said: dict[str, Any] = {"type": _TYPES[self.kind][0], "description": self.about.text}
        if self.kind is list:
            said["items"] = {"type": "string"}
        if self.about.one_of:
            said["enum"] = list(self.about.one_of)
        if self.about.at_most is not None:
            said |= {"minimum": 1, "maximum": self.about.at_most}
        return said

    def check(self, name: str, value: object) -> None:
        """Refuse what the schema does not allow. Models write null for what they leave out."""
        if value is None and self.nullable:
            return
        fits = isinstance(value, self.kind) and not isinstance(value, bool)
        if fits and isinstance(value, list):
            fits = all(isinstance(one, str) for one in value)
        if not fits:
            raise InvalidInputError(f"`{name}` must be {_TYPES[self.kind][1]}, not {value!r:.60}")
        check(value, name)
        one_of, at_most = self.about.one_of, self.about.at_most
        if one_of and value not in one_of:
            raise InvalidInputError(
                f"`{name}` must be one of {', '.join(one_of)}, not {value!r:.60}"
            )
        if at_most is not None and isinstance(value, int) and not 1 <= value <= at_most:
            raise InvalidInputError(f"`{name}` must be from 1 to {at_most}, not {value}")


def _parameters(function: Callable[..., Any]) -> Iterator[tuple[str, _Parameter]]:
    """What a skill takes, beside the agent, as its signature says."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        options = get_args(hints[name])
        nullable = type(None) in options
        hint = options[0] if nullable else hints[name]
        kind, about = get_args(hint)
        required = parameter.default is parameter.empty
        yield name, _Parameter(get_origin(kind) or kind, about, required, nullable)


def _wrong(function: Callable[..., Any], what: str, known: Mapping[str, object]) -> Exception:
    return InvalidInputError(
        f"{what}: skill `{function.__name__}`", remedy=f"It takes: {', '.join(known)}"
    )
