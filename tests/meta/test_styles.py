"""A class of the pages is described in one stylesheet: views are built apart and shown together."""

import re
from collections import defaultdict
from pathlib import Path

STYLES = Path(__file__).parents[2] / "web/src/styles"
BEGINS = re.compile(r"^(\.[a-z-]+) \{", re.MULTILINE)


def test_no_class_has_two_meanings() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for path in STYLES.glob("*.css"):
        for name in BEGINS.findall(path.read_text(encoding="utf-8")):
            found[name].add(path.name)
    assert found, "the stylesheets are not where they were"
    assert {name: sorted(files) for name, files in found.items() if len(files) > 1} == {}
