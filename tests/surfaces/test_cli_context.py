"""`lamina context`: what a model would be told, how the budget went, and what did not come in."""

import json

import pytest

from tests.surfaces.shell import Call


@pytest.fixture
def told(lamina: Call) -> None:
    lamina("config", "set", "recall.embedder", "off")
    lamina("now", "Count the herons", "--project", "web", "--as", "finn")
    lamina("remember", "Herons nest by the river", "--project", "web")
    lamina("remember", "Herons are grey birds")


def test_a_person_sees_the_text_and_where_the_tokens_went(lamina: Call, told: None) -> None:
    found = lamina("context", "--project", "web", "--as", "finn", "where", "do", "herons", "nest?")
    assert found.status == 0
    lines = found.out.splitlines()
    assert "Objective: Count the herons" in found.out
    assert "Herons nest by the river" in found.out
    assert [one for one in lines if one.startswith("from everywhere") and "#" in one]
    assert "of 4,000 tokens" in found.out
    assert "Split 40/40/20 over task, project and global (setting)." in lines
    quiet = lamina("context", "--project", "web", "herons", "-q").out
    assert "tokens" not in quiet
    assert quiet.rstrip().endswith("===")


def test_a_program_gets_every_form(lamina: Call, told: None) -> None:
    asked = ("context", "--project", "web", "herons", "--split", "50/30/20", "--budget", "300")
    found = lamina(*asked, "--task", "t-1", "--json").json
    assert found["tokens"] <= found["budget"] == 300
    assert found["split"] == {
        "shares": {"task": 0.5, "project": 0.3, "global": 0.2}, "origin": "request"
    }  # fmt: skip
    assert {one["line"].rpartition("] ")[2] for one in found["entries"]} >= {
        "Herons nest by the river", "Herons are grey birds"
    }  # fmt: skip
    [message] = json.loads(lamina(*asked, "--format", "messages", "-q").out)
    assert message["role"] == "system"
    blocks = lamina(*asked, "--format", "blocks", "-q").out
    assert blocks.startswith("<memory marker=")
    assert blocks.rstrip().endswith("</memory>")


@pytest.mark.parametrize("wrong", [("--budget", "0"), ("--split", "half"), ("--task", "a b")])
def test_what_cannot_be_is_said_in_one_line(
    lamina: Call, told: None, wrong: tuple[str, str]
) -> None:
    found = lamina("context", "herons", *wrong)
    assert found.status == 2
    assert f"`{wrong[0][2:]}`" in found.err


def test_nothing_is_said_to_be_nothing(lamina: Call, told: None) -> None:
    assert "Nothing is remembered" in lamina("context", "--project", "empty", "zebras").out
