"""How what recall found looks to a person: the words that matched, and what a score is made of."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from lamina.surfaces.cli.marks import Line, Span, line
from lamina.surfaces.cli.views import BAD, DIM, GOOD, about_lines, age, speaker

if TYPE_CHECKING:
    from datetime import datetime

    from lamina.core.record import Record
    from lamina.results import Hit, Recall

_MATCHED: Final = "bold yellow"
_WIDEST: Final = 20
"""How many characters the longest bar has."""
_LONG: Final = 800
_LEAD: Final = 100
"""How much of a long text is shown before the word that matched."""
_MOST_LINES: Final = 8
"""How many lines of a text a terminal shows; the place of it is named below."""
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_SMALL: Final = 0.005
"""Below this a part would read as nothing, and is nothing."""


def hit_lines(number: int, hit: "Hit", now: "datetime", width: int | None) -> Iterator[Line]:
    """One hit: its text, and what is known about it below.

    A terminal shows the words that matched, and of a long text the passage around them.
    """
    text, more = hit.record.text, 0
    shown = line(text)
    if width is not None:
        few = few_lines(passage(text, hit.terms), hit.terms)
        shown, more = highlighted(few, hit.terms), text.count("\n") - few.count("\n")
    yield (Span(f"{number}. ", DIM), *shown)
    if more:
        yield line(Span(f"   … {number_of(more, 'more line')}", DIM))
    yield from about_lines([*_about(hit, now), hit.record.id], width)


def explained(hit: "Hit", scale: float, *, blocks: bool) -> Iterator[Line]:
    """Which words matched, and what each signal adds or takes."""
    if hit.terms:
        yield line(Span("   matched: " + ", ".join(hit.terms), DIM))
    yield from part_lines(hit.parts, scale, blocks=blocks)


def part_lines(parts: Mapping[str, float], scale: float, *, blocks: bool) -> Iterator[Line]:
    """The parts of a score as bars, all to one scale; what adds nothing is left out."""
    shown = {name: value for name, value in parts.items() if abs(value) >= _SMALL}
    widest = max(map(len, shown), default=0)
    for name, value in shown.items():
        bar = _bar(abs(value) / scale) if blocks else _strokes(value, scale)
        style = GOOD if value > 0 else BAD
        yield line(Span(f"   {name:<{widest}}  {value:+6.2f}  ", DIM), Span(bar, style))


def left_out(found: "Recall") -> Iterator[str]:
    """What a recall did not show, how to find out about it, and how long it took."""
    versions = number_of(found.suppressed, "older version")
    counts = (
        (found.suppressed, f"{versions} (`lamina history` has them)"),
        (found.expired, f"{found.expired} expired"),
        (found.doubtful, f"{found.doubtful} too unlikely (--floor)"),
        (found.repeated, f"{found.repeated} nearly the same as what is shown"),
        (found.unfit, f"{found.unfit} too long (--budget)"),
    )
    said = [words for count, words in counts if count]
    if said:
        yield f"Left out: {', '.join(said)}."
    if found.abstained:
        yield "`lamina why-not ID_OR_KEY QUERY` says what keeps a memory out."
    yield f"Took {found.took_ms:g} ms."


def largest(parts: Iterable[Mapping[str, float]]) -> float:
    """The scale of bars that can be compared with each other."""
    return max((abs(value) for some in parts for value in some.values()), default=0.0) or 1.0


def percent(score: float) -> str:
    """A likelihood for people; neither certain nor impossible unless it is."""
    share = round(score * 100)
    if share == 0 and score > 0:
        return "<1%"
    return ">99%" if share == 100 and score < 1 else f"{share}%"


def number_of(count: int, what: str) -> str:
    """A number of things, as `1 version` or `2 versions`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def sentence(words: str) -> str:
    """Words with a capital at the beginning and a full stop at the end."""
    begun = words[:1].upper() + words[1:]
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def highlighted(text: str, terms: tuple[str, ...]) -> Line:
    """The text with the words that matched set off, as the analyser sees words."""
    from lamina.core.text.matching import matched

    spans, at = [], 0
    for begin, end in matched(text, frozenset(terms)):
        spans += [Span(text[at:begin]), Span(text[begin:end], _MATCHED)]
        at = end
    return tuple(span for span in (*spans, Span(text[at:])) if span.text)


def passage(text: str, terms: tuple[str, ...]) -> str:
    """The text, or where it is long, the part of it where the first of these words stands."""
    if len(text) <= _LONG:
        return text
    from lamina.core.text.matching import matched

    first = next(matched(text, frozenset(terms)), (0, 0))[0]
    start = max(0, first - _LEAD)
    # Never at the middle of a word, unless it is one that has no end.
    begin = text.find(" ", start, start + _LEAD) + 1 if start else 0
    begin = max(begin, start)
    end = begin + _LONG
    cut = text.rfind(" ", end - _LEAD, end) if end < len(text) else len(text)
    end = cut if cut > begin else end
    return ("… " if begin else "") + text[begin:end] + (" …" if end < len(text) else "")


def few_lines(text: str, terms: tuple[str, ...]) -> str:
    """The first lines of a text, or where no word matched there, those where one did."""
    from lamina.core.text.words import analyse

    lines, wanted = text.split("\n"), frozenset(terms)
    if len(lines) <= _MOST_LINES:
        return text
    matching = (n for n, one in enumerate(lines) if wanted.intersection(analyse(one).tokens))
    first = next(matching, 0)
    start = 0 if first < _MOST_LINES - 1 else min(first - 1, len(lines) - _MOST_LINES)
    return "\n".join(lines[start : start + _MOST_LINES])


def _about(hit: "Hit", now: "datetime") -> Iterator[str]:
    record = hit.record
    yield percent(hit.score)
    yield record.kind
    place = _place(record)
    if place:
        yield place
    yield record.scope
    yield age(record.updated_at, now)
    yield from speaker(record)


def _place(record: "Record") -> str | None:
    """Where a piece of a file stands in it; for others, the key."""
    match record.data:
        case {"file": str(file), "lines": [int(first), int(last)]} if record.layer == "source":
            return f"{file}:{first}-{last}"
        case _:
            return record.key


def _bar(share: float) -> str:
    """A bar in eighths of a character."""
    eighths = max(1, round(share * _WIDEST * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _strokes(value: float, scale: float) -> str:
    """The same where a terminal may be missing, in characters that everything can write."""
    return ("+" if value > 0 else "-") * max(1, round(abs(value) / scale * _WIDEST))
