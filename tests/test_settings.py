"""Settings: what the store chooses, what one process may say otherwise, and who reads them."""

import re
from pathlib import Path

import pytest

import lamina
from lamina import config, files
from lamina.core import settings
from lamina.errors import InvalidInputError
from tests.meta.tree import ROOT, SOURCE, python_files
from tests.places import STORES, where

CONSTANTS = {
    value: name
    for name, value in vars(settings).items()
    if isinstance(value, str) and value in settings.SETTINGS
}


def _readers(name: str) -> list[str]:
    """The modules that speak of a setting, by its constant or by its name."""
    constant = CONSTANTS.get(name, "(?!)")
    wanted = re.compile(
        rf'"{re.escape(name)}"|\bsettings\.{constant}\b'
        rf"|from lamina\.core\.settings import (\([^)]*|.*)\b{constant}\b"
    )
    return [
        path.name
        for path in python_files(SOURCE)
        if path.name != "settings.py" and wanted.search(path.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(
    "name", [name for name in settings.SETTINGS if not name.startswith("history.")]
)
def test_a_setting_is_read(name: str) -> None:
    assert settings.SETTINGS[name].is_fixed or _readers(name)


@pytest.mark.parametrize(
    "name", [name for name in settings.SETTINGS if not name.startswith("history.")]
)
def test_the_guide_tells_what_is_true_of_a_setting(name: str) -> None:
    setting = settings.SETTINGS[name]
    guide = (ROOT / "docs" / "guides" / "using-lamina.md").read_text(encoding="utf-8")
    assert f"`{name}`" in guide
    rows = [line.split("|") for line in guide.splitlines() if re.match(rf"\|.*\| `{name}`", line)]
    for _, _, _, default, per_process, fixed, _ in rows:
        assert setting.default in default
        assert (per_process.strip() == "yes") == setting.per_process
        assert (fixed.strip() == "fixed") == setting.is_fixed


@pytest.mark.parametrize("place", STORES)
def test_a_choice_holds_until_it_is_taken_back(place: str, tmp_path: Path) -> None:
    with lamina.open(where(place, tmp_path / "store")) as mem:
        mem.configure("log.tail", "007")
        assert mem.settings()["log.tail"] == "7"
        mem.configure("log.tail", None)
        assert mem.settings()["log.tail"] == "20"
        with pytest.raises(InvalidInputError, match="not a setting"):
            mem.configure("beauty", None)


@pytest.mark.parametrize("place", STORES)
def test_the_tail_of_a_log_is_as_long_as_the_setting_says(place: str, tmp_path: Path) -> None:
    with lamina.open(where(place, tmp_path / "store")) as mem:
        finn = mem.agent("finn", project="web")
        for number in range(25):
            finn.log.thought(f"thought {number}")
        assert len(finn.log.tail()) == 20
        mem.configure("log.tail", "3")
        assert [entry.text for entry in finn.log.tail()] == [f"thought {n}" for n in (22, 23, 24)]
        assert len(finn.log.tail(5)) == 5


@pytest.mark.parametrize("place", STORES)
def test_recall_by_keyword_asks_for_no_vectors(place: str, tmp_path: Path) -> None:
    with lamina.open(where(place, tmp_path / "store")) as mem:
        web = mem.project("web")
        web.remember("The physician examined the patient")
        web.remember("Invoices go out on Fridays")
        assert "meaning" in web.recall("what did the doctor do?").hits[0].parts
        mem.configure("recall.provider", "keyword")
        found = web.recall("physician patient").hits
        assert [hit.record.text for hit in found] == ["The physician examined the patient"]
        assert "meaning" not in found[0].parts
        asked = web.recall("what did the doctor do?")
        assert (asked.abstained, asked.degraded) == (True, ())


def test_one_process_may_say_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lamina.open(tmp_path) as store:
        store.configure("log.tail", "9")
        monkeypatch.setenv("LAMINA_LOG_TAIL", "4")
        with lamina.open(tmp_path, project="web") as mem:
            assert mem.settings()["log.tail"] == "4"
            assert mem.agent("finn", project="web").settings()["log.tail"] == "4"
        assert store.settings()["log.tail"] == "9"
    (tmp_path / "config.toml").write_text('[log]\ntail = 6\n[recall]\nprovider = "keyword"\n')
    with lamina.open(tmp_path) as mem:
        assert (mem.settings()["log.tail"], mem.settings()["recall.provider"]) == ("4", "keyword")
        assert mem.store.settings()["log.tail"] == "9"


def test_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[log]\ntail = 6\nauto = false\n")
    found = config.load_settings(tmp_path, {"LAMINA_LOG_TAIL": "4", "LAMINA_FLUSH_ENABLED": "off"})
    assert {name: one.value for name, one in found.items()} == {
        "log.tail": "4", "log.auto": "off", "flush.enabled": "off",
    }  # fmt: skip
    assert found["log.tail"].origin == "LAMINA_LOG_TAIL"
    assert config.load_settings(None, {"LAMINA_LOG_TAIL": " "}) == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("log.tail", "0"),
        ("log.tail", "10001"),
        ("log.tail", "-1"),
        ("log.tail", "٣"),
        ("log.tail", "9" * 5000),
        ("context.split", "40/40/21"),
        ("context.split", "100"),
        ("context.split", "-10/60/50"),
        ("context.split", "a/b/c"),
        ("episode.retain_days", "0"),
        ("flush.enabled", "true"),
        ("recall.provider", "fts5"),
        ("memory.path", "/etc/passwd"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(name: str, value: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(f"`{name}` cannot be")):
        settings.check_setting(name, value)


def test_values_are_kept_in_one_form() -> None:
    assert settings.check_setting("log.tail", "0042") == "42"
    assert settings.check_setting("context.split", "50/030/20") == "50/30/20"
    assert settings.check_setting("session.retain_days", "all") == "all"


def test_memory_as_a_file_is_no_longer_than_the_setting_says(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as mem:
        for number in range(30):
            mem.project("web").remember(f"convention {number}", kind="convention", importance=0.5)
        mem.project("web").remember("the weightiest", kind="convention", importance=1.0)
        mem.configure("memory.max_chars", "200")
        files.sync(mem, tmp_path / "files")
        text = (tmp_path / "files" / "projects" / "web" / "MEMORY.md").read_text()
        shown = [line for line in text.splitlines() if line.startswith("- ")]
        assert "the weightiest" in text
        assert sum(map(len, shown)) <= 200
        assert 0 < len(shown) < 31


@pytest.mark.parametrize("place", STORES)
def test_a_projects_tier_holds_what_the_setting_says(place: str, tmp_path: Path) -> None:
    with lamina.open(where(place, tmp_path / "store")) as mem:
        tier = mem.project("web").project_tier
        assert tier.max_items == 1_000
        mem.configure("project.max_items", "2")
        added = [tier.add_pattern(f"pattern {number}", "x").eviction for number in range(3)]
        assert [one is not None for one in added] == [False, False, True]
        assert tier(max_items=5).max_items == 5


def test_a_number_that_nobody_can_write_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(f"log.tail = 0x{'F' * 6000}\n")
    with pytest.raises(InvalidInputError, match=r"`log\.tail` cannot be"):
        config.load_settings(tmp_path, {})
