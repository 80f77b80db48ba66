"""The methods of `agent.split`, with arguments that are right: more of `calls.py`."""

from collections.abc import Mapping
from typing import Any

SPLIT_READS: dict[str, Mapping[str, Any]] = {"split.read": {"learning": True}}
SET_SPLIT: dict[str, Mapping[str, Any]] = {
    "split.set": {"split": "50/30/20"},
    "split.tell": {"shown": {"task": 2, "project": 3}, "used": {"task": 1}},
    "split.reset": {},
}
