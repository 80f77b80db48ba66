"""The protocol's own conformance suite, and its inspector, against our real server."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import lamina
from tests.conformance import mcp_fixtures, node
from tests.conformance.result import Result
from tests.conformance.run import main
from tests.serving import Served, serving

PACKAGES = (
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
)
REVISIONS = ("2025-11-25", "2026-07-28")
_SCENARIO = re.compile(r"^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$", re.MULTILINE)
_UNSCORED = re.compile(r"^  [✓✗] ([\w-]+) \(([\w-]+)\)$", re.MULTILINE)
_WHY = {
    "extension": "an extension of the protocol that we do not offer; the suite does not score it",
    "pending": "not part of this revision yet; the suite runs it and does not score it",
    "added-after-release": "newer than this revision; the suite runs it and does not score it",
}


def run(work: Path) -> list[Result]:
    """Fetch both, and run them."""
    node.install(work, PACKAGES)
    theirs = mcp_fixtures.fetch(work)
    return [*(_conformance(work, theirs, revision) for revision in REVISIONS), *_inspected(work)]


def _conformance(work: Path, theirs: object, revision: str) -> Result:
    log = work / f"{revision}.log"
    with lamina.open(":memory:") as memory:
        memory.configure("recall.embedder", "off")
        with mcp_fixtures.serving(memory, theirs) as url:
            command = ["conformance", "server", "--url", url, "--requirements", revision]
            status = node.run(work, command, log)
    printed = log.read_text(encoding="utf-8")
    unscored: dict[str, str] = dict(_UNSCORED.findall(printed))
    scored = [
        (name, int(passed), int(failed))
        for name, passed, failed in _SCENARIO.findall(printed.partition("=== SUMMARY ===")[2])
        if name not in unscored
    ]
    passed = sum(good for _, good, _ in scored)
    total = passed + sum(bad for _, _, bad in scored)
    wrong = tuple(name for name, good, bad in scored if bad or not good)
    ended = () if status == 0 else (f"exit status {status}",)
    left_out = tuple((name, _WHY.get(why, why)) for name, why in unscored.items())
    return Result(f"mcp conformance {revision}", passed, total, left_out, wrong + ended, log)


def _inspected(work: Path) -> Iterator[Result]:
    log = work / "inspector.log"
    ours = [sys.executable, "-m", "lamina", "mcp", "--dir", str(work / "store")]
    yield _inspect(work, "stdio", ours, log)
    with lamina.open(":memory:") as memory:
        memory.configure("recall.embedder", "off")
        with serving(memory) as served:
            yield _inspect(work, "http", _over_http(served), log)


def _over_http(served: Served) -> list[str]:
    [(name, value)] = served.headers_of("finn", "agent", "web").items()
    return [f"{served.url}/mcp", "--transport", "http", "--header", f"{name}: {value}"]


def _inspect(work: Path, way: str, server: list[str], log: Path) -> Result:
    """What the inspector asks, in strict mode where it looks at schemas."""
    calls = {
        "tools/list": ["--strict"],
        "resources/list": [],
        "prompts/list": [],
        "tools/call remember": ["--tool-name", "remember", "--tool-arg", "text=The sky is blue"],
        "tools/call recall": ["--tool-name", "recall", "--tool-arg", "query=sky"],
        "resources/read": ["--uri", "lamina://now"],
    }
    failed = []
    for name, options in calls.items():
        command = ["mcp-inspector", "--cli", *server, "--method", name.split()[0], *options]
        if node.run(work, command, log) != 0:
            failed.append(name)
    passed = len(calls) - len(failed)
    return Result(f"mcp inspector {way}", passed, len(calls), (), tuple(failed), log)


if __name__ == "__main__":
    sys.exit(main(["mcp"]))
