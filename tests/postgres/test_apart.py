"""What is above the stores cannot tell Postgres from SQLite: a little of it, the rest at length."""

import re

import pytest

from tests.meta.children import environment, run_python
from tests.meta.tree import ROOT
from tests.postgres.apart import APART
from tests.postgres.shared import server


@pytest.mark.parametrize("name", [name for names in APART.values() for name in names])
def test_what_is_left_out_is_there(name: str) -> None:
    file, _, test = name.partition("::")
    assert f"\ndef {test}" in (ROOT / file).read_text("utf-8")


def test_stores_in_directories_are_in_postgres_for_these_tests_and_their_processes() -> None:
    server()
    child = run_python(
        "-m", "pytest", "-p", "tests.postgres.shim", "-p", "no:xdist", "-p", "no:cacheprovider",
        "tests/layers/test_across_processes.py::test_what_has_run_out_wakes_nobody",
        "tests/layers/test_across_processes.py::test_a_signal_wakes_who_waits_in_another_process",
        "tests/layers/test_verbs.py::test_the_verbs_do_what_the_faces_do",
        "tests/layers/test_verbs.py::test_a_compaction_is_taken_back_whole",
        "tests/test_opening.py::test_a_truncated_store_is_refused",
        cwd=ROOT, env=environment(PYTEST_ADDOPTS=""),
    )  # fmt: skip
    assert child.returncode == 0, child.stdout + child.stderr
    assert re.search(r"^4 tests passed on Postgres", child.stdout, re.MULTILINE), child.stdout
    assert "1 left out: about a database file" in child.stdout
