"""Every relative link in the documents leads somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.meta.tree import ROOT, markdown_files, relative

CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#+\s+(.+?)\s*$", re.MULTILINE)
EXTERNAL = re.compile(r"^[a-z][a-z0-9+.-]*:")


def _anchors(page: Path) -> set[str]:
    """The anchors a forge gives the headings: lower case, no punctuation, dashes for blanks."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return {
        re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in HEADING.findall(text)
    }


def _broken(page: Path, target: str) -> str | None:
    name, _, anchor = unquote(target).partition("#")
    path = (page.parent / name).resolve() if name else page
    if not path.is_relative_to(ROOT) or not path.exists():
        return f"{target}: no such file"
    if anchor and path.suffix == ".md" and anchor not in _anchors(path):
        return f"{target}: no such heading"
    return None


@pytest.mark.parametrize("page", markdown_files(), ids=relative)
def test_relative_links_lead_somewhere(page: Path) -> None:
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    targets = [inline or reference for inline, reference in LINK.findall(prose)]
    local = [target for target in targets if not EXTERNAL.match(target)]
    assert [problem for target in local if (problem := _broken(page, target))] == []


def test_the_index_of_the_guides_names_each() -> None:
    guides = ROOT / "docs" / "guides"
    index = (guides / "README.md").read_text(encoding="utf-8")
    listed = {target for target, _ in LINK.findall(index)}
    assert {one.name for one in guides.glob("*.md")} - {"README.md"} <= listed
