"""Settings take what they list and nothing else; without a choice, the default holds."""

import pytest

from lamina.core.settings import SETTINGS, check_setting, effective, setting_named
from lamina.errors import InvalidInputError


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_has_a_meaning_and_a_default_among_its_choices(name: str) -> None:
    setting = setting_named(name)
    assert setting.meaning
    assert setting.default in setting.choices
    assert len(set(setting.choices)) == len(setting.choices)
    assert len(setting.choices) >= 2 or setting.form or setting.meaning.endswith("; fixed")
    assert bool(setting.form) == (setting.check is not None)
    assert all(choice in setting.possible for choice in setting.choices)
    for choice in setting.choices:
        assert check_setting(name, choice) == choice


@pytest.mark.parametrize("value", ["", "On", " on", "true", "1", "x" * 10_000])
def test_a_value_that_is_not_listed_is_refused(value: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_setting("secrets.seal", value)
    assert "on, off" in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "name", ["", "nope", "secrets", "index_version", "Secrets.seal", "a" * 999]
)
def test_an_unknown_setting_is_refused_with_the_list(name: str) -> None:
    with pytest.raises(InvalidInputError, match="knowledge.accept"):
        check_setting(name, "on")


@pytest.mark.parametrize("name", SETTINGS)
def test_a_value_that_is_no_text_is_refused(name: str) -> None:
    for value in (5, None, True, ["all"]):
        with pytest.raises(InvalidInputError, match=name):
            check_setting(name, value)  # type: ignore[arg-type]


def test_the_defaults_are_the_safe_choices() -> None:
    found = effective({})
    safe = {
        "knowledge.accept": "auto",
        "knowledge.ties": "newest",
        "secrets.seal": "on",
        "events.reads": "off",
        "recall.embedder": "lamina",
        "recall.floor": "auto",
        "recall.use": "on",
        "stale.half_life_days": "90",
        "recall.engine": "builtin",
        "project.partition_at": "1000000",
        "files.live": "off",
        "clock.accept": "none",
        "receipts.keep": "30d",
        "index.max_bytes": "1000000",
        "recall.provider": "hybrid",
        "memory.path": "[projects/<project>/]agents/<agent>/MEMORY.md",
        "memory.max_chars": "50000",
        "session.path": "[projects/<project>/]agents/<agent>/sessions/",
        "session.retain_days": "30",
        "episode.retain_days": "30",
        "compaction.threshold_tokens": "100000",
        "compaction.keep_recent": "10",
        "flush.enabled": "on",
        "flush.threshold_tokens": "80000",
        "log.auto": "on",
        "log.tail": "20",
        "log.compact_bytes": "50000",
        "log.compact_entries": "100",
        "project.max_items": "1000",
        "promotion.auto": "off",
        "promotion.agents": "3",
        "context.split": "40/40/20",
        "context.learn": "off",
        "context.keep_tool_results": "5",
        "model.url": "off",
        "model.name": "off",
        "model.key_env": "LAMINA_MODEL_KEY",
        "model.timeout_seconds": "120",
        "model.tokens_per_day": "2000000",
        "model.tokens_per_job": "500000",
        "compaction.summary": "extracted",
        "propose.facts": "off",
        "propose.lessons": "off",
    }
    assert {name: value for name, value in found.items() if not name.startswith("history.")} == safe
    assert found["history.knowledge"] == found["history.fact"] == "all"


def test_a_choice_replaces_the_default_and_strangers_are_left_out() -> None:
    found = effective({"knowledge.ties": "review", "index_version": "x"})
    assert found["knowledge.ties"] == "review"
    assert set(found) == set(SETTINGS)
