"""The README is short, and every block of code in it and in the guides runs as printed.

The blocks of a page run top to bottom in one empty folder that is also the home directory: Python
blocks share their variables, as a reader would paste them into one session, and `>>>` blocks are
doctests. Only commands that install Lamina are left out.
"""

import json
import os
import re
from pathlib import Path

import pytest

from tests.meta.children import environment, run_python
from tests.meta.tree import ROOT, relative
from tests.meta.warming import warm_scripts

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs" / "guides").glob("*.md"))]
MAX_LINES = 150

BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = {"python", "sh"}
SHOWN = {"text", "json", "toml", "sql", "mermaid", "markdown"}
INSTALLING = ("git clone ", "cd ", "make", "pip install ")

# Runs in a child: blocks come as JSON on the command line, the first failure ends the run.
DRIVER = """
import doctest, json, subprocess, sys
shared = {"__name__": "__main__"}
for number, (language, code) in enumerate(json.loads(sys.argv[1]), start=1):
    print(f"--- block {number} ({language})", flush=True)
    if language == "sh":
        subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", code], check=True)
    elif ">>> " in code:
        example = doctest.DocTestParser().get_doctest(code, {}, f"block {number}", None, 0)
        example.globs = shared
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        if runner.run(example, clear_globs=False).failed:
            sys.exit(1)
    else:
        exec(compile(code, f"<block {number}>", "exec"), shared)
"""


def _blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def _only_installs(code: str) -> bool:
    commands = [line.strip() for line in code.splitlines() if line.strip()]
    return all(command.startswith((*INSTALLING, "#")) for command in commands)


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_block_says_its_language_and_none_is_exempt(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = _blocks(page)
    assert len(re.findall(r"^\s*```", text, re.MULTILINE)) == 2 * len(blocks), "a fence is unusual"
    assert {language for language, _ in blocks} <= RUN | SHOWN
    assert not [code for _, code in blocks if code.lstrip().startswith("# not run")]


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_the_blocks_run(page: Path, tmp_path: Path) -> None:
    runnable = [
        (language, code)
        for language, code in _blocks(page)
        if language in RUN and not (language == "sh" and _only_installs(code))
    ]
    assert runnable or page != README, "a README without code"
    home = str(tmp_path)
    env = environment(HOME=home, USERPROFILE=home, XDG_CONFIG_HOME=home, XDG_DATA_HOME=home)
    env["PATH"] = os.pathsep.join([str(warm_scripts()), env["PATH"]])
    child = run_python("-c", DRIVER, json.dumps(runnable), cwd=tmp_path, env=env)
    assert child.returncode == 0, child.stdout + child.stderr
