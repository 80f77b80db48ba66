"""Ignore files mean what git reads in them."""

import re
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


def test_the_project_ignores_its_own_leavings() -> None:
    root = Path(__file__).resolve().parents[2]
    rules = parse_rules((root / ".gitignore").read_text(encoding="utf-8"))
    assert is_ignored(rules, "src/lamina/__pycache__", is_folder=True)
    assert is_ignored(rules, "src/x.pyc", is_folder=False)
    assert not is_ignored(rules, "src/lamina/memory.py", is_folder=False)
    assert not re.search(r"\.md", "".join(rule.pattern.pattern for rule in rules))
