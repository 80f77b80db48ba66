"""Instants are UTC: the same operations give the same answers wherever the machine stands."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.meta.children import environment, run_python
from tests.meta.tree import ROOT
from tests.zoned import OPERATIONS

# As rules, because a machine need not have the table of zone names.
ZONES = {
    "UTC": "UTC0",
    "Asia/Tokyo": "JST-9",
    "America/Los_Angeles": "PST8PDT,M3.2.0,M11.1.0",
    "Pacific/Chatham": "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45",
}
LOCAL = {
    "UTC": ["2026-04-04T13:30:00", "2026-11-01T08:30:00"],
    "Asia/Tokyo": ["2026-04-04T22:30:00", "2026-11-01T17:30:00"],
    "America/Los_Angeles": ["2026-04-04T06:30:00", "2026-11-01T01:30:00"],
    "Pacific/Chatham": ["2026-04-05T03:15:00", "2026-11-01T22:15:00"],
}


def _played(zone: str, folder: Path) -> dict[str, Any]:
    env = environment(TZ=ZONES[zone], PYTHONPATH=str(ROOT))
    child = run_python("-m", "tests.zoned", str(folder), cwd=ROOT, env=env)
    assert child.returncode == 0, child.stderr
    found: dict[str, Any] = json.loads(child.stdout)
    assert found["local"] == LOCAL[zone], "the zone did not take"
    answers: dict[str, Any] = found["answers"]
    return answers


@pytest.fixture(scope="module")
def in_utc(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return _played("UTC", tmp_path_factory.mktemp("utc"))


@pytest.mark.parametrize("zone", [zone for zone in ZONES if zone != "UTC"])
def test_answers_do_not_depend_on_the_time_zone(
    zone: str, in_utc: dict[str, Any], tmp_path: Path
) -> None:
    assert _played(zone, tmp_path) == in_utc


def test_every_store_gave_the_same_answers(in_utc: dict[str, Any]) -> None:
    first, *others = in_utc.values()
    assert len(first) == OPERATIONS + 1
    assert all(other == first for other in others)
    refusals = {
        text
        for answer in first
        if isinstance(answer, list)
        for text in answer
        if isinstance(text, str)
    }
    assert refusals == {"`expires` must be an instant with a time zone"}
