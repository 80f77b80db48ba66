"""`lamina config`: what holds, where it came from, and how it is changed."""

from pathlib import Path
from typing import Any

import pytest

from lamina.core.settings import SETTINGS
from tests.surfaces.shell import Call

DEFAULTS = {
    "memory.path": "[projects/<project>/]agents/<agent>/MEMORY.md",
    "memory.max_chars": "50000",
    "session.path": "[projects/<project>/]agents/<agent>/sessions/",
    "session.retain_days": "30",
    "compaction.threshold_tokens": "100000",
    "compaction.keep_recent": "10",
    "flush.enabled": "on",
    "flush.threshold_tokens": "80000",
    "recall.provider": "hybrid",
    "recall.embedder": "lamina",
    "context.keep_tool_results": "5",
    "log.auto": "on",
    "log.tail": "20",
    "log.compact_bytes": "50000",
    "log.compact_entries": "100",
    "episode.retain_days": "30",
    "project.max_items": "1000",
    "context.split": "40/40/20",
}


def _rows(lamina: Call) -> dict[str, Any]:
    return {row["name"]: row for row in lamina("config", "show", "--json").json["settings"]}


@pytest.mark.usefixtures("store")
def test_every_setting_of_the_designs_has_its_default(lamina: Call) -> None:
    rows = _rows(lamina)
    assert {name: rows[name]["value"] for name in DEFAULTS} == DEFAULTS
    assert set(rows) == set(SETTINGS)
    assert {row["origin"] for row in rows.values()} == {"default"}


def test_each_value_says_where_it_came_from(
    lamina: Call, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (store / "config.toml").write_text(
        'project = "web"\n[log]\nauto = false\ntail = 7\n[recall]\nfloor = 0.5\n'
    )
    monkeypatch.setenv("LAMINA_LOG_TAIL", "5")
    monkeypatch.setenv("LAMINA_OPENAI_KEY", "a key that nobody sees")
    monkeypatch.setenv("LAMINA_OLLAMA_URL", "http://me:tangerine@box:1")
    lamina("config", "set", "knowledge.ties", "review")
    rows, file = _rows(lamina), str(store / "config.toml")
    found = {name: (row["value"], row["origin"]) for name, row in rows.items()}
    assert found["log.tail"] == ("5", "LAMINA_LOG_TAIL")
    assert found["log.auto"] == ("off", file)
    assert found["recall.floor"] == ("0.5", file)
    assert found["knowledge.ties"] == ("review", "store")
    assert found["secrets.seal"] == ("on", "default")
    shown = lamina("config", "--json").json
    assert shown["directory"] == {"value": str(store), "origin": "command line"}
    assert shown["project"] == {"value": "web", "origin": file}
    services = {one["name"]: (one["value"], one["origin"]) for one in shown["services"]}
    assert services["openai.key"] == ("set", "LAMINA_OPENAI_KEY")
    assert services["ollama.url"] == ("http://…@box:1", "LAMINA_OLLAMA_URL")
    assert services["embed.timeout"] == ("30", "default")
    table = lamina("config").out
    assert "log.tail\t5\tLAMINA_LOG_TAIL\t" in table
    assert "a key that nobody sees" not in table
    assert "tangerine" not in table


def test_a_choice_is_made_and_taken_back(lamina: Call, store: Path) -> None:
    assert store.is_dir()
    assert lamina("config", "set", "log.tail", "3").out == "3\n"
    assert lamina("config", "get", "log.tail", "--json").json["origin"] == "store"
    for number in range(5):
        lamina("log", "add", f"thought {number}")
    assert len(lamina("log").out.splitlines()) == 3
    assert lamina("config", "unset", "log.tail").out == "20\n"
    assert lamina("config", "get", "log.tail", "--json").json["origin"] == "default"
    assert len(lamina("log").out.splitlines()) == 5
    assert lamina("config", "unset", "log.tail").status == 0


@pytest.mark.usefixtures("store")
def test_only_the_owner_of_the_store_changes_settings(lamina: Call) -> None:
    for arguments in (("set", "knowledge.ties", "review"), ("unset", "knowledge.ties")):
        assert lamina("--as", "finn", "config", *arguments).status == 4
    assert lamina("config", "get", "knowledge.ties").out == "newest\n"


@pytest.mark.usefixtures("store")
def test_who_changes_what_something_else_overrides_is_told(
    lamina: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_LOG_TAIL", "5")
    changed = lamina("config", "set", "log.tail", "3")
    assert changed.out == "5\n"
    assert "LAMINA_LOG_TAIL" in changed.err
    monkeypatch.delenv("LAMINA_LOG_TAIL")
    assert lamina("config", "get", "log.tail").out == "3\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('beauty = "1"', "is no setting"),
        ("[log]\nlength = 3", "is no setting"),
        ("[log]\ntail = 0", "log.tail"),
        ('[secrets]\nseal = "off"', "is for the store to say"),
        ('[recall]\nembedder = "openai:x"', "is for the store to say"),
        ("project = 3", "project"),
        ("[log", "cannot be read"),
        ("[[log]]\ntail = 3", "is no setting"),
    ],
)
def test_a_file_says_only_what_it_may(text: str, told: str, lamina: Call, store: Path) -> None:
    (store / "config.toml").write_text(text)
    for command in (("list",), ("config",)):
        refused = lamina(*command)
        assert (refused.status, refused.out) == (2, "")
        assert told in refused.err


@pytest.mark.parametrize("name", ["LAMINA_SECRETS_SEAL", "LAMINA_RECALL_EMBEDDER"])
@pytest.mark.usefixtures("store")
def test_the_environment_does_not_choose_for_the_store(
    name: str, lamina: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "off")
    refused = lamina("list")
    assert refused.status == 2
    assert f"`{name}` is for the store to say" in refused.err
    assert "lamina config set" in refused.err


def test_a_wrong_variable_is_named(lamina: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAMINA_RECALL_PROVIDER", "fts5")
    refused = lamina("remember", "x")
    assert refused.status == 2
    assert "`LAMINA_RECALL_PROVIDER`" in refused.err
    assert "hybrid, keyword" in refused.err


def test_init_keeps_what_the_file_says(lamina: Call, store: Path) -> None:
    (store / "config.toml").write_text("[log]\ntail = 3\n")
    assert lamina("init", "--project", "web").status == 0
    assert lamina("config", "get", "log.tail").out == "3\n"
    assert lamina("config", "--json").json["project"]["value"] == "web"


@pytest.mark.usefixtures("store")
def test_a_part_of_the_settings_is_shown_by_how_they_are_called(lamina: Call) -> None:
    shown = [row.split("\t")[0] for row in lamina("config", "show", "log.").out.splitlines()]
    assert shown == [name for name in SETTINGS if name.startswith("log.")]
    rows = lamina("config", "show", "log.", "--json").json
    assert [row["name"] for row in rows["settings"]] == shown
    assert "No setting is called 'logs'" in lamina("config", "show", "logs").err
