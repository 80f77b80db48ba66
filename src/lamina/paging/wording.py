"""The words of a text, in a form in which the same words are the same however they are quoted.

Quotation marks, bullets, emphasis, the ends of sentences and where lines break do not matter; every
letter, figure and sign inside the words does, so that a corrected value is never taken for what it
corrects.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

HERE: Final = "\u2702"
"""Stands for the place where a text was cut."""
_CUT: Final = re.compile(r"\[…\d+ characters…\]", re.IGNORECASE)
_WIDE: Final = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts that put no spaces between words."""
_WIDE_SIGN: Final = re.compile("[。，、；：！．｡「」『』（）【】《》〈〉・]")
_AFTER_WIDE: Final = re.compile(rf"(?<=[{_WIDE}])[.,;:!]+")
_EACH_WIDE: Final = re.compile(rf"([{_WIDE}])")
_UNSEEN: Final = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_DASH: Final = re.compile(r"[—―]+|(?<!\d)–+|–+(?!\d)")
_QUOTE: Final = str.maketrans(dict.fromkeys("’‘ʼ‚‛", "'") | dict.fromkeys("“”„‟«»‹›〝〞", '"'))
_BEFORE: Final = "\"'`*_([{•·‣◦▪●○"
_BEHIND: Final = ".,;:!…\"'`*_)]}"
_NO_WORD: Final = frozenset("-- --- | = • ·".split())
"""What stands between words without being one."""
_HYPHEN: Final = re.compile(r"(?<![\d\s])\s+-\s+(?![\d\s])")
_NUMBERED: Final = re.compile(r"\s*(?:[>#*+\-•·‣◦▪●○]+\s+)*(?:\d{1,3}[.)]\s+)?")
_FIELDS: Final = (
    "key|value|text|fact|facts|kind|category|type|source|trust|date|time|when|who|note|content"
    "|memory|memories|statement|name"
)
"""What the parts of a memory are called where it is put into a table or an object."""
_FIELD: Final = re.compile(rf"(?<![\w-])[\"'*`]*(?:{_FIELDS})[\"'*`]*\s*:", re.IGNORECASE)
_CELL: Final = re.compile(rf"(?<=\|)\s*(?:{_FIELDS})\s*(?=\|)", re.IGNORECASE)
_OBJECT: Final = re.compile(r"\"\s*[:,]|[\[{]\s*\"|\"\s*[\]}]|^\s*\"|\"\s*$")
_BETWEEN: Final = re.compile(r"(?<!\\)\"\s*[,:}\]\[{]+\s*(?=[\"{\[\d-]|$)|[{\[,]\s*(?=\")")
_ESCAPED: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_TAG: Final = re.compile(
    r"</?(?:b|br|div|em|i|li|ol|p|span|strong|td|th|tr|ul)\s*/?>", re.IGNORECASE
)
"""Tags that only lay a text out; one that strikes it out says something."""
_CODE_FENCE: Final = re.compile(r"\s*(?:```|~~~)\w*\s*")
_RULE: Final = re.compile(r"[\s|:+=_*-]*")


def is_table(line: str) -> bool:
    """Whether a line is a row of a table."""
    return line.count("|") >= 2 and line.strip().startswith("|")


def is_object(line: str) -> bool:
    """Whether a line is written as JSON is."""
    return '"' in line and bool(_OBJECT.search(line))


def words_of(text: str) -> str:
    """The words of a piece of text as they are written, one space between them."""
    if _RULE.fullmatch(text) or _CODE_FENCE.fullmatch(text):
        return ""
    plain = _CUT.sub(f" {HERE} ", html.unescape(text) if "&" in text else text)
    plain = _TAG.sub(" ", plain) if "<" in plain else plain
    plain = _EACH_WIDE.sub(r" \1 ", _AFTER_WIDE.sub(" ", _WIDE_SIGN.sub(" ", plain)))
    plain = unicodedata.normalize("NFKC", plain.translate(_QUOTE))
    plain = _HYPHEN.sub(" ", _DASH.sub(" ", _UNSEEN.sub("", plain)))
    chunks = (_bare(chunk) for chunk in plain.split())
    return " ".join(chunk for chunk in chunks if chunk)


def unframed(line: str) -> str:
    """A line without its bullet, and without what makes it a row of a table or an object."""
    if is_table(line):
        line = _CELL.sub(" ", line).replace("|", " ")
    elif is_object(line):
        line = _ESCAPED.sub(_meant, _BETWEEN.sub('" "', _FIELD.sub(" ", line)))
    else:
        line = _FIELD.sub(" ", line) if _FIELD.match(line[_lead(line) :]) else line
    return line[_lead(line) :]


def folded(words: str) -> str:
    """Words without their case, as many letters as before."""
    lower = words.lower()
    if len(lower) == len(words):
        return lower
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in words)


def same_case(said: str, known: str) -> bool:
    """Whether two texts of the same letters differ in case only as whole texts do.

    A single word in another case may be what is corrected: `Main`, not `main`.
    """
    if said[1:] == known[1:]:
        return True
    if said.isupper() or all(one[:1] == one[:1].upper() for one in said.split()):
        return weight(said) >= _FEW
    return said.islower() and known[:1].isupper()


_FEW: Final = 3


def weight(words: str) -> int:
    """About how many words these are."""
    wide = len(_EACH_WIDE.findall(words))
    return len(words.split()) - wide + (wide + 1) // 2


def _bare(chunk: str) -> str:
    if chunk in _NO_WORD:
        return ""
    return chunk.lstrip(_BEFORE).rstrip(_BEHIND) or (chunk if chunk in ",;:!" else "")


def _lead(line: str) -> int:
    found = _NUMBERED.match(line)
    return found.end() if found else 0


def _meant(escaped: re.Match[str]) -> str:
    if escaped[1]:
        return chr(int(escaped[1], 16))
    return " " if escaped[2] in "nrt" else escaped[2]
