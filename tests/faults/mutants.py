"""Bugs are planted in a copy of the source, one at a time, and a fault must notice each.

A fault that cannot fail proves nothing. `python -m tests.faults.mutants NUMBER SEED FILE` runs
the fault that the bug is meant for, in a process that imports the copy.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import lamina
from tests.faults import kills
from tests.faults.planted import PLANTED, Planted
from tests.faults.report import Report, Tell
from tests.meta.children import environment
from tests.meta.tree import ROOT
from tests.mutants.copies import broken_copy, sound_copy

AT_ONCE = 2
LONGEST = 300
NOT_A_FAILURE = ("SyntaxError", "IndentationError", "ImportError", "NameError", "ModuleNotFound")
"""What shows that the changed code did not even run, so that nothing was proved."""


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Plant the first `size` bugs; one that nobody notices is a violation."""
    wired, unwired = _wired(PLANTED[:size])
    report = Report("mutants", seed, len(wired))
    sound = sound_copy(folder / "sound")
    caught: dict[str, str] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        verdicts = pool.map(partial(_try, sound, seed), wired)
        for done, (planted, (is_caught, why)) in enumerate(zip(wired, verdicts, strict=True)):
            if is_caught:
                caught[planted.name] = f"{planted.fault}: {why}"
            else:
                report.violations.append(f"seed {seed}: {planted.name}: {why}")
            tell(done + 1, len(wired))
    report.figures = {"caught": caught, "no_fault_yet": [planted.name for planted in unwired]}
    return report


def _wired(planted: Sequence[Planted]) -> tuple[list[Planted], list[Planted]]:
    """Those whose fault exists, and those that still wait for theirs."""
    # The table holds this fault as well, so it is only there once everything is loaded.
    from tests.faults.table import FAULTS

    here = [one for one in planted if one.fault in FAULTS]
    return here, [one for one in planted if one not in here]


def _try(sound: Path, seed: int, planted: Planted) -> tuple[bool, str]:
    """Whether the bug was noticed; with the first sign of it, or why not."""
    with tempfile.TemporaryDirectory(dir=sound.parent) as place:
        copy, answer = Path(place) / "lamina", Path(place) / "answer.json"
        broken_copy(sound, copy, planted.edits)
        arguments = [str(PLANTED.index(planted)), str(seed), str(answer)]
        try:
            child = subprocess.run(
                [sys.executable, "-m", "tests.faults.mutants", *arguments],
                cwd=ROOT, env=environment(PYTHONPATH=place), capture_output=True, text=True,
                timeout=LONGEST, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False, "it never ended"
        if not answer.exists():
            return False, f"it did not run: {child.stderr[-1000:]}"
        return _verdict(planted, json.loads(answer.read_text(encoding="utf-8")), copy)


def _verdict(planted: Planted, answer: dict[str, list[str]], copy: Path) -> tuple[bool, str]:
    [source], violations = answer["source"], answer["violations"]
    if Path(source).resolve() != copy.resolve():
        return False, f"the copy was not used: {source}"
    if not violations:
        return False, "nobody noticed"
    broken = [line for line in violations for sign in NOT_A_FAILURE if sign in line]
    if broken:
        return False, f"it did not run: {broken[0]}"
    seen = [line for line in violations if re.search(planted.sign, line)]
    if not seen:
        return False, f"only something else was noticed: {violations[0]}"
    return True, seen[0][:200]


def main() -> None:
    """Run one bug's fault with whatever source is imported, and say what it found."""
    from tests.faults.table import FAULTS

    number, seed, answer = sys.argv[1:]
    planted = PLANTED[int(number)]
    run_fault = FAULTS[planted.fault].run
    if planted.operations:
        run_fault = partial(kills.run, operations=planted.operations)
    with tempfile.TemporaryDirectory() as folder:
        try:
            violations = run_fault(
                planted.size, int(seed), Path(folder), lambda *_: None
            ).violations
        except Exception as error:
            violations = [f"seed {seed}: {error!r}"]
    found = {"source": [str(Path(lamina.__file__).parent)], "violations": violations}
    Path(answer).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
