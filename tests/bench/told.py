"""Showing to a person what was measured for a program: to measure it twice would show no more."""

from typing import Any

import pytest

from tests.surfaces.shell import Answer, Call


class Measured:
    """What a run gave."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    def to_json(self) -> dict[str, Any]:
        """What it gave."""
        return self._found


def shown(
    found: dict[str, Any], lamina: Call, monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> Answer:
    """What `lamina bench NAME` says to a person when this is what it measures."""
    name = found["bench"]
    monkeypatch.setattr(f"lamina.bench.{name}.measure", lambda plan, phase: Measured(found))
    return lamina("bench", name, *arguments)
