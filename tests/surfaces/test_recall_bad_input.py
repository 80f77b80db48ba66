"""Whatever is asked means what it says or is refused, and the same on every surface."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lamina as package
from lamina.errors import LaminaError
from lamina.memory import Memory
from lamina.surfaces import wire
from tests.surfaces.shell import Call

ODD = {
    "empty": "",
    "blank": "   ",
    "punctuation": "?!... --- '\"()[]{}",
    "long": "tea " * 25_000,
    "one long word": "t" * 100_000,
    "operators": 'tea AND NOT (kettle OR "heron") NEAR/3 ^tea* -river text:tea',
    "unbalanced": '"tea ((',
    "NUL": "tea\0kettle",
    "markup": "[bold]tea[/bold] \x1b[2J",
    "only NUL": "\0",
    "emoji": "🦦" * 50,
    "numbers": "1" * 5000,
}
LITERALLY_NOTHING = {"empty", "blank", "punctuation", "only NUL"}


@pytest.fixture
def memories(store: Path) -> Path:
    """A project with something to find, and another that is nobody else's business."""
    with package.open(store) as mem:
        # Asked twice on two surfaces, the second would tell that there was a first.
        mem.configure("recall.use", "off")
        web, api = mem.project("web"), mem.project("api")
        web.remember("Ann drinks tea from a kettle", key="tea")
        web.remember("The heron stands in the river", key="heron")
        for number in range(5):
            api.remember(f"the tea of the other project, cup {number}", key=f"cup-{number}")
    return store


def library(store: Path, ask: Callable[[Memory], Any]) -> Any:
    with package.open(store) as mem:
        try:
            return ask(mem.project("web"))
        except LaminaError as error:
            return wire.error_out(error)


def lasting(answer: Any) -> Any:
    return {name: value for name, value in answer.items() if name != "took_ms"}


@pytest.mark.parametrize("name", ODD)
def test_odd_questions_are_taken_literally(name: str, memories: Path, lamina: Call) -> None:
    query = ODD[name]
    answer = lamina("--project", "web", "recall", "--json", "--", query)
    assert answer.status == 0
    texts = [hit["record"]["text"] for hit in answer.json["hits"]]
    assert not any("other project" in text for text in texts)
    if name in LITERALLY_NOTHING:
        assert (texts, answer.json["doubtful"]) == ([], 0)
    found = library(memories, lambda mem: wire.recall_out(mem.recall(query)))
    assert lasting(answer.json) == lasting(json.loads(json.dumps(found)))


def test_operators_are_words(memories: Path) -> None:
    with package.open(memories) as mem:
        web = mem.project("web")
        for query in ("NOT tea", "tea -kettle", "tea AND heron"):
            assert any(hit.record.key == "tea" for hit in web.recall(query, floor=0.0).hits)


WRONG: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "k -1": (("-k", "-1"), {"k": -1}),
    "k 0": (("-k", "0"), {"k": 0}),
    "k too large": (("-k", "1000000000"), {"k": 10**9}),
    "k no number": (("-k", "many"), {"k": "many"}),
    "layer": (("--layer", "attic"), {"layers": ["attic"]}),
    "floor 2": (("--floor", "2"), {"floor": 2}),
    "floor -1": (("--floor", "-1"), {"floor": -1}),
    "floor nan": (("--floor", "nan"), {"floor": float("nan")}),
    "floor words": (("--floor", "high"), {"floor": "high"}),
    "diversity": (("--diversity", "7"), {"diversity": 7}),
    "budget": (("--budget", "0"), {"budget": 0}),
    "budget -1": (("--budget", "-1"), {"budget": -1}),
    "now": (("--now", "tomorrow"), {"now": "tomorrow"}),
    "now empty": (("--now", ""), {"now": ""}),
    "where field": (("--where", '{"beauty": 1}'), {"where": {"beauty": 1}}),
    "where list": (("--where", "[1]"), {"where": [1]}),
    "where operator": (
        ("--where", '{"kind": {"$like": "x"}}'),
        {"where": {"kind": {"$like": "x"}}},
    ),
    "as of": (("--as-of", "someday"), {"as_of": "someday"}),
    "scope": (("--scope", "nonsense"), {"scope": "nonsense"}),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("command", [("recall",), ("why-not", "tea")])
def test_wrong_options_are_refused_alike(
    name: str, command: tuple[str, ...], memories: Path, lamina: Call
) -> None:
    flags, options = WRONG[name]
    answer = lamina("--project", "web", *command, "tea", *flags)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("Error: ")
    assert len(answer.err.splitlines()) <= 2
    as_json = lamina("--project", "web", *command, "tea", *flags, "--json")
    assert as_json.json["error"]["code"] == "invalid_input"
    ask = (
        (lambda mem: mem.recall("tea", **options))
        if command == ("recall",)
        else (lambda mem: mem.why_not("tea", "tea", **options))
    )
    assert library(memories, ask)["error"]["code"] == "invalid_input"


@pytest.mark.parametrize("where", ["{", "tea", "NaN", '{"kind": 1, "kind": 2}', ""])
def test_a_filter_that_is_no_json_is_refused(where: str, memories: Path, lamina: Call) -> None:
    answer = lamina("recall", "tea", "--where", where)
    assert (answer.status, answer.out) == (2, "")
    assert "--where" in answer.err


def test_a_scope_that_one_may_not_see_gives_nothing_away(memories: Path, lamina: Call) -> None:
    finn = ("--project", "web", "--as", "finn")
    hidden = lamina(*finn, "recall", "tea", "--scope", "project/api", "--floor", "0", "--json")
    missing = lamina(*finn, "recall", "tea", "--scope", "project/void", "--floor", "0", "--json")
    assert lasting(hidden.json) == lasting(missing.json)
    assert "cup" not in hidden.out
    here = lasting(lamina(*finn, "recall", "tea", "--floor", "0", "--json").json)
    with package.open(memories) as mem:
        for number in range(5):
            mem.project("api").forget(f"cup-{number}")
    assert lasting(lamina(*finn, "recall", "tea", "--floor", "0", "--json").json) == here
