"""`make conformance`: the tests of other projects, run against what we offer in their place.

    python -m tests.conformance.run            # every suite
    python -m tests.conformance.run mcp claude # some of them

Suites live in `suite_*.py`, each with `run(work) -> list[Result]`. They run in an environment of
their own below `build/`, which holds what we develop with and what the suites need beside it.
Nothing of theirs is kept in this repository: it comes by package name when it is wanted.
"""

import json
import shutil
import subprocess
import sys
import traceback
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.conformance.result import Result

HERE = Path(__file__).parent
BUILD = Path("build") / "conformance"
VENV = BUILD / "venv"
LOCKS = (Path("requirements.lock"), HERE / "requirements.lock")


def main(arguments: Sequence[str]) -> int:
    """Run suites by name, or all of them; 0 when every test that was run has passed."""
    there_are = sorted(path.stem.removeprefix("suite_") for path in HERE.glob("suite_*.py"))
    unknown = set(arguments) - set(there_are)
    if unknown:
        sys.exit(f"there is no suite {', '.join(unknown)}; there are {', '.join(there_are)}")
    if Path(sys.prefix).resolve() != VENV.resolve():
        return _again_inside(arguments)
    results: list[Result] = []
    console = Console()
    for name in arguments or there_are:
        console.print(f"[bold]{name}[/] …")
        work = BUILD / name
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        found = _results(name, work.resolve())
        results.extend(found)
        for one in found:
            console.print(_line(one))
    console.print(_table(results))
    _tell_left_out(console, results)
    told = [{**asdict(one), "log": str(one.log or "")} for one in results]
    (BUILD / "results.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return 0 if results and all(one.is_good for one in results) else 1


def _results(name: str, work: Path) -> list[Result]:
    """What came of a suite; one that breaks is told as failed, and the next one runs."""
    try:
        found: list[Result] = import_module(f"tests.conformance.suite_{name}").run(work)
    except Exception as error:
        traceback.print_exc()
        return [Result(name, 0, 1, failed=(f"the suite ended with {type(error).__name__}",))]
    return found


def _again_inside(arguments: Sequence[str]) -> int:
    """Make the environment if it is not there, and run this again inside it."""
    python = VENV / "bin" / "python"
    stamp = VENV / "stamp"
    wanted = "".join(lock.read_text(encoding="utf-8") for lock in LOCKS)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"Building {VENV} (a minute or two) ...", flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for lock in LOCKS:
            subprocess.run([*pip, "--require-hashes", "--requirement", str(lock)], check=True)
        own = [*pip, "--no-deps", "--no-build-isolation", "--editable", "."]
        subprocess.run(own, check=True)
        stamp.write_text(wanted, encoding="utf-8")
    command = [str(python), "-m", "tests.conformance.run", *arguments]
    return subprocess.run(command, check=False).returncode


def _line(one: Result) -> str:
    colour = "green" if one.is_good else "red"
    return f"  [{colour}]{one.passed}/{one.total}[/] {one.suite}"


def _table(results: Sequence[Result]) -> Table:
    table = Table("suite", "passed", "of", "left out", "failed")
    for one in results:
        counts = map(str, (one.passed, one.total, len(one.left_out), len(one.failed)))
        table.add_row(one.suite, *counts, style="" if one.is_good else "red")
    return table


def _tell_left_out(console: Console, results: Sequence[Result]) -> None:
    for one in results:
        for test, reason in one.left_out:
            console.print(
                f"left out of {one.suite}: {test}: {reason}", markup=False, soft_wrap=True
            )
        for test in one.failed:
            console.print(f"FAILED in {one.suite}: {test}", markup=False, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
