"""What a caller says is checked once, and what is left unsaid has a known default."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lamina.core.draft import (
    ContentFields,
    Draft,
    check_fields,
    check_scope_key,
    expiry,
    new_content,
    revised_content,
)
from lamina.core.layers import LAYERS
from lamina.core.principal import Principal, Role
from lamina.core.record import Content, Trust
from lamina.core.scope import Scope
from lamina.errors import ForbiddenError, InvalidInputError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
USER = Principal()
FINN = Principal("finn", Role.AGENT, Scope.of("project/web"))
OTTO = Principal("otto", Role.ORCHESTRATOR)


def _said(
    text: str = "text", layer: str = "knowledge", by: Principal = USER, **said: Any
) -> Content:
    return new_content(text, said, layer, by)  # type: ignore[arg-type]  # tests say wrong things too


def test_what_is_left_unsaid_has_a_default() -> None:
    content = _said("Use tabs")
    assert content == Content(
        kind="fact", text="Use tabs", trust=Trust.USER, source="user", tokens=content.tokens
    )
    assert content.tokens > 0
    assert (content.importance, content.confidence) == (0.5, 1.0)


@pytest.mark.parametrize("layer", LAYERS)
def test_the_kind_is_the_layers_usual_one(layer: str) -> None:
    assert _said(layer=layer).kind == LAYERS[layer].kinds[0]
    for kind in LAYERS[layer].kinds:
        assert _said(layer=layer, kind=kind).kind == kind
    if LAYERS[layer].open_kinds:
        assert _said(layer=layer, kind="other").kind == "other"
    else:
        with pytest.raises(InvalidInputError, match="kind"):
            _said(layer=layer, kind="other")


@pytest.mark.parametrize(
    ("kind", "importance"),
    [("decision", 0.9), ("convention", 0.8), ("failure", 0.85), ("fact", 0.5)],
)
def test_some_kinds_matter_more(kind: str, importance: float) -> None:
    assert _said(kind=kind).importance == importance
    assert _said(kind=kind, importance=0.1).importance == 0.1


@pytest.mark.parametrize("field", ["importance", "confidence"])
@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, "0.5", None, True, [0.5], 2**70])
def test_a_share_is_a_number_from_0_to_1(field: str, value: Any) -> None:
    with pytest.raises(InvalidInputError, match=field):
        _said(**{field: value})


@pytest.mark.parametrize("value", [0, 1, 0.5, -0.0])
def test_a_share_becomes_a_plain_number(value: float) -> None:
    content = _said(importance=value)
    assert type(content.importance) is float
    assert repr(content.importance) == repr(abs(float(value)))


@pytest.mark.parametrize("text", [None, 1, b"text", "a\0b", "\ud800", "x" * 1_048_577])
def test_text_is_text(text: Any) -> None:
    with pytest.raises(InvalidInputError, match="text"):
        _said(text)


@pytest.mark.parametrize("data", [None, [], "x", [("a", 1)], {"a": math.nan}, {1: 1}])
def test_data_is_an_object(data: Any) -> None:
    with pytest.raises(InvalidInputError, match="data"):
        _said(data=data)


@pytest.mark.parametrize(
    ("by", "via", "trust"),
    [(USER, None, "user"), (USER, "web", "web"), (FINN, None, "agent"), (FINN, "user", "agent"),
     (FINN, "system", "agent"), (FINN, "tool", "tool"), (OTTO, "file", "file")],
)  # fmt: skip
def test_via_can_only_lower_the_trust(by: Principal, via: str | None, trust: str) -> None:
    assert _said(by=by, via=via).trust == trust


@pytest.mark.parametrize("via", ["", "god", 1, "USER"])
def test_an_unknown_via_is_refused(via: Any) -> None:
    with pytest.raises(InvalidInputError, match="via"):
        _said(via=via)


def test_only_orchestrators_and_admins_name_another_source() -> None:
    assert _said(by=OTTO, source="finn").source == "finn"
    assert _said(by=USER, source="finn").source == "finn"
    assert _said(by=FINN, source="finn").source == "finn"
    with pytest.raises(ForbiddenError):
        _said(by=FINN, source="gina")
    with pytest.raises(InvalidInputError, match="source"):
        _said(by=USER, source="Not A Name")


def test_a_revision_keeps_what_is_not_named() -> None:
    before = _said(
        "one", kind="decision", tags=["a"], data={"n": 1}, importance=0.3, confidence=0.4,
        valid_from=NOON,
    )  # fmt: skip
    after = revised_content(before, {"text": "two"}, "knowledge", FINN)
    assert (after.kind, after.tags, after.data) == ("decision", ("a",), {"n": 1})
    assert (after.importance, after.confidence, after.valid_from) == (0.3, 0.4, NOON)
    assert (after.text, after.source, after.trust) == ("two", "finn", Trust.AGENT)
    assert revised_content(before, {"valid_from": None}, "knowledge", USER).valid_from is None


@pytest.mark.parametrize("allowed", [Draft, ContentFields])
def test_a_field_that_nobody_would_read_is_refused(allowed: type) -> None:
    check_fields({"kind": "fact", "tags": []}, allowed)
    for name in ("titel", "id", "rev", "state", "created_at", "__class__", ""):
        with pytest.raises(InvalidInputError, match="tags"):
            check_fields({name: 1}, allowed)


def test_where_a_memory_goes_can_be_said_only_once() -> None:
    check_fields({"layer": "fact", "scope": "global", "key": "k", "expect": 0}, Draft)
    for name in ("layer", "scope", "key", "expect"):
        with pytest.raises(InvalidInputError):
            check_fields({name: "x"}, ContentFields)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, None), ("7d", NOON + timedelta(7)), ("2026-03-02T12:00:00Z", NOON + timedelta(1)),
     (NOON, NOON), ("2026-03-01T13:00:00+01:00", NOON)],
)  # fmt: skip
def test_an_expiry_is_a_span_or_an_instant(value: Any, expected: datetime | None) -> None:
    assert expiry(value, NOON) == expected


@pytest.mark.parametrize("value", ["", "soon", "7", "2026-03-01", NOON.replace(tzinfo=None), 7])
def test_an_expiry_that_is_neither_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInputError, match="expires"):
        expiry(value, NOON)


def test_a_key_may_be_left_out_but_not_empty() -> None:
    assert check_scope_key(None) is None
    assert check_scope_key("k") == "k"
    with pytest.raises(InvalidInputError, match="key"):
        check_scope_key("")
