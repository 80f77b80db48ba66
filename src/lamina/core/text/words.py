"""Tokens: what a text is indexed by.

A text is cut at white space and each chunk is analysed alone, so a word is found whatever stands
around it. A chunk gives its whole forms (`c++`, `/etc/hosts`, `processevent`) and their parts (`c`,
`etc`, `host`, `process`, `event`), both stemmed where they are words, and the surface of each word
that stemming changed, so that any piece of it can be looked up. Scripts written without spaces
give overlapping pairs of characters; Chinese characters, each of which means something, stand alone
as well.
"""

import re
import zlib
from functools import lru_cache
from typing import Final, NamedTuple

from lamina.core.text.fold import fold
from lamina.core.text.shape import is_ideograph, shape_of
from lamina.core.text.stem import stem, without_article

MAX_TOKEN: Final = 64
_HEAD: Final = MAX_TOKEN - 9

_JOINERS: Final = ".-_'/:@?&=%+#~$\\>"
_RUN: Final = re.compile(r"[uld.\-_'/:@?&=%+#~$\\>]++|c++|rr?|s")
_SEGMENT: Final = re.compile(r"[uld]++(?:[.\-_'][uld]++)*+(?:\+\+|#)?+")
_ATOM: Final = re.compile(r"[uld]++")
# A hump of camelCase: `HTTPServer2` is `uuuuullllld`, its humps are `uuuu` and `ullllld`.
_HUMP: Final = re.compile(r"u+(?!l)d*+|u?l[ld]*+|d[ld]*+")
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_GROUPED: Final = re.compile(r"\d{1,3}(?:[._]\d{3})++")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# What may lead or end a name and still belong to it: `.NET`, `$HOME`, `--no-verify`, `95%`.
_PREFIXES: Final = _set(". $ @ # / ~/ ./ ../ - -- _ __ : \\")
_SUFFIXES: Final = ("%", "__", "_")
_OPERATORS: Final = _set(
    "-> => <- != == === !== <= >= <=> && || ?? ?. ++ += -= *= /= := :: << >> |> // ** %"
)
_ELIDED: Final = _set("l d j n s m t c qu un all dall dell nell sull jusqu lorsqu puisqu quelqu")
_CONTRACTED: Final = _set("s re ve ll d m")


class Analysis(NamedTuple):
    """What one chunk is found by."""

    wholes: tuple[str, ...]
    parts: tuple[str, ...]
    tokens: tuple[str, ...]
    """Wholes, parts and unstemmed surfaces: all that a document is indexed by."""


class _Found:
    """Collects the tokens of one chunk."""

    __slots__ = ("parts", "surfaces", "wholes")

    def __init__(self) -> None:
        self.wholes: list[str] = []
        self.parts: list[str] = []
        self.surfaces: list[str] = []

    def add_word(self, text: str, level: list[str]) -> None:
        """Add the stem of a word to `level`, and its surface if that is another."""
        folded = text.casefold()
        if len(folded) > MAX_TOKEN:
            level.append(_bounded(folded))
            return
        stemmed = stem(folded)
        level.append(stemmed)
        if stemmed != folded:
            self.surfaces.append(folded)

    def to_analysis(self) -> Analysis:
        """Freeze what was found."""
        return Analysis(
            tuple(self.wholes), tuple(self.parts), (*self.wholes, *self.parts, *self.surfaces)
        )


def tokens(text: str) -> list[str]:
    """Return the index tokens of a document; one that occurs twice is there twice."""
    found: list[str] = []
    for chunk in text.split():
        found += analyse(chunk).tokens
    return found


def analyse(chunk: str) -> Analysis:
    """Analyse a text that has no white space in it."""
    # Long chunks hardly ever come back, and would fill the cache with megabytes.
    return _remembered(chunk) if len(chunk) <= MAX_TOKEN else _analyse(chunk)


@lru_cache(maxsize=32_768)
def _remembered(chunk: str) -> Analysis:
    bare = chunk.lstrip("\"'([{").rstrip(".,;:!?\"')]}")
    if not (bare.isascii() and bare.isalpha() and (bare.islower() or bare.istitle())):
        return _analyse(chunk)
    found = _Found()
    found.add_word(bare, found.wholes)
    return found.to_analysis()


