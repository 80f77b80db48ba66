"""Reads Markdown, reStructuredText, HTML and manual pages as headed sections of paragraphs."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from .items import Item, pair, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

Section = tuple[str, list[str]]

_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.M | re.S)
_FRONT = re.compile(r"\A---\n.*?\n---\n", re.S)
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<!--.*?-->", re.S)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|\[([^\]]*)\]\[[^\]]*\]")
_TAG = re.compile(r"<[^>\n]{1,300}>")
_MARKS = re.compile(r"(\*\*|__|`+|\{#[^}]*\})")
_ROLE = re.compile(r":[a-z:]+:`~?([^`<]*?)(?:\s*<[^`]*>)?`")
_UNDERLINE = re.compile(r"^([=\-~^\"'#*+.`])\1{2,}\s*$")
_BLOCK_HTML = re.compile(
    r"</?(?:p|li|dd|dt|div|td|tr|pre|ul|ol|table|section|note|para)\b[^>]*>", re.I
)
_HEAD_HTML = re.compile(r"<(h[1-6]|title)\b[^>]*>(.*?)</\1>", re.I | re.S)
_SCRIPT = re.compile(r"<(script|style|math|m:math|table)\b.*?</\1>", re.I | re.S)


def _clean(paragraph: str) -> str:
    paragraph = _LINK.sub(lambda match: match[1] or match[2] or "", paragraph)
    paragraph = _ROLE.sub(r"\1", paragraph)
    return html.unescape(_MARKS.sub("", _TAG.sub(" ", paragraph))).strip(" |>*-+\t")


def _sections(lines: list[tuple[str, str]]) -> list[Section]:
    """Groups ("head" or "body", text) lines into sections; an empty body line ends a paragraph."""
    found: list[Section] = [("", [])]
    paragraph: list[str] = []

    def close() -> None:
        cleaned = _clean(" ".join(paragraph))
        if len(cleaned) > 11:
            found[-1][1].append(cleaned)
        paragraph.clear()

    for kind, line in lines:
        if kind == "head":
            close()
            found.append((_clean(line), []))
        elif not line.strip():
            close()
        else:
            paragraph.append(line.strip())
    close()
    return [section for section in found if section[1]]


def markdown(source: str) -> list[Section]:
    """The sections of a Markdown file, without code blocks and front matter."""
    body = _TEMPLATE.sub(" ", _FENCE.sub("", _FRONT.sub("", source)))
    lines = []
    for line in body.splitlines():
        if line.startswith("#"):
            lines.append(("head", line.lstrip("# ")))
            continue
        if re.match(r"\s*([*+-]|\d+\.)\s", line):
            lines.append(("body", ""))
        lines.append(("body", line))
    return _sections(lines)


def rst(source: str) -> list[Section]:
    """The sections of a reStructuredText file, without directives and code."""
    lines: list[tuple[str, str]] = []
    for line in source.splitlines():
        if _UNDERLINE.match(line):
            if lines and lines[-1][1].strip():
                lines[-1] = ("head", lines[-1][1])
        elif line.startswith((".. ", "    ", "   :", ">>>", "$ ")):
            lines.append(("body", ""))
        else:
            if line.lstrip().startswith(("- ", "* ")):
                lines.append(("body", ""))
            lines.append(("body", line.removesuffix("::") if line.endswith("::") else line))
    return _sections(lines)


def markup(source: str) -> list[Section]:
    """The sections of an HTML or XHTML page."""
    body = _SCRIPT.sub(" ", source).replace("\n", " ")
    body = _HEAD_HTML.sub(lambda match: "\n\1" + _TAG.sub(" ", match[2]) + "\n", body)
    body = _BLOCK_HTML.sub("\n\n", body)
    lines = [
        ("head", line[1:]) if line.startswith("\1") else ("body", line)
        for line in body.splitlines()
    ]
    return _sections(lines)


def manual(source: str) -> list[Section]:
    """The sections of a manual page in roff."""
    lines = []
    for line in source.splitlines():
        if line.startswith((".SH", ".SS", ".Sh", ".Ss")):
            lines.append(("head", line[3:].strip(' "')))
        elif line.startswith((".", "'")):
            words = re.sub(r"^[.']\w*\s*", "", line).replace('"', "")
            bold = line.startswith((".B", ".I", ".Nm", ".Fl", ".Ar", ".Xr"))
            lines.append(("body", words if bold else ""))
        else:
            lines.append(("body", line))
    cleaned = [
        (kind, re.sub(r"\\f.|\\&|\\\(..|\\[|%:]", "", text).replace("\\-", "-").replace("\\", ""))
        for kind, text in lines
    ]
    return _sections(cleaned)


def harvest(sections: list[Section], title: str = "", most: int = 60) -> Iterator[Item]:
    """Paragraphs as texts; heading and section, and first sentence and rest, as pairs."""
    for heading, paragraphs in sections[:most]:
        yield from texts(*paragraphs[:12])
        body = " ".join(paragraphs)[:1200]
        if len(heading) > 3 and len(body) > 60:
            named = (
                f"{title}: {heading}"
                if title and title.casefold() != heading.casefold()
                else heading
            )
            yield from pair("heading", named, body)
