"""How much of the past stays is said in one word; what goes is worked out from it."""

from datetime import timedelta

import pytest

from lamina.core.layers import LAYERS
from lamina.core.retention import (
    Cut,
    Pruned,
    check_keep,
    check_receipts,
    declared,
    kept_when_writing,
    retention,
)
from lamina.core.settings import SETTINGS, check_setting, effective
from lamina.errors import InvalidInputError
from lamina.testing.builders import NOON

DAY = timedelta(days=1)


def _cut(value: str, layer: str = "knowledge") -> Cut:
    chosen = effective({f"history.{layer}": check_setting(f"history.{layer}", value)})
    return next(cut for cut in retention(chosen, NOON).cuts if cut.layer == layer)


@pytest.mark.parametrize(
    ("value", "versions", "span"),
    [
        ("all", None, None),
        ("none", 0, None),
        ("0", 0, None),
        ("5", 5, None),
        ("30d", None, 30 * DAY),
        ("4w", None, 28 * DAY),
        ("16/30d", 16, 30 * DAY),
        ("0/12h", 0, DAY / 2),
    ],
)
def test_a_setting_says_how_many_versions_stay_and_for_how_long(
    value: str, versions: int | None, span: timedelta | None
) -> None:
    assert _cut(value) == Cut("knowledge", versions, None if span is None else NOON - span)


@pytest.mark.parametrize(
    "value",
    ["", "some", "-1", "5 ", "1.5", "30y", "all/30d", "16/", "/30d", "16/30", "3d/16",
     "9999999", "٣", "40000d", "99999999w"],
)  # fmt: skip
def test_what_says_neither_is_refused(value: str) -> None:
    with pytest.raises(InvalidInputError, match=r"history\.task"):
        check_keep("history.task", value)


@pytest.mark.parametrize("value", ["", "5", "never", "16/30d", "40000d"])
def test_receipts_stay_for_a_span(value: str) -> None:
    with pytest.raises(InvalidInputError, match=r"receipts\.keep"):
        check_receipts(value)


def test_every_layer_declares_what_it_keeps_and_most_keep_all() -> None:
    kept = {name: declared(layer) for name, layer in LAYERS.items()}
    assert {name: value for name, value in kept.items() if value != "all"} == {
        "working": "none", "blackboard": "30d", "item": "90d", "source": "90d",
    }  # fmt: skip
    for name in LAYERS:
        assert SETTINGS[f"history.{name}"].default == kept[name]


def test_a_layer_without_a_choice_goes_by_what_it_declares() -> None:
    plan = retention(effective({}), NOON)
    cuts = {cut.layer: cut for cut in plan.cuts}
    assert cuts["knowledge"] == Cut("knowledge")
    assert cuts["blackboard"] == Cut("blackboard", None, NOON - 30 * DAY)
    assert cuts.keys() == LAYERS.keys()
    assert plan.receipts_before == NOON - 30 * DAY
    assert retention(effective({"receipts.keep": "all"}), NOON).receipts_before is None


def test_a_write_never_keeps_less_than_the_layer_declares() -> None:
    choices = {"all": None, "none": 0, "4": 4, "40": 40, "7d": None}
    for choice, kept in choices.items():
        assert kept_when_writing("working", {"history.working": choice}) == kept
    assert kept_when_writing("working", {}) == 0
    assert kept_when_writing("blackboard", {"history.blackboard": "2"}) is None
    assert kept_when_writing("knowledge", {"history.knowledge": "2"}) is None


@pytest.mark.parametrize(
    ("gone", "kept", "asks"),
    [(0, 0, False), (5, 5, False), (6, 119, True), (6, 120, False), (50, 1001, False),
     (51, 1001, True), (1000, 1000, True)],
)  # fmt: skip
def test_a_purge_over_five_percent_asks_unless_it_is_a_handful(
    gone: int, kept: int, asks: bool
) -> None:
    half = gone // 2
    pruned = Pruned({"a": kept // 2, "b": kept - kept // 2}, {"a": half, "b": gone - half})
    assert pruned.needs_consent is asks
