"""A memory for agents of Pydantic AI, as a capability.

    from pydantic_ai import Agent
    from lamina.adapters.pydantic_ai import LaminaMemory

    memory = lamina.open("memory").agent("helper", project="shop")
    agent = Agent("openai:gpt-5", capabilities=[LaminaMemory(memory)])

Needs the package `pydantic-ai`: `pip install lamina[pydantic-ai]`. Before each request the model is
shown what is remembered, fenced and labelled as data; it has the five skills of `lamina.skills` as
tools; and when a run ends, what was said is kept as a session of the agent.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

try:
    from pydantic_ai import messages as said
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.tools import Tool
    from pydantic_ai.toolsets import FunctionToolset
except ImportError as error:
    raise ImportError("Pydantic AI is not installed: pip install 'lamina[pydantic-ai]'") from error

from lamina import skills
from lamina.adapters.naming import name_for
from lamina.aio import in_thread
from lamina.core.canonical import keepable
from lamina.core.text.cut import head_and_tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pydantic_ai.run import AgentRunResult
    from pydantic_ai.tools import RunContext

    from lamina.memory import AgentMemory
    from lamina.signatures import Skill

_BUDGET: Final = 2_000
_LONGEST: Final = 60_000


class LaminaMemory(AbstractCapability[Any]):
    """What an agent knows, did and was told, kept across its runs."""

    def __init__(
        self, memory: AgentMemory, *, budget: int = _BUDGET, tools: bool = True, keep: bool = True
    ) -> None:
        """Take the memory of an agent.

        Args:
            memory: Whose memory it is.
            budget: How many tokens of memory stand before the model.
            tools: Whether the model may look for more, and write facts, log and status.
            keep: Whether what was said is kept when a run ends.
        """
        self._memory = memory
        self._budget = budget
        self._tools = tools
        self._keep = keep

    def get_instructions(self) -> Callable[[RunContext[Any]], Any]:
        """What is remembered, made anew for each run."""
        return self._remembered

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """The five skills as tools."""
        if not self._tools:
            return None
        return FunctionToolset([_tool(skill) for skill in skills.for_agent(self._memory)])

    async def after_run(
        self, ctx: RunContext[Any], *, result: AgentRunResult[Any]
    ) -> AgentRunResult[Any]:
        """Keep what was said in this run, as it was said."""
        new = [one for message in result.new_messages() for one in _messages(message)]
        if self._keep and new:
            session = self._memory.session(name_for(_conversation(ctx), "conversation_id"))
            await in_thread(session.extend, new)
        return result

    async def _remembered(self, ctx: RunContext[Any]) -> str:
        asked = ctx.prompt if isinstance(ctx.prompt, str) else ""
        session = name_for(_conversation(ctx), "conversation_id")
        found = await in_thread(
            partial(self._memory.context, asked, budget=self._budget, session=session)
        )
        return found.text


def _conversation(ctx: RunContext[Any]) -> str:
    return str(ctx.conversation_id or ctx.run_id or "run")


def _tool(skill: Skill) -> Tool[Any]:
    async def call(**arguments: Any) -> Any:
        return await in_thread(partial(skill.execute, **arguments))

    return Tool.from_schema(call, skill.name, skill.description, dict(skill.parameters))


def _messages(message: said.ModelMessage) -> Iterator[dict[str, Any]]:
    """What one message says, part by part."""
    for part in message.parts:
        match part:
            case said.UserPromptPart():
                told = _message("user", _text(part.content))
            case said.TextPart():
                told = _message("assistant", part.content)
            case said.ToolCallPart():
                text = f"{part.tool_name}: {part.args_as_json_str()}"
                told = _message("tool_call", text, id=part.tool_call_id, tool=part.tool_name)
            case said.ToolReturnPart():
                text = part.model_response_str()
                told = _message("tool_result", text, id=part.tool_call_id, tool=part.tool_name)
            case _:
                continue
        if told["text"]:
            yield told


def _message(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "text": head_and_tail(keepable(text).strip(), _LONGEST), **more}


def _text(content: str | Sequence[Any]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(one for one in content if isinstance(one, str))