def _analyse(chunk: str) -> Analysis:
    folded = fold(chunk)
    if folded in _OPERATORS:
        return Analysis((folded,), (), (folded,))
    if "," in folded:
        folded = _THOUSANDS.sub("", folded)
    shape = shape_of(folded)
    found = _Found()
    for run in _RUN.finditer(shape):
        start, end = run.span()
        kind = shape[start]
        if kind == "c":
            _unspaced(folded[start:end], found)
        elif kind in "rs":
            found.wholes.append(folded[start:end])
        else:
            _compound(folded[start:end], shape[start:end], found)
    return found.to_analysis()


def _unspaced(run: str, found: _Found) -> None:
    """Analyse a run of letters of a script written without spaces."""
    if len(run) == 1:
        found.wholes.append(run)
        return
    found.wholes += [run[at : at + 2] for at in range(len(run) - 1)]
    # A question seldom cuts its words where the answer does: with pairs alone an eighth of the
    # records that answer a Chinese question is missed.
    found.parts += [letter for letter in run if is_ideograph(ord(letter))]


def _compound(text: str, shape: str, found: _Found) -> None:
    """Analyse a run of letters, digits and the signs that join them."""
    start = len(shape) - len(shape.lstrip(_JOINERS))
    end = len(shape.rstrip(_JOINERS))
    if start >= end:
        return
    if shape.startswith(("++", "#"), end):
        end += 1 if shape[end] == "#" else 2
    core, core_shape = text[start:end], shape[start:end]
    lead = shape[:start] if shape[:start] in _PREFIXES else ""
    tail = next((mark for mark in _SUFFIXES if shape.startswith(mark, end)), "")
    level = found.wholes
    if lead or tail:
        level.append(_bounded(lead + core.casefold() + tail))
        level = found.parts
    segments = list(_SEGMENT.finditer(core_shape))
    if len(segments) > 1:
        level.append(_bounded(core.casefold()))
        level = found.parts
    for segment in segments:
        low, high = segment.span()
        _segment(core[low:high], core_shape[low:high], level, found)


def _segment(text: str, shape: str, level: list[str], found: _Found) -> None:
    """Analyse one name: words held together by single dots, hyphens, underscores, apostrophes."""
    if "'" in shape:
        text, shape = _without_apostrophes(text, shape, found)
    atoms = list(_ATOM.finditer(shape))
    if len(atoms[0][0]) == len(shape):
        _atom(text, shape, level, found)
        return
    level.append(_bounded(text.casefold()))
    for atom in atoms:
        low, high = atom.span()
        _atom(text[low:high], atom[0], found.parts, found)
    if _GROUPED.fullmatch(text):
        found.parts.append(_bounded(text.replace(".", "").replace("_", "")))
    elif 1 < len(atoms) <= 3 and "." not in shape and "d" not in shape:
        found.add_word(text.replace("-", "").replace("_", ""), found.parts)


def _without_apostrophes(text: str, shape: str, found: _Found) -> tuple[str, str]:
    """Take apostrophes out: `l'eau` is `eau`, `don't` is `dont`, `O'Brien` also has `brien`."""
    pieces, shapes = text.split("'"), shape.split("'")
    if pieces[0].casefold() in _ELIDED and len(pieces[1]) > 1:
        del pieces[0], shapes[0]
    if len(pieces) > 1 and pieces[-1].casefold() in _CONTRACTED:
        del pieces[-1], shapes[-1]
    if len(pieces) == 1:
        return pieces[0], shapes[0]
    for piece in pieces:
        if len(piece) > 1 and piece.isalpha() and pieces[-1].casefold() != "t":
            found.add_word(piece, found.parts)
    return "".join(pieces), "".join(shapes).replace("u", "l")


def _atom(text: str, shape: str, level: list[str], found: _Found) -> None:
    """Analyse letters and digits without any sign between them."""
    found.add_word(text, level)
    if len(text) > MAX_TOKEN:
        return
    humps = list(_HUMP.finditer(shape)) if "u" in shape[1:] else []
    if len(humps) < 2:
        _number(text, shape, found)
    else:
        for hump in humps:
            low, high = hump.span()
            found.add_word(text[low:high], found.parts)
            _number(text[low:high], hump[0], found)
    if not text.isascii() and (bare := without_article(text)) != text:
        found.parts.append(bare)


def _number(text: str, shape: str, found: _Found) -> None:
    """Part `python3` into name and number, but neither `v2` nor a hash."""
    letters = len(shape.rstrip("d"))
    if 1 < letters < len(shape) and "d" not in shape[:letters]:
        found.add_word(text[:letters], found.parts)
        found.parts.append(text[letters:])


def _bounded(token: str) -> str:
    if len(token) <= MAX_TOKEN:
        return token
    return f"{token[:_HEAD]}~{zlib.crc32(token.encode()):08x}"
