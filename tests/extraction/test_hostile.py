"""Whatever a file holds, reading it ends, in time that grows with its size alone."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

from lamina import Memory
from lamina.errors import InvalidInputError
from lamina.extraction import comments, findings, labels, mine, mining, pages, passages, statements
from lamina.extraction.findings import LONGEST_SENTENCE
from lamina.sources import markdown
from lamina.sources.chunks import Page
from tests.sources.trees import write

BROKEN = {
    "an unclosed fence": "# A\n\n```python\n- [ ] not a task\n",
    "an unclosed comment": "# A\n\n<!-- TODO: never\n\n- [ ] not a task\n",
    "front matter without an end": "---\na: b\n\n- [ ] Still a task here\n",
    "a table": "| a | TODO: b |\n|---|---|\n| c | - [ ] d |\n",
    "markup": "<div>\nTODO: not prose\n</div>\n\n- [ ] Still a task here\n",
    "marks that nobody closes": "**bold `code [link](\n\n- [ ] Still a task here\n",
    "nothing": "",
    "blank lines": "\n \n\t\n",
    "a heading alone": "#",
    "marks alone": "- [ ]\n- \n> \n**\nTODO:\n",
    "control characters": "# A\x0b\x0c\x1b[31m\n\nWords \x00 here are many.\n",
    "deep lists": "".join(f"{' ' * n}- [ ] Task {n}\n" for n in range(0, 400, 2)),
}
HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": lambda n: "[" * n,
    "stars": lambda n: "*" * n,
    "starred words": lambda n: "**a" * n,
    "quotes": lambda n: '"a ' * n,
    "ticks": lambda n: "`a ``" * n,
    "angles": lambda n: "<a" * n,
    "spaces before a mark": lambda n: "# " + " " * n + "x #",
    "a label that never ends": lambda n: "TODO(" * n,
    "decisions without an end": lambda n: "we have also " * n,
    "figures": lambda n: "1,1.1," * n,
    "abbreviations": lambda n: "e.g. " * n,
    "fences that nobody closes": lambda n: "    ```x\n" * n,
    "fences ever shorter": lambda n: "\n".join(f"    {'`' * k}x" for k in range(n // 50, 3, -1)),
    "quotes in quotes": lambda n: ">" * n + " a",
    "boxes": lambda n: "- [ ] " * n,
    "capitals": lambda n: "Aa " * n + "is",
    "many lines": lambda n: "We chose it\n" * (n // 4),
    "many items": lambda n: "- [ ] a b\n" * (n // 4),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("language", ["markdown", "text", "rst", "python", "go", "html"])
def test_broken_text_is_read_as_far_as_it_goes(name: str, language: str) -> None:
    found = mine(BROKEN[name], language)
    assert all(1 <= one.line <= BROKEN[name].count("\n") + 1 for one in found)
    assert all(one.title and one.content for one in found)
    assert mine(BROKEN[name], "json") == []
    tasks = [one.title for one in found if one.kind == "task"]
    if language == "markdown" and "Still a task" in BROKEN[name]:
        assert tasks == ["Still a task here"]
    if "not a task" in BROKEN[name]:
        assert tasks == []


def _work(text: str, language: str) -> int:
    """How many lines of Lamina's own code run until a text is read."""
    count = 0

    def tick(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if "lamina" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return tick

    before = sys.gettrace()
    sys.settrace(tick)
    try:
        mine(text, language)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("language", ["markdown", "python", "go"])
def test_work_grows_with_the_text_and_no_faster(name: str, language: str) -> None:
    small, large = (HOSTILE[name](n) for n in (1_000, 4_000))
    grown = len(large) / len(small)
    assert _work(large, language) <= 1.3 * grown * _work(small, language) + 200


PURE = (comments, findings, labels, mining, pages, passages, statements, markdown)


def _patterns(module: ModuleType) -> dict[str, re.Pattern[str]]:
    return {name: one for name, one in vars(module).items() if isinstance(one, re.Pattern)}


def _endless(parsed: object, depth: int = 0) -> int:
    """How deep repeats without a bound are nested in a pattern."""
    deepest = depth
    for part in parsed:  # type: ignore[attr-defined]
        if isinstance(part, tuple) and str(part[0]).endswith("REPEAT"):
            low, high, inner = part[1]
            own = depth + (str(high) == "MAXREPEAT")
            deepest = max(deepest, _endless(inner, own))
        elif isinstance(part, tuple | list) or hasattr(part, "data"):
            deepest = max(deepest, _endless(part, depth))
    return deepest


def test_no_pattern_repeats_a_repeat_without_a_bound() -> None:
    parser = re._parser  # type: ignore[attr-defined]  # the only one that tells how it reads them
    for module in PURE:
        for name, pattern in _patterns(module).items():
            assert _endless(parser.parse(pattern.pattern, pattern.flags)) <= 1, (module, name)
    assert _endless(parser.parse("(a+)+b")) == 2


def test_no_rule_is_shown_more_than_a_sentence() -> None:
    text = "We chose it because " + "of this and that " * 1_000 + "."
    for passage in pages.contents(Page(text)).passages:
        assert all(len(one.text) <= LONGEST_SENTENCE for one in passage.sentences())
    assert [one for one in mine(text, "markdown") if one.kind == "decision"] == []


def test_files_of_every_sort_are_followed_or_named(project: Memory, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    write(root, {
        "crlf.md": b"# A\r\n\r\n- [ ] Close the port\r\n- [ ] Open it\r\n",
        "bom.md": b"\xef\xbb\xbf- [ ] Close the port\n",
        "latin.md": "- [ ] Größe messen\n".encode("latin-1"),
        "nul.md": b"- [ ] a\0b\n",
        "large.md": b"- [ ] Close the port\n" * 50_000,
        "line.md": b"We chose it. " * 70_000,
        "code.py": b"x = 1 # TODO: close the port",
        "it's 100% #1.md": b"- [ ] Close the port\n",
        "LICENSE": b"Copies must be made by hand and never by machine.\n",
    })  # fmt: skip
    (root / "link.md").symlink_to(root / "crlf.md")
    report = project.item.extract(root)
    reasons = dict(report.skipped)
    assert reasons == {
        "nul.md": "not text", "large.md": "larger than 1,000,000 bytes",
        "link.md": "a symbolic link",
    }  # fmt: skip
    assert report.notes == (("latin.md", "not UTF-8; read as Latin-1"),)
    found = {(one.data["file"], one.data["line"]) for one in project.item.query(limit=1_000)}
    assert found == {
        ("crlf.md", 3), ("crlf.md", 4), ("bom.md", 1), ("latin.md", 1), ("code.py", 1),
        ("it's 100% #1.md", 1),
    }  # fmt: skip
    assert project.item.extract(root).unchanged == 6


def test_a_file_that_becomes_unreadable_text_loses_its_items(
    project: Memory, tmp_path: Path
) -> None:
    root = tmp_path / "tree"
    write(root, {"a.md": "- [ ] Close the port\n"})
    project.item.extract(root)
    write(root, {"a.md": b"\0"})
    assert project.item.extract(root).expired == 1


def test_a_path_that_is_not_there_is_refused(project: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="`path` does not exist"):
        project.item.extract(tmp_path / "nothing")
