"""The picture in docs/architecture.md shows the folders that there are, and no others."""

import re

from tests.meta.tree import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PICTURE = PAGE.split("```text", 1)[1].split("```", 1)[0]
HIDDEN = {"__init__.py", "__pycache__", "py.typed"}


def test_the_picture_names_every_part_once() -> None:
    drawn = re.findall(r"^[├└]── ([\w.]+)/? ", PICTURE, flags=re.MULTILINE)
    there = {path.name for path in (ROOT / "src" / "lamina").iterdir()} - HIDDEN
    assert sorted(drawn) == sorted(there)


def test_the_picture_names_every_part_of_the_core() -> None:
    core = PICTURE.split("core/", 1)[1]
    drawn = set(re.findall(r"\b[a-z]\w*\b", core))
    there = {path.stem for path in (ROOT / "src" / "lamina" / "core").iterdir()}
    assert there - {"__init__", "__pycache__"} <= drawn
