"""JSON values one after the other from a stream that may be larger than memory.

A list of values, an object that holds such a list, JSON lines, or values one after the other: what
is read is let go before the next. After a torn value the reading goes on at the next one that looks
like what is wanted.
"""

import codecs
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

from lamina.importing.formats.items import Found, Left, Place

_CHUNK: Final = 1 << 16
"""Little enough that whoever watches sees a file of some hundred records pass by."""
LARGEST: Final = 1 << 26
"""How many characters one value may have."""
_TAIL: Final = 16
"""An error so near to the end of what was read may only say that there is more."""
_BETWEEN: Final = re.compile(r"[\s,\ufeff]*")
_NEXT: Final = re.compile(r"(?:\}|\n|\])[\s,\]]*(?=\{)")
_LISTS: Final = r'"(?:results|memories|conversations)"\s*:\s*\[(?=\s*[{\]])'
_OPENING: Final = re.compile(r"[\s\ufeff]*(?:\[|\{[^{}\[\]]{0,2000}?" + _LISTS + ")")
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip

IsWanted = Callable[[dict[str, Any]], bool]


def text_stream(stream: BinaryIO, head: bytes) -> io.TextIOWrapper:
    """A stream as text; bytes that are no text in its encoding are kept, to be read otherwise."""
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")
    # Only of UTF-8 can bytes be kept that are none of it.
    errors = "surrogateescape" if encoding == "utf-8" else "replace"
    return io.TextIOWrapper(stream, encoding, errors=errors, newline="")


def values(text: io.TextIOBase, is_wanted: IsWanted) -> Iterator[Found | Left]:
    """Every value, and every place where there should be one; `is_wanted` knows one again."""
    return _Reader(text, is_wanted).values()


class _TornError(Exception):
    """The value cannot be read; the message says why in a few words."""


class _Reader:
    """What was read and not handed out yet."""

    def __init__(self, text: io.TextIOBase, is_wanted: IsWanted) -> None:
        self._text = text
        self._is_wanted = is_wanted
        self._decoder = json.JSONDecoder(strict=False)
        self._held = ""
        self._at = 0
        self._line = 1
        self._item = 0
        self._ended = False
        self._in_list = False

    def values(self) -> Iterator[Found | Left]:
        self._more()
        if opening := _OPENING.match(self._held):
            self._pass(opening.end())
            self._in_list = True
        while self._find_next():
            self._item += 1
            place = Place(self._line, self._item)
            try:
                yield Found(place, self._value())
            except _TornError as error:
                yield Left(place, str(error))
                yield from self._next_good()

    def _find_next(self) -> bool:
        """Go to where the next value begins; whether there is one."""
        while True:
            self._pass(_BETWEEN.match(self._held, self._at).end())  # type: ignore[union-attr]  # it matches nothing too
            if self._at < len(self._held):
                return not (self._in_list and self._held[self._at] == "]")
            if not self._more():
                return False

    def _value(self) -> Any:
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
            except json.JSONDecodeError as error:
                self._read_on(error)
            except RecursionError:
                raise _TornError("nested too deeply") from None
            except ValueError:
                raise _TornError("holds a number that is absurdly long") from None
            else:
                self._pass(end)
                return value

    def _read_on(self, error: json.JSONDecodeError) -> None:
        """Read more, if that can help."""
        is_open = error.msg.startswith("Unterminated")
        is_cut = is_open or error.pos >= len(self._held) - _TAIL
        ends_there = is_open or error.pos >= len(self._held.rstrip())
        why = f"not JSON: {error.msg} at character {error.pos - self._at + 1:,} of it"
        if not is_cut:
            raise _TornError(why)
        if len(self._held) - self._at > LARGEST:
            raise _TornError(f"larger than {LARGEST:,} characters, or torn")
        if not self._more():
            raise _TornError("the file ends in the middle of it" if ends_there else why)

    def _next_good(self) -> Iterator[Found]:
        """Go to the next value that is wanted, wherever it begins, and hand it out."""
        start = self._at
        while True:
            candidate = _NEXT.search(self._held, start)
            if candidate is None:
                self._pass(max(self._at, len(self._held) - _TAIL))
                start = self._at
                if not self._more():
                    self._pass(len(self._held))
                    return
                start = self._at
                continue
            self._pass(candidate.end())
            place = Place(self._line, self._item + 1)
            try:
                value = self._value()
            except _TornError:
                start = self._at
                continue
            if isinstance(value, dict) and self._is_wanted(value):
                self._item += 1
                yield Found(place, value)
                return
            # The brace that closes it may be the one that stands before the next.
            start = self._at - 1

    def _pass(self, at: int) -> None:
        if at > self._at:
            self._line += self._held.count("\n", self._at, at)
            self._at = at

    def _more(self) -> bool:
        """Read on, as much again as is held: so a large value is looked at a few times only."""
        if self._ended:
            return False
        rest = self._held[self._at :]
        read = self._text.read(max(_CHUNK, len(rest)))
        self._ended = not read
        self._held, self._at = rest + read, 0
        return not self._ended
