"""A vault of Basic Memory: observations and relations keep what they say of themselves."""

from pathlib import Path

from lamina import Memory
from lamina.importing import markdown
from tests.importing.formats.samples import written
from tests.places import plain as plain

NOTE = """\
---
title: Coffee Brewing
type: note
permalink: kitchen/coffee-brewing
tags: [coffee]
---
# Coffee Brewing

Notes on brewing at home.

## Observations
- [method] Pour over gives more clarity #brewing (better for light roasts)
- [decision] Grind Coffee Brewing beans fresh
- [ ] buy filters
- just an item

## Relations
- relates_to [[Bean Origins]]
- part of [[Kitchen]] (since 2024)
"""


def test_observations_and_relations(plain: Memory, tmp_path: Path) -> None:
    written(tmp_path / "vault", "coffee.md", NOTE)
    report = markdown(plain, tmp_path / "vault")
    assert report.format == "basic-memory"
    kept = {one.text: one for one in plain.query()}
    assert set(kept) == {
        "Notes on brewing at home.",
        "Coffee Brewing: Pour over gives more clarity #brewing (better for light roasts)",
        "Grind Coffee Brewing beans fresh",
        "[ ] buy filters",
        "just an item",
        "Coffee Brewing relates to Bean Origins",
        "Coffee Brewing part of Kitchen (since 2024)",
    }
    poured = next(one for text, one in kept.items() if "clarity" in text)
    assert set(poured.tags) == {"coffee", "brewing", "method"}
    said = {
        name: poured.data[name] for name in ("entity", "category", "context", "permalink", "type")
    }
    assert said == {
        "entity": "Coffee Brewing", "category": "method", "context": "better for light roasts",
        "permalink": "kitchen/coffee-brewing", "type": "note",
    }  # fmt: skip
    assert kept["Grind Coffee Brewing beans fresh"].kind == "decision"
    related = kept["Coffee Brewing relates to Bean Origins"]
    assert related.kind == "relation"
    assert (related.data["relationType"], related.data["to"]) == ("relates_to", "Bean Origins")


def test_a_changed_observation_is_followed(plain: Memory, tmp_path: Path) -> None:
    file = written(tmp_path / "vault", "coffee.md", NOTE)
    markdown(plain, tmp_path / "vault")
    file.write_text(NOTE.replace("more clarity", "much more clarity"))
    report = markdown(plain, tmp_path / "vault")
    assert {one.fate.value for one in report.entries} == {"unchanged", "revised"}
    assert sum(one.fate.value == "revised" for one in report.entries) == 1


def test_other_notes_are_as_before(plain: Memory, tmp_path: Path) -> None:
    written(tmp_path / "vault", "a.md", "---\ntitle: A\n---\n- [method] Pour over\n")
    assert markdown(plain, tmp_path / "vault").format == "markdown"
    assert [one.text for one in plain.query()] == ["[method] Pour over"]
