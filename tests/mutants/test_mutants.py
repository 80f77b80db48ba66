"""Planted bugs are caught: each clause of the contract fails when the code breaks its promise."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

import pytest

from lamina.testing import DurableContract, ScrubbedContract, SharedContract, StoreContract
from tests.meta.children import environment, run_python
from tests.meta.tree import ROOT, SOURCE
from tests.mutants.copies import broken_copy, sound_copy
from tests.mutants.mutant import Mutant
from tests.mutants.table import MUTANTS, quick

CLAUSES = {
    name.removeprefix("test_")
    for contract in (StoreContract, DurableContract, SharedContract, ScrubbedContract)
    for name in dir(contract)
    if name.startswith("test_")
}
AT_ONCE = 2
AT_LEAST = 12
# What shows that the code did not even run, so that nothing was proved.
NOT_A_FAILURE = ("SyntaxError", "IndentationError", "ImportError", "NameError", "no tests ran")


def _chosen() -> list[Mutant]:
    return list(MUTANTS) if environment().get("LAMINA_MUTANTS") == "all" else quick()


def _verdict(mutant: Mutant, sound: Path, folder: Path) -> str:
    """Why the mutant does not count as caught; empty when it was."""
    source = folder / "lamina"
    broken_copy(sound, source, [(mutant.file, mutant.old, mutant.new)])
    try:
        child = run_python(
            "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=short",
            # Whether a clause fails is all that counts; to say it well takes longer than to run it.
            "--assert=plain", f"--basetemp={folder / 'tmp'}",
            f"tests/stores/test_contract.py::Test{mutant.store}::test_{mutant.clause}",
            cwd=ROOT, env=environment(PYTHONPATH=str(folder), PYTEST_ADDOPTS="", CI=""),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "it never ended"
    if child.returncode == 0:
        return "it survived"
    if str(source) not in child.stdout and "lamina/testing" not in child.stdout:
        return f"the copy was not used:\n{child.stdout}{child.stderr}"
    broken = [sign for sign in NOT_A_FAILURE if sign in child.stdout + child.stderr]
    if child.returncode != 1 or broken:
        return f"it did not run ({broken}):\n{child.stdout}{child.stderr}"
    return ""


def test_every_clause_has_a_mutant() -> None:
    assert {mutant.clause for mutant in MUTANTS} == CLAUSES
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.clause)
def test_a_mutant_changes_exactly_one_place(mutant: Mutant) -> None:
    text = (SOURCE / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1, mutant.old
    assert mutant.new != mutant.old


def test_the_quick_run_has_many_kinds() -> None:
    kinds = {mutant.kind for mutant in quick()}
    assert len(kinds) == len(quick()) >= AT_LEAST


@pytest.mark.timeout(900)
def test_planted_bugs_are_caught(tmp_path: Path) -> None:
    chosen = _chosen()
    sound = sound_copy(tmp_path / "sound")
    folders = [tmp_path / f"m{number}" for number in range(len(chosen))]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        verdicts = list(pool.map(_verdict, chosen, repeat(sound), folders))
    missed = {one.name: why for one, why in zip(chosen, verdicts, strict=True) if why}
    print(f"{len(chosen) - len(missed)} of {len(chosen)} planted bugs caught")
    assert not missed, "\n".join(f"{name}: {why}" for name, why in missed.items())
