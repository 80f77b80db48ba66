"""Starting Lamina loads only what starting needs: hooks run the command at every prompt."""

import json
from pathlib import Path

from tests.meta.children import run_python

HEAVY = ("anyio", "apsw", "asyncio", "cryptography", "numpy", "pydantic", "rich")
NEVER_AT_IMPORT = (
    *HEAVY,
    "click",
    "email",
    "fastapi",
    "http",
    "mcp",
    "sqlite3",
    "ssl",
    "starlette",
    "unittest",
    "urllib.request",
)

# The report goes to stderr, because the help text goes to stdout.
IMPORT = """
import json, sys
before = set(sys.modules)
import lamina
print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""
HELP = """
import json, sys
before = set(sys.modules)
from lamina.surfaces.cli.main import main
sys.argv = ["lamina", "--help"]
try:
    status = main()
except SystemExit as stop:
    status = stop.code
assert not status, status
print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""

COMMANDS = """
import json, sys
from lamina.surfaces.cli.main import main
for arguments in (["remember", "x", "--key", "k"], ["get", "k"], ["list"]):
    assert main(["--dir", sys.argv[1], *arguments]) == 0
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def _loaded(code: str, *arguments: str) -> tuple[list[str], str]:
    """Run `code` in a fresh interpreter; return the modules it added and what it printed."""
    child = run_python("-c", code, *arguments)
    assert child.returncode == 0, child.stderr
    modules: list[str] = json.loads(child.stderr.splitlines()[-1])
    return modules, child.stdout


def _unwelcome(modules: list[str], banned: tuple[str, ...]) -> list[str]:
    return [
        name for name in banned if any(f"{module}.".startswith(f"{name}.") for module in modules)
    ]


def test_importing_lamina_loads_nothing_heavy() -> None:
    modules, _ = _loaded(IMPORT)
    assert "lamina" in modules
    assert _unwelcome(modules, NEVER_AT_IMPORT) == []


def test_help_loads_nothing_heavy() -> None:
    modules, output = _loaded(HELP)
    assert "lamina" in output
    assert _unwelcome(modules, HEAVY) == []


def test_keeping_and_showing_a_memory_needs_no_vectors(tmp_path: Path) -> None:
    modules, output = _loaded(COMMANDS, str(tmp_path / "store"))
    assert "x" in output
    assert _unwelcome(modules, ("anyio", "asyncio", "numpy", "rich")) == []
