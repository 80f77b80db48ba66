"""Builds `.venv` from a lock, checked by hash; nothing but the standard library.

`setup.py` takes `requirements.lock`, which holds everything that development needs. `setup.py
serve` is content with `requirements-serve.lock`: what a server needs, and there sooner.

The stamp remembers what `.venv` was built from. When interpreter, folder or lock differ, it is
built anew, so that nothing left over can hide a missing dependency; when only `pyproject.toml`
differs, the package is installed again. Otherwise there is nothing to do.
"""

import compileall
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VENV = Path(".venv")
STAMP = VENV / ".lamina-stamp"
PYTHON = VENV / "bin" / "python"
PIP = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check"]
WHOLE = "requirements.lock"
SERVE = "requirements-serve.lock"


def main() -> None:
    """Bring `.venv` up to date."""
    if sys.version_info < (3, 11):
        sys.exit(
            f"Lamina needs Python 3.11 or newer; this is {sys.version.split()[0]}.\n"
            "Name a newer one: make setup PYTHON=python3.12"
        )
    # Whoever has everything has what a server needs.
    enough = (SERVE, WHOLE) if sys.argv[1:] == ["serve"] else (WHOLE,)
    package = _digest("", "", "pyproject.toml")
    built = STAMP.read_text().split() if STAMP.exists() and PYTHON.exists() else ["", ""]
    environment = next((one for one in map(_environment, enough) if one == built[0]), "")
    if not environment:
        _build(enough[0])
        environment = _environment(enough[0])
    if built != [environment, package]:
        STAMP.unlink(missing_ok=True)
        print("Installing lamina from this folder ...")
        _pip("install", "--no-deps", "--no-build-isolation", "--editable", ".")
        STAMP.write_text(f"{environment}\n{package}\n")
        print("Ready.")
    # Commands start twice as slowly from bare source, where Python may not cache it by itself.
    # Tests start hundreds of processes of their own.
    for folder in ("src", "tests") if environment == _environment(WHOLE) else ("src",):
        compileall.compile_dir(folder, quiet=2)


def _environment(lock: str) -> str:
    return _digest(str(sys.version_info[:2]), os.path.realpath("."), lock)


def _build(lock: str) -> None:
    if not all(importlib.util.find_spec(name) for name in ("ensurepip", "venv")):
        sys.exit(
            f"{sys.executable} cannot make virtual environments: ensurepip or venv is missing.\n"
            "Debian, Ubuntu: apt install python3-venv. Elsewhere: use a Python from python.org,\n"
            "Homebrew, pyenv or conda, and name it: make setup PYTHON=/path/to/python3"
        )
    print(f"Building .venv with Python {sys.version.split()[0]} ...")
    shutil.rmtree(VENV, ignore_errors=True)
    # The interpreter behind an activated environment, which may be the one just removed.
    base = getattr(sys, "_base_executable", "") or sys.executable
    subprocess.run([base, "-m", "venv", str(VENV)], check=True)
    print(f"Installing what {lock} names (half a minute or so) ...")
    _install(lock)


def _install(lock: str) -> None:
    """Install what the lock names, in two halves at once: one would keep a single core busy.

    The lock names everything that anything needs, so neither half looks for more; that nothing is
    missing is checked at the end.
    """
    with tempfile.TemporaryDirectory() as folder:
        halves = [Path(folder, f"{number}.txt") for number in range(2)]
        for half, text in zip(halves, _halves(Path(lock).read_text(encoding="utf-8")), strict=True):
            half.write_text(text, encoding="utf-8")
        once = ("--require-hashes", "--no-deps", "--no-compile", "--requirement")
        children = [subprocess.Popen([*PIP, "install", *once, str(half)]) for half in halves]
        statuses = [child.wait() for child in children]
    if any(statuses):
        sys.exit(max(statuses))
    _pip("check")
    libraries = "import sysconfig as s; print(s.get_path('purelib'))"
    found = subprocess.run([str(PYTHON), "-c", libraries], check=True, capture_output=True)
    compileall.compile_dir(os.fsdecode(found.stdout.strip()), quiet=2, workers=0)


def _halves(lock: str) -> tuple[str, str]:
    """The lock's requirements, each with its hashes, in two piles; the two largest lie apart."""
    first, second = [], []
    for entry in re.split(r"^(?=\w)", lock, flags=re.MULTILINE)[1:]:
        name = entry.split("==")[0]
        smaller = first if len(first) <= len(second) else second
        {"lancedb": first, "pyarrow": second}.get(name, smaller).append(entry)
    return "".join(first), "".join(second)


def _pip(*arguments: str) -> None:
    done = subprocess.run([*PIP, *arguments], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def _digest(version: str, folder: str, name: str) -> str:
    parts = (version.encode(), os.fsencode(folder), Path(name).read_bytes())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


if __name__ == "__main__":
    main()
