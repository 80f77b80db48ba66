"""A tool: a function of ours as the protocol offers it, and what becomes of a call.

What a model is told and what is checked both come from `lamina.signatures`. A model may write an
argument by another usual name, or a list as text that holds JSON: it is understood all the same,
while the one name is advertised.
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from anyio import to_thread
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import PrivateAttr

from lamina.core.permissions import Permission, check_permission
from lamina.errors import InvalidInputError, LaminaError
from lamina.signatures import Skill, skill_of
from lamina.surfaces.mcp.here import HERE
from lamina.surfaces.mcp.refusing import unexpected
from lamina.surfaces.wire import error_out

_log = logging.getLogger(__name__)
_PARSED: Final = ("array", "object", "integer", "number", "boolean")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answers where its JSON is not also its best wording for a model."""

    told: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is said of a tool beside its function."""

    function: Callable[..., dict[str, Any] | Answer]
    title: str
    permission: Permission
    output: dict[str, Any]
    """The JSON schema of its answers."""
    destructive: bool = False
    idempotent: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that models reach for, with the arguments that they mean."""
    schema: dict[str, Any] | None = None
    """What it takes, where its signature cannot say it."""


class LaminaTool(Tool):
    """A planned tool, as the server keeps it."""

    _skill: Skill = PrivateAttr()
    _plan: Plan = PrivateAttr()

    @classmethod
    def of(cls, plan: Plan) -> "LaminaTool":
        """Make a tool of its plan."""
        skill = skill_of(plan.function, HERE)
        made = cls(
            fn=skill.execute,
            name=skill.name,
            title=plan.title,
            description=" ".join(skill.description.split()),
            parameters=plan.schema or _told(skill.parameters),
            fn_metadata=FuncMetadata(arg_model=ArgModelBase, output_schema=plan.output),
            is_async=False,
            context_kwarg=None,
            annotations=_hints(plan),
        )
        made._skill, made._plan = skill, plan
        return made

    @property
    def permission(self) -> Permission:
        """What it asks of a caller."""
        return self._plan.permission

    async def run(
        self, arguments: dict[str, Any], context: Any, convert_result: bool = False
    ) -> CallToolResult:
        """Call it in a thread of its own; a call that is cancelled still ends its transaction."""
        del context, convert_result
        return await to_thread.run_sync(partial(self._call, arguments))

    def _call(self, arguments: dict[str, Any]) -> CallToolResult:
        try:
            check_permission(HERE.memory.principal, self.permission)
            done = self._skill.execute(**self._meant(arguments))
        except LaminaError as error:
            return failed(error)
        except Exception as error:
            _log.exception("tool %s failed", self.name)
            return failed(unexpected(error))
        answer = done if isinstance(done, Answer) else Answer(done, _json(done))
        return CallToolResult(content=[_text(answer.text)], structured_content=answer.told)

    def _meant(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments by the names that are advertised, each as what it stands for."""
        found: dict[str, Any] = {}
        known = self.parameters.get("properties", {})
        for given, value in arguments.items():
            name = given if given in known else self._plan.aliases.get(given, given)
            if name in found:
                raise InvalidInputError(
                    f"`{name}` is given twice, once as `{given:.40}`", remedy="Give it once"
                )
            found[name] = _parsed(value, known.get(name, {}).get("type"))
        return found


def _hints(plan: Plan) -> ToolAnnotations:
    """What a client may rely on; what only reads can neither destroy nor be repeated in vain."""
    if plan.permission is Permission.READ:
        return ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return ToolAnnotations(
        read_only_hint=False,
        destructive_hint=plan.destructive,
        idempotent_hint=plan.idempotent,
        open_world_hint=False,
    )


def _told(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without its last word on other names: some are understood."""
    return {name: said for name, said in schema.items() if name != "additionalProperties"}


def _parsed(value: Any, wanted: object) -> Any:
    """A value that some clients write as text although it is none."""
    if wanted == "array" and isinstance(value, str) and not value.lstrip().startswith("["):
        return [value]
    if wanted not in _PARSED or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def failed(error: LaminaError) -> CallToolResult:
    """What a call is answered with that went wrong."""
    # Not as structured content: clients hold that to the shape of a good answer.
    return CallToolResult(content=[_text(_json(error_out(error)))], is_error=True)


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
