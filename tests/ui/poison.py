"""Every text of a list in every field of a store that takes a text at all."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lamina import Memory
from lamina.errors import InvalidInputError
from lamina.memory import AgentMemory

INHERITED = ("constructor", "__proto__", "valueOf")
"""What every object of a page has, whoever made it."""
ROLES = ("user", "assistant", "tool_call", "tool_result")


def fill(memory: Memory, texts: tuple[str, ...]) -> tuple[list[str], int]:
    """The ids of what says each text, and how many names the library did not take."""
    web = memory.project("web")
    eve = memory.agent("eve", project="web")
    web.task.add("t-1", "A task")
    for name in INHERITED:
        web.remember(f"A task in the state {name}", layer="task", key=f"t-{name}", kind="task",
                     data={"status": name})  # fmt: skip
        web.remember(f"It has {name}", key=f"has-{name}", data={name: "told"})
    ids: list[str] = []
    refused = 0
    for number, text in enumerate(texts):
        data = {"note": text, text[:60]: [text], "__proto__": {"__struck__": text}}
        said = web.remember(text, key=f"odd-{number}", tags=[f"t{number}"], data=data)
        ids.append(said.id)
        web.remember(f"{text} from afar", via="web")
        eve.knowledge.put("fact", f"fact-{number}", f"{text} {number}")
        web.knowledge.put("fact", f"open-{number}", f"One thing {number}")
        eve.knowledge.put("fact", f"open-{number}", text, confidence=0.2)
        eve.blackboard.publish(f"signal-{number}", {"value": text, text[:60]: text})
        eve.log.append("ERROR", text, tool=text)
        eve.artifact.declare(f"src/{number}.py", task="t-1", description=text)
        for action in ("attempted", "failed", "completed"):
            eve.episode.record("t-1", action, approach=text, outcome=text)
        eve.notebook("t-1").note(text)
        eve.now.update(text, [text, text])
        refused += sum(not named(text, number) for named in _names(memory, web, eve))
    for name in ("s-9", "s-10"):
        eve.session(name).extend(
            [{"role": ROLES[n % 4], "text": one, "tool": one} for n, one in enumerate(texts)]
        )
    return ids, refused


def _names(memory: Memory, web: Memory, eve: AgentMemory) -> tuple[Callable[[str, int], bool], ...]:
    """Ways to name something with a text; a name that is refused is none that can be shown."""

    def tried(work: Callable[[str, str], Any]) -> Callable[[str, int], bool]:
        def name(text: str, number: int) -> bool:
            printable = "".join(one for one in text if one.isprintable())[:120]
            with suppress(InvalidInputError):
                work(printable, f"{text} {number}")
                return True
            return False

        return name

    return tuple(
        tried(work)
        for work in (
            lambda name, text: web.remember(text, key=name),
            lambda name, text: web.remember(text, kind=name),
            lambda name, text: web.remember(text, tags=[name]),
            lambda name, text: eve.knowledge.put(name, "key", text),
            lambda name, text: eve.blackboard.publish(name, text),
            lambda name, text: eve.fact.save(name, text),
            lambda name, text: eve.artifact.declare(f"src/{name}", task="t-1", description=text),
            lambda name, text: web.task.add(name, text, blocked_by=["t-1"]),
            lambda name, text: eve.episode.record(name, "failed", approach=text),
            lambda name, text: eve.notebook(name).note(text),
            lambda name, text: eve.session(name).extend([{"role": "user", "text": text}]),
            lambda name, text: eve.log.append(name, text),
            lambda name, text: memory.agent(name, project="web").now.update(text, [text]),
            lambda name, text: memory.project(name).remember(text),
        )
    )
