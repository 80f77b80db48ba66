"""In continuous integration a skipped test fails with its reason; at a desk it stays skipped."""

from pathlib import Path

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
        "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir=.",
        "--continue-on-collection-errors", ".",
        cwd=folder, env=environment(CI=ci, PYTEST_ADDOPTS=""),
    )  # fmt: skip
    return child.returncode, child.stdout


def test_a_skip_fails_in_ci_only(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(SAMPLE, "utf-8")
    (tmp_path / "test_whole.py").write_text(SKIPPED_WHOLE, "utf-8")
    status, output = _run(tmp_path, ci="true")
    assert status == 1, output
    for reason in ("no such service here", "not on this system"):
        assert f"skips count as failures in CI: Skipped: {reason}" in output
    assert "1 failed, 1 xfailed, 1 error" in output
    status, output = _run(tmp_path, ci="")
    assert status == 0, output
    assert "2 skipped, 1 xfailed" in output
