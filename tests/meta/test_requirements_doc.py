"""docs/requirements.md lists every row once, and the tests it cites exist."""

import ast
import re

import pytest

from tests.meta.tree import ROOT, named_nodes, syntax

PAGE = ROOT / "docs" / "requirements.md"
LENGTHS = {"A": 15, "B": 14, "C": 10, "D": 21, "E": 17}
EXPECTED = [f"{letter}{n}" for letter, length in LENGTHS.items() for n in range(1, length + 1)]

ROW = re.compile(r"^\| ([A-E]\d+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
CITATION = re.compile(r"((?:tests|src/lamina/testing)/[\w/]+\.py)::((?:\w+::)?test_\w+)")
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))
STATES = {row: state for row, _, state in ROWS}


def test_every_row_is_there_once_and_in_order() -> None:
    assert [row for row, _, _ in ROWS] == EXPECTED


@pytest.mark.parametrize("row", EXPECTED)
def test_a_row_cites_a_test_or_says_not_yet(row: str) -> None:
    state = STATES[row]
    assert state.startswith("not yet") or CITATION.search(state), state


@pytest.mark.parametrize("row", EXPECTED)
def test_cited_tests_exist(row: str) -> None:
    state = STATES[row]
    citations = CITATION.findall(state)
    assert state.count("::test_") == len(citations), f"unreadable citation in {state!r}"
    for file, name in citations:
        path = ROOT / file
        assert path.is_file(), f"{row} cites {file}, which does not exist"
        functions = {
            dotted
            for dotted, node in named_nodes(syntax(path))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        wanted = name.replace("::", ".")
        assert wanted in functions, f"{row} cites {file}::{name}, which does not exist"
