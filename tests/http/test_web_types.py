"""The pages are compiled against what the server really answers."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lamina.surfaces.http.app import describe
from tools import web_types

SOURCES = Path("web/src")
CALLED = re.compile(
    r"(?P<call>get|send)<(?P<type>[^()]+?)>\(\s*(?:\"(?P<method>[A-Z]+)\",\s*)?(?:address\()?"
    r"(?:\"(?P<plain>/api/[^\"]*)\"|`(?P<filled>/api/[^`]*)`)"
)
RENAMED = re.compile(r"\b(\w+) as (\w+)\b")
NAMED = re.compile(r"export type (\w+) = schema\.(\w+);")


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return describe()


def calls() -> Iterator[tuple[str, str, str, str]]:
    """Where the pages ask: file, method, path, and what they take the answer for."""
    for file in sorted(SOURCES.rglob("*.ts*")):
        text = file.read_text(encoding="utf-8")
        called = {here: there for there, here in RENAMED.findall(text)}
        for one in CALLED.finditer(text):
            path = re.sub(r"\$\{[^}]*\}", "{}", one["plain"] or one["filled"])
            yield file.name, one["method"] or "GET", path, str(called.get(one["type"], one["type"]))


def fields(type_: str) -> dict[str, str]:
    """The fields of a type that is written out in place."""
    return dict(re.findall(r"(\w+): ([^;}]+?)\s*(?:;|\})", type_))


def test_the_types_of_the_pages_are_what_the_server_says(told: dict[str, Any]) -> None:
    written = web_types.FILE.read_text(encoding="utf-8")
    assert written == web_types.types_of(told), "run `make types`"


def test_every_call_names_what_its_route_answers_with(told: dict[str, Any]) -> None:
    answers = {
        (method, re.sub(r"\{[^}]*\}", "{}", path)): shape
        for (method, path), shape in web_types.answers_of(told).items()
    }
    own = dict(NAMED.findall("".join(one.read_text("utf-8") for one in SOURCES.rglob("types.ts"))))
    known = told["components"]["schemas"]
    asked = list(calls())
    assert len(asked) > 20
    for file, method, path, type_ in asked:
        answer = web_types.type_of(answers[method, path])
        wanted = {name: re.sub(r"\w+", lambda m: own.get(m[0], m[0]), one)
                  for name, one in fields(type_).items()}  # fmt: skip
        if not wanted:
            assert own.get(type_) == answer, (file, method, path, type_)
            continue
        shape = known.get(answer) or known[f"{answer}-Output"]
        given = {name: web_types.type_of(one) for name, one in shape["properties"].items()}
        assert wanted.items() <= given.items(), (file, method, path, given)
