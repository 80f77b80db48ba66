"""The reference memory server and our profile of it, asked the same things at random."""

import random
import sys
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from tests.conformance import node
from tests.conformance.result import Result
from tests.conformance.run import main

PACKAGE = "@modelcontextprotocol/server-memory@2026.8.31"
SEEDS = range(5)
CALLS = 200
NAMES = ["A", "B", "C", "Ünïcode", "U\u0308nïcode", "two words", "", " edge ", "\u200e"]
WORDS = ["x", "y", "tea", "TEA", "naïve", "'quoted'", "", "two\nlines"]


def run(work: Path) -> list[Result]:
    """Fetch the reference, and compare."""
    node.install(work, [PACKAGE])
    log = work / "calls.log"
    wrong = [told for seed in SEEDS if (told := anyio.run(_compare, work, seed))]
    log.write_text("\n".join(wrong), encoding="utf-8")
    same = len(SEEDS) - len(wrong)
    suite = f"server-memory, {CALLS} random calls each"
    return [Result(suite, same, len(SEEDS), (), tuple(one[:200] for one in wrong), log)]


async def _compare(work: Path, seed: int) -> str:
    """The first difference between the two; empty when there is none."""
    chosen = random.Random(seed)
    async with Client(_theirs(work, seed)) as theirs, Client(_ours(work, seed)) as ours:
        for step in range(CALLS):
            tool, arguments = a_call(chosen)
            want, got = [await _answer(one, tool, arguments) for one in (theirs, ours)]
            if want != got:
                return f"seed {seed}, call {step}: {tool} {arguments}: {want} and not {got}"
    return ""


def a_call(chosen: random.Random) -> tuple[str, dict[str, Any]]:
    """One of the nine tools, with arguments."""

    def some(things: list[str]) -> list[str]:
        return chosen.choices(things, k=chosen.randint(0, 3))

    def entity() -> dict[str, Any]:
        return {"name": chosen.choice(NAMES), "entityType": "t", "observations": some(WORDS)}

    def relation() -> dict[str, Any]:
        ends = {"from": chosen.choice(NAMES), "to": chosen.choice(NAMES)}
        return {**ends, "relationType": chosen.choice(["knows", "is"])}

    def about(field: str) -> dict[str, Any]:
        return {"entityName": chosen.choice(NAMES), field: some(WORDS)}

    several = range(chosen.randint(0, 3))
    calls: dict[str, dict[str, Any]] = {
        "create_entities": {"entities": [entity() for _ in several]},
        "create_relations": {"relations": [relation() for _ in several]},
        "add_observations": {"observations": [about("contents") for _ in several]},
        "delete_entities": {"entityNames": some(NAMES[:3])},
        "delete_observations": {"deletions": [about("observations") for _ in several]},
        "delete_relations": {"relations": [relation() for _ in several]},
        "read_graph": {},
        "search_nodes": {"query": chosen.choice(WORDS)},
        "open_nodes": {"names": some(NAMES)},
    }
    tool = chosen.choice(list(calls))
    return tool, calls[tool]


async def _answer(client: Client, tool: str, arguments: dict[str, Any]) -> Any:
    result = await client.call_tool(tool, arguments)
    return "an error" if result.is_error else result.structured_content


def _theirs(work: Path, seed: int) -> StdioServerParameters:
    kept = {"MEMORY_FILE_PATH": str(work / f"memory-{seed}.jsonl")}
    return StdioServerParameters(
        command="mcp-server-memory", args=[], env={**node.environment(work), **kept}
    )


def _ours(work: Path, seed: int) -> StdioServerParameters:
    store = str(work / f"store-{seed}")
    arguments = ["-m", "lamina", "mcp", "--tools", "server-memory", "--dir", store]
    return StdioServerParameters(command=sys.executable, args=arguments, env=node.environment(work))


if __name__ == "__main__":
    sys.exit(main(["server_memory"]))
