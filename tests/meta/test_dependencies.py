"""The core stays small, and every package it pulls in is accounted for."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.meta.tree import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in (
        "requirements.lock", "requirements-serve.lock", "tests/conformance/requirements.lock",
        "tests/ui/requirements.lock",
    )
}  # fmt: skip
EXTRAS = PROJECT["project"]["optional-dependencies"]
GROUPS = PROJECT["dependency-groups"]
DECISION = ROOT / "docs" / "decisions" / "0001-dependencies.md"
AT_MOST = 20


def _needed_by(name: str, extras: set[str]) -> Iterator[Requirement]:
    for line in requires(name) or []:
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def _reachable(root: str) -> set[str]:
    """The canonical names of everything installing `root` installs here, itself left out."""
    found: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(root)]
    while waiting:
        requirement = waiting.pop()
        entry = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if entry not in found:
            found.add(entry)
            waiting.extend(_needed_by(requirement.name, requirement.extras))
    return {name for name, _ in found} - {canonicalize_name(root)}


def test_the_core_needs_few_packages() -> None:
    packages = _reachable("lamina")
    assert 0 < len(packages) <= AT_MOST, sorted(packages)


def test_the_installed_package_declares_what_pyproject_declares() -> None:
    declared = {Requirement(line) for line in PROJECT["project"]["dependencies"]}
    assert set(_needed_by("lamina", set())) == declared


def test_every_package_is_accounted_for() -> None:
    rows = re.findall(r"^\| ([a-z][\w.-]*) \|", DECISION.read_text(encoding="utf-8"), re.MULTILINE)
    unexplained = _reachable("lamina") - {canonicalize_name(row) for row in rows}
    assert not unexplained, f"add a row to {DECISION.name} for each of {sorted(unexplained)}"


@pytest.mark.parametrize(
    ("lock", "group"), [("requirements.lock", "dev"), ("requirements-serve.lock", "serve")]
)
def test_a_lock_satisfies_pyproject(lock: str, group: str) -> None:
    locked = _locked(lock)
    wanted = [*PROJECT["project"]["dependencies"], *EXTRAS["server"], *EXTRAS["mcp"]]
    wanted += [line for line in GROUPS[group] if isinstance(line, str)]
    for requirement in map(Requirement, wanted):
        if requirement.name == "lamina":
            continue
        version = locked.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement} is not locked; run `make lock`"
        assert requirement.specifier.contains(version), f"{requirement} but locked at {version}"


@pytest.mark.parametrize("lock", [name for name in LOCKS if name != "requirements.lock"])
def test_locks_agree(lock: str) -> None:
    whole = _locked("requirements.lock")
    shared = {name: version for name, version in _locked(lock).items() if name in whole}
    assert shared.items() <= whole.items()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes_and_nothing_names_an_index(lock: str) -> None:
    entries = re.split(r"^(?=[\w.-]+==)", LOCKS[lock], flags=re.MULTILINE)[1:]
    assert entries
    assert all("--hash=sha256:" in entry for entry in entries)
    options = re.findall(r"^\s*(-{1,2}[a-z-]+)", LOCKS[lock], re.MULTILINE)
    assert set(options) == {"--hash"}
    assert "://" not in LOCKS[lock]


def _locked(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([\w.!+]+)", LOCKS[lock], re.MULTILINE))
