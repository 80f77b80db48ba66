"""Files as they are found in the wild, and files that mean harm."""

import os
from pathlib import Path

import pytest

from lamina import InvalidInputError, Memory
from lamina.importing import Fate, NotesReport, markdown
from tests.places import mem

__all__ = ["mem"]


@pytest.fixture
def page(tmp_path: Path, mem: Memory) -> Path:
    mem.configure("recall.embedder", "off")
    return tmp_path / "AGENTS.md"


def texts(mem: Memory) -> list[str]:
    return sorted(record.text for record in mem.query({"layer": "knowledge"}))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", []),
        (b"\n \n\t\n", []),
        (b"# Title\n## Notes\n", []),
        (b"- a\r\n- b\r\n\r\nc", ["a", "b", "c"]),
        (b"\xef\xbb\xbf---\ntags: x\n---\n- a", ["a"]),
        ("- 🦊 fox 東京".encode(), ["🦊 fox 東京"]),
        ("- café".encode("latin-1"), ["café"]),
        (b"---\ntags: [a\nbroken\n\n- a", ["a", "tags: [a\nbroken", "---"]),
        (b"---\n: [}\n---\n- a", ["a"]),
        (b"<!-- hidden -->\n%% and this %%\n- a\n\n***\n", ["a"]),
        (b"###### six\n####### seven", ["####### seven"]),
        (b"# Always run all tests", ["Always run all tests"]),
        (b"-\n- \n*\n", []),
    ],
)
def test_odd_pages(mem: Memory, page: Path, raw: bytes, expected: list[str]) -> None:
    page.write_bytes(raw)
    report = markdown(mem, page)
    assert texts(mem) == sorted(text for text in expected if text != "---")
    assert report.count(Fate.FAILED) == 0
    assert markdown(mem, page).count(Fate.UNCHANGED) == len(texts(mem))


def test_what_is_not_utf8_is_told(mem: Memory, page: Path) -> None:
    page.write_bytes("- café".encode("latin-1"))
    assert markdown(mem, page).notes == (("AGENTS.md", "not UTF-8; read as Latin-1"),)


@pytest.mark.parametrize("make", ["nul", "huge", "pipe", "unreadable"])
def test_what_cannot_be_a_note_is_refused_alone_and_left_out_of_a_folder(
    mem: Memory, page: Path, make: str
) -> None:
    reasons = {"nul": "not text", "huge": "larger than", "pipe": "not a regular file",
               "unreadable": "link"}  # fmt: skip
    match make:
        case "nul":
            page.write_bytes(b"- a\0b\n")
        case "huge":
            page.touch()
            os.truncate(page, 50_000_000)
        case "pipe":
            os.mkfifo(page)
        case _:
            page.symlink_to(page)
    page.with_name("good.md").write_text("- good\n")
    with pytest.raises(InvalidInputError, match="`path`") as refused:
        markdown(mem, page)
    assert refused.value.remedy
    report: NotesReport = markdown(mem, page.parent)
    assert reasons[make] in dict(report.skipped)["AGENTS.md"]
    assert texts(mem) == ["good"]


def test_what_became_unreadable_stays_known(mem: Memory, page: Path) -> None:
    page.write_text("- a\n")
    markdown(mem, page.parent)
    page.write_bytes(b"- a\0\n")
    assert markdown(mem, page.parent).count(Fate.FORGOTTEN) == 0
    assert texts(mem) == ["a"]


def test_an_entry_that_is_refused_does_not_hold_up_the_rest(mem: Memory, page: Path) -> None:
    mem.configure("index.max_bytes", "3000000")
    page.write_text(f"- good\n- {'x' * 1_100_000}\n- fine\n")
    report = markdown(mem, page)
    [failed] = [entry for entry in report.entries if entry.fate is Fate.FAILED]
    assert failed.line == 2
    assert "`text`" in failed.note
    assert texts(mem) == ["fine", "good"]


def test_keys_and_tags_that_cannot_be_are_text(mem: Memory, page: Path) -> None:
    tags = " ".join(f"#t{number}" for number in range(100))
    page.write_text(f"- **a\u200bb**: value\n- many {tags}\n", encoding="utf-8")
    assert markdown(mem, page).count(Fate.ADDED) == 2
    assert "**a\u200bb**: value" in texts(mem)
    [many] = [record for record in mem.query() if record.text.startswith("many")]
    assert len(many.tags) == 64


def test_many_entries_come_and_go(mem: Memory, page: Path) -> None:
    page.write_text("\n".join(f"- entry number {n} of this page" for n in range(400)))
    assert markdown(mem, page).count(Fate.ADDED) == 400
    page.write_text("\n".join(f"- entry number {n} of this page" for n in range(400, 0, -2)))
    report = markdown(mem, page)
    assert report.count(Fate.UNCHANGED) == 199
    assert report.count(Fate.REVISED) + report.count(Fate.ADDED) == 1
    assert mem.count() == 200
