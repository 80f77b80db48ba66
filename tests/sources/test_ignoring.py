"""Ignore files mean what git reads in them."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.sources.ignoring import Rule, is_ignored, parse_rules
from tests.sources.ignored import CASES


def _verdict(files: dict[str, str], path: str) -> bool:
    """Walk down to a path as git does: what lies in an ignored folder is ignored."""
    rules: list[Rule] = []
    parts, here = path.rstrip("/").split("/"), ""
    for depth, part in enumerate(parts, start=1):
        rules += parse_rules(files.get(here, ""), here)
        here = f"{here}/{part}" if here else part
        is_folder = depth < len(parts) or path.endswith("/")
        if is_ignored(rules, here, is_folder=is_folder):
            return True
    return False


@pytest.mark.parametrize("title", CASES)
def test_a_pattern_means_what_git_reads_in_it(title: str) -> None:
    files, paths = CASES[title]
    assert {path: _verdict(files, path) for path in paths} == paths


@given(st.text(alphabet="ab*?[]!^\\/-: #.é", max_size=30), st.text(alphabet="ab/é]*", max_size=12))
def test_no_pattern_breaks_the_matcher(pattern: str, path: str) -> None:
    assert is_ignored(parse_rules(pattern), path, is_folder=True) in (True, False)


def test_a_hostile_pattern_is_not_tried_in_every_combination() -> None:
    rules = parse_rules("*a" * 30 + "b")
    assert not is_ignored(rules, "a" * 250, is_folder=False)
    rules = parse_rules("**/" * 60 + "b")
    assert not is_ignored(rules, "a/" * 40 + "c", is_folder=False)
    rules = parse_rules("**/" + "a/**/" * 13 + "zzz")
    assert not is_ignored(rules, "a/" * 60 + "c", is_folder=False)
    assert is_ignored(rules, "a/" * 60 + "zzz", is_folder=False)


_NAMES = st.sampled_from(["a", "b", "ab", "*", "a*", "?", "**", "**"])


def _by_the_book(pattern: list[str], path: list[str]) -> bool:
    """Every combination, as the manual of git tells it."""
    if not pattern or not path:
        return not pattern and not path
    first, *rest = pattern
    if first == "**" and not rest:
        return True
    if first == "**":
        return any(_by_the_book(rest, path[at:]) for at in range(len(path)))
    return fnmatchcase(path[0], first) and _by_the_book(rest, path[1:])


@given(
    st.lists(_NAMES, min_size=2, max_size=7),
    st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=7),
)
def test_stars_find_a_place_wherever_there_is_one(pattern: list[str], path: list[str]) -> None:
    rules = parse_rules("/".join(pattern))
    is_met = is_ignored(rules, "/".join(path), is_folder=True)
    assert is_met == _by_the_book(pattern, path)


def test_the_project_ignores_its_own_leavings() -> None:
    root = Path(__file__).resolve().parents[2]
    rules = parse_rules((root / ".gitignore").read_text(encoding="utf-8"))
    assert is_ignored(rules, "src/lamina/__pycache__", is_folder=True)
    assert is_ignored(rules, "src/x.pyc", is_folder=False)
    assert not is_ignored(rules, "src/lamina/memory.py", is_folder=False)
    assert not re.search(r"\.md", "".join(rule.pattern.pattern for rule in rules))
