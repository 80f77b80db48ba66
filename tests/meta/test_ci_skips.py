"""In continuous integration a skipped test fails with its reason; at a desk it stays skipped."""

from pathlib import Path

import pytest

from tests.meta.children import environment, run_python
from tests.meta.tree import TESTS

SAMPLE = """
import pytest

def test_that_skips():
    pytest.skip("no such service here")

@pytest.mark.xfail(reason="known", strict=True)
def test_that_is_known_to_fail():
    raise AssertionError
"""
SKIPPED_WHOLE = 'import pytest\npytest.skip("not on this system", allow_module_level=True)\n'


def _run(folder: Path, ci: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text((TESTS / "conftest.py").read_text("utf-8"), "utf-8")
    child = run_python(
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir=.", ".",
        cwd=folder, env=environment(CI=ci, PYTEST_ADDOPTS=""),
    )  # fmt: skip
    return child.returncode, child.stdout


@pytest.mark.parametrize(
    ("sample", "reason"),
    [(SAMPLE, "no such service here"), (SKIPPED_WHOLE, "not on this system")],
    ids=["one test", "whole module"],
)
def test_a_skip_fails_in_ci_only(tmp_path: Path, sample: str, reason: str) -> None:
    (tmp_path / "test_sample.py").write_text(sample, "utf-8")
    status, output = _run(tmp_path, ci="true")
    assert status not in {0, 5}, output
    assert f"skips count as failures in CI: Skipped: {reason}" in output
    status, output = _run(tmp_path, ci="")
    assert status in {0, 5}, output
    assert "1 skipped" in output
