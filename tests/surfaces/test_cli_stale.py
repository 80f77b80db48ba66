"""`lamina stale`: what could be forgotten, why, and how."""

from datetime import UTC, datetime, timedelta

import pytest

from lamina import clock
from tests.surfaces.shell import Call

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def faded(lamina: Call, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two things that an agent once learned, one for all and one for itself."""
    finn = ("--as", "finn", "--project", "web")
    monkeypatch.setattr(clock, "now", lambda: START)
    common = lamina("remember", "The kettle leaks", "--scope", "project/web", *finn, "-q").out
    own = lamina("remember", "The heron bites", "--importance", "0.2", *finn, "-q").out
    monkeypatch.setattr(clock, "now", lambda: START + timedelta(days=300))
    return [own.strip(), common.strip()]


def test_what_has_faded_is_shown_with_reasons(lamina: Call, faded: list[str]) -> None:
    shown = lamina("stale", "--as", "finn", "--project", "web")
    first, second = shown.out.splitlines()
    assert first.split("\t")[0] == faded[0]
    assert first.endswith(
        "The heron bites\tunchanged for 300 days; no use was counted; importance 0.2"
    )
    assert second.split("\t")[:2] == [faded[1], "90%"]
    assert "lamina forget" in shown.err


def test_faded_memories_as_json_and_as_ids(lamina: Call, faded: list[str]) -> None:
    asked = ("--as", "finn", "--project", "web")
    own, common = lamina("stale", *asked, "--json").json["stale"]
    assert (own["record"]["id"], own["hits"], own["last_used"]) == (faded[0], 0, None)
    assert 0.91 > common["score"] > 0.75
    assert common["reasons"] == ["unchanged for 300 days", "no use was counted"]
    assert lamina("stale", *asked, "-q").out.split() == faded
    assert lamina("stale", *asked, "-q", "--limit", "1").out.split() == faded[:1]
    assert lamina("stale", "--project", "web", "-q").out.split() == faded[1:]


def test_what_is_named_is_forgotten_and_comes_back(lamina: Call, faded: list[str]) -> None:
    asked = ("--as", "finn", "--project", "web")
    receipt = lamina("forget", *lamina("stale", *asked, "-q").out.split(), *asked, "--json").json
    nothing = lamina("stale", *asked)
    assert (nothing.out, nothing.status) == ("", 0)
    assert "Nothing has faded" in nothing.err
    assert lamina("undo", receipt["tx"], *asked).status == 0
    assert len(lamina("list", *asked, "-q").out.split()) == len(faded)


def test_a_share_out_of_bounds_is_refused(lamina: Call) -> None:
    lamina("remember", "x")
    assert lamina("stale", "--least", "0").status == 2
    assert lamina("stale", "--limit", "0").status == 2


def test_what_is_to_stay_fades_anew(lamina: Call, faded: list[str]) -> None:
    assert lamina("stale", "--keep", faded[1], "--project", "web").status == 0
    assert lamina("stale", "--project", "web", "-q").out == ""
    assert lamina("stale", "--keep", faded[0], "--as", "finn", "--project", "web").status == 4
