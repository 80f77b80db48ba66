"""Record ids: 26 characters that sort by the time they were made.

48 bits of milliseconds and 80 random bits in Crockford's alphabet, lower case, so that an id can be
read aloud, double-clicked and used as a file name.
"""

import re
from typing import Final, NewType

from lamina.errors import InvalidInputError

RecordId = NewType("RecordId", str)

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS: Final = [first + second for first in _ALPHABET for second in _ALPHABET]
TIME_LENGTH: Final = 10
"""So many letters of an id say when it was made, to the millisecond."""
_ID: Final = re.compile(rf"[0-7][{_ALPHABET}]{{25}}")


def new_id(milliseconds: int, entropy: bytes) -> RecordId:
    """Build an id from a time and ten random bytes."""
    number = (milliseconds & (2**48 - 1)) << 80 | int.from_bytes(entropy[:10])
    return RecordId("".join([_PAIRS[number >> shift & 1023] for shift in range(120, -1, -10)]))


def is_id(text: object) -> bool:
    """Whether `text` has the form of a record id."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def check_id(text: object, argument: str = "id") -> RecordId:
    """Return `text` as an id, or say what is wrong with it."""
    if not is_id(text):
        raise InvalidInputError(
            f"`{argument}` is not an id: {text!r:.80}",
            remedy="Ids are 26 letters and digits, as every listing and receipt shows them",
        )
    return RecordId(str(text))


def milliseconds_of(record_id: str) -> int:
    """When an id was made, as it says itself."""
    number = 0
    for letter in record_id[:TIME_LENGTH]:
        number = number << 5 | _ALPHABET.index(letter)
    return number
