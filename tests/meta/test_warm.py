"""What the guides are run with does what the program does."""

import subprocess
from pathlib import Path

from tests.meta.children import environment
from tests.meta.warming import warm_scripts

SCRIPT = """
lamina recall tea
echo "status $?"
printf 'grüner Tee' | LAMINA_PROJECT=web lamina remember - --key tea --json | cut -c 1-6
mkdir inside && cd inside
lamina --project web get tea --json | grep -o '"text": "[^"]*"'
LAMINA_DIR=../elsewhere lamina list
echo "status $?"
lamina --project web fact set a b | head -c 0
"""


def _said(folder: Path, path: str) -> tuple[str, str]:
    env = environment(HOME=str(folder), LAMINA_DIR="", LAMINA_PROJECT="")
    env["PATH"] = f"{path}:{env['PATH']}"
    done = subprocess.run(
        ["bash", "-c", SCRIPT],
        cwd=folder, env=env, capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    return done.stdout.replace(str(folder), ""), done.stderr.replace(str(folder), "")


def test_a_warm_lamina_says_what_a_cold_one_says(tmp_path: Path) -> None:
    (tmp_path / "cold").mkdir()
    (tmp_path / "warm").mkdir()
    warm = _said(tmp_path / "warm", str(warm_scripts()))
    assert warm == _said(tmp_path / "cold", str(tmp_path / "none"))
    assert "status 3" in warm[0]
    assert "grüner Tee" in warm[0]
