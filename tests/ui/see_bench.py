"""`lamina bench ui` in small: every figure is there."""

import json
import subprocess
import sys
from pathlib import Path

from tests.bench.test_write import disk

__all__ = ["disk"]

# A process of its own, which drives a browser of its own, and finds what drives it where this does.
RUN = "import sys; sys.path[:] = {}; from lamina.surfaces.cli.main import main; main({})"


def test_every_figure_is_there(disk: Path) -> None:
    asked = ["--dir", str(disk), "--json", "bench", "ui", "--records", "2000", "--rounds", "1"]
    code = RUN.format(sys.path, [*asked, "--embedder", "off"])
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    found = json.loads(told.stdout)
    assert 0 < found["first_load"]["js"] <= 60_000
    assert found["opened"]["meaningful"]["p50_ms"] >= found["opened"]["first_paint"]["p50_ms"] > 0
    assert found["typed"]["letters"] > 5
    assert found["scrolled_frames_per_second"] > 0
