"""Whether a piece of text can be a secret at all: placeholders, code, paths, randomness.

Knows nothing about where the text was found; `phrases` and `shapes` ask with a context in mind.
"""

import re
from collections import Counter
from math import log2
from typing import Final

from lamina.core.secrets.fields import field_family
from lamina.core.secrets.words import (
    CODE_WORDS,
    NEVER_VALUES,
    NUMBERED_THINGS,
    PLACEHOLDER_MARKS,
    PLACEHOLDER_WORDS,
    PROSE_ENDINGS,
    PROSE_WORDS,
)

# Every pattern here is applied with `match` or `fullmatch` to one value, starts from a literal or a
# single class, and repeats single classes only, so it reads its value at most twice.
_TEMPLATE: Final = re.compile(
    r"<[^<>]*>?|\[[^\[\]]*\]|\{[^{}]*\}|\{\{.*|\$\{.*|\$\(.*|\$\[.*|%\(.*|%[A-Za-z_]\w*%"
    r"|\$[A-Za-z_]\w*|\$env:\w+|@[A-Za-z_]\w*@|#\{.*|!\w+|&\w+|\|[-+]?|>[-+]?|__\w+__",
    re.DOTALL,
)
_CODE: Final = re.compile(
    r"[A-Za-z_][\w.:>\-]*+[(\[{].*|[A-Za-z_]\w{0,30}\.[a-z_]{2,30}|[A-Za-z_]+(?:\.|::|->|\?\.)[A-Za-z_.:>?\-]+"
    r"|[&*]?[A-Za-z_]+\*|[\[({].*|.*(?:\(\)|=>)",
    re.DOTALL,
)
_PATH: Final = re.compile(r"(?:~|\.{1,2})/.*|[A-Za-z]:\\.*")
_ROOTED: Final = re.compile(r"/[\w.\-@/]*")
_FILE_NAME: Final = re.compile(
    r"[\w.\-/\\]+\.(?:json|ya?ml|toml|txt|pem|key|crt|env|py|js|ts|go|rs|md|ini|cfg|conf|gpg|enc|html?)"
)
_ALGORITHM: Final = re.compile(
    r"(?:(?:sha|md|pbkdf|argon|aes|rsa|oauth|utf|base|ipv|http|tls|ssl|scrypt|bcrypt|rfc|iso|pkcs|fips"
    r"|nist|cve)[-_]?\d{1,5}|(?:hs|rs|es|ps|ec|ed|x)[-_]?\d{3,5})"
    r"(?:[-_./]?[a-z0-9]{1,8}){0,3}|v\d{1,5}(?:alpha|beta|rc)?\d{0,3}(?:[-_./][a-z0-9]{1,8}){0,3}",
    re.IGNORECASE,
)
_MEASURE: Final = re.compile(
    r"\d{1,5}\+?[-–]?(?:(?:char|digit|letter|bit|byte|word|day|hour|min|sec|week|month|year|symbol)"
    r"(?:s|acters?|utes?|onds?|ly)?(?:-[a-z]{2,8})?|stellig\w{0,2}|zeichen|stündig|tägig|x|st|nd|rd|th"
    r"|[ap]m|h|ms|[kmg]b)",
    re.IGNORECASE,
)
_DIGEST: Final = re.compile(r"(?:sha\d{1,3}|md5|blake\w{1,3})[:\-].*", re.IGNORECASE)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d.*|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2}:\d\d.*")
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\W\d_A-Za-z]+")
_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_ULID: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", re.IGNORECASE)
_HEX: Final = re.compile(r"(?:0x)?[0-9a-f]+", re.IGNORECASE)
_SEPARATORS: Final = re.compile(r"[-_./+=~]+")
# A capital and a small letter, then a joiner: no ticket (`ABC-12`), no host (`node-04`).
_PROPER_PARTS: Final = re.compile(r"(?:[A-Z][a-z]|[a-z]{1,32}\d{0,4}[-_.][A-Z][a-z])[^\s]*[-_.]")
_DIALLED: Final = re.compile(r"[*#]?\d{4,12}[*#!]")
_MASK: Final = frozenset("xX*.•#-_…?· ")
_JOINERS: Final = "-_./'’: "
_CONSIDERED: Final = 512
"""How much of a value is looked at; beyond this, a longer value is no less random."""


def is_template(value: str) -> bool:
    """Whether `value` is a mask or something to be filled in by a program: `***`, `${TOKEN}`."""
    value = value[:_CONSIDERED].strip()
    if not value or value.startswith("secret://"):
        return True
    if _MASK.issuperset(value) or len(set(value)) == 1 or "..." in value or "…" in value:
        return True
    return _TEMPLATE.fullmatch(value) is not None or "{{" in value or "${" in value


def is_placeholder(value: str) -> bool:
    """Whether `value` only marks a secret's place: `<your-key>`, `${TOKEN}`, `***`, `changeme`.

    `changeme` counts: it stands in every word list, so hiding it protects nothing and costs the
    reader of a manual the one fact they need.
    """
    value = value[:_CONSIDERED].strip()
    if is_template(value):
        return True
    words = [word.lower() for word in _WORD.findall(value)]
    if not words:
        return False
    if any(word in PLACEHOLDER_MARKS for word in words):
        return all(word in PLACEHOLDER_WORDS or word in PLACEHOLDER_MARKS for word in words)
    has_digit = any(char.isdigit() for char in value)
    return not has_digit and all(word in PLACEHOLDER_WORDS for word in words)


def is_code(value: str) -> bool:
    """Whether an unquoted `value` is an expression, a path, a date, a measure or an algorithm."""
    value = value[:_CONSIDERED]
    return (
        _CODE.fullmatch(value) is not None
        or _PATH.fullmatch(value) is not None
        or (_ROOTED.fullmatch(value) is not None and is_slug(value))
        or _FILE_NAME.fullmatch(value) is not None
        or _ALGORITHM.fullmatch(value) is not None
        or _DATE.fullmatch(value) is not None
        or _MEASURE.fullmatch(value) is not None
        or _DIGEST.fullmatch(value) is not None
        or "://" in value
    )


def is_plain_word(value: str) -> bool:
    """Whether `value` is letters and joiners only: a word, an identifier, a hyphenated phrase."""
    return all(char.isalpha() or char in _JOINERS for char in value)


def is_mixed(value: str) -> bool:
    """Whether letters meet digits or symbols, as in a chosen password but not in a word."""
    has_letter = any(char.isalpha() for char in value)
    return has_letter and not is_plain_word(value)


def is_stop_word(value: str) -> bool:
    """Whether `value` is a word that follows "password is" without being the password."""
    lowered = value.lower().strip("-_.,;:!?'\"*()")
    return lowered in NEVER_VALUES or lowered.endswith(
        ("ed", "ing", "able", "ible", "tion", "less", "ary", "ous", "ment", "ful", "ly", "ert")
    )


def is_prose(value: str) -> bool:
    """Whether a plain word belongs to the sentence about a password rather than being it.

    Wider than `is_stop_word`: adjectives and participles of four languages by their endings, and
    names that code gives to such a value.
    """
    lowered = value.lower().strip("-_.,;:!?'\"*()")
    if is_stop_word(value) or lowered in PROSE_WORDS or lowered.endswith(PROSE_ENDINGS):
        return True
    if lowered.startswith("ge") and value[:1] == "g" and lowered.endswith(("t", "en")):
        return True
    parts = [part for part in _SEPARATORS.split(lowered) if part]
    if len(parts) > 1 and (is_stop_word(parts[-1]) or parts[-1] in PROSE_WORDS):
        return True
    words = [word.lower() for word in _WORD.findall(value)]
    return any(word in CODE_WORDS for word in words)


def is_label(value: str) -> bool:
    """Whether `value` names a variable or a version rather than being drawn: `token2`, `item-1`."""
    stem = value.rstrip("0123456789")
    digits = len(value) - len(stem)
    if digits == 0 or digits > 2:
        return False
    return field_family(stem.strip("_-.")) is not None or ("_" in stem or stem.endswith("-"))


def is_variable(value: str) -> bool:
    """Whether `value` is a numbered name: `password1`, `my_var_2`, `step-3`; not `Sunny-day-4`."""
    stem = value.rstrip("0123456789")
    digits = len(value) - len(stem)
    if digits == 0 or digits > 2:
        return False
    if "_" in stem or field_family(stem.strip("_-.")) is not None:
        return True
    return stem.strip("-.").lower() in NUMBERED_THINGS


def is_chosen(value: str, *, told: str) -> bool:
    """Whether `value` looks chosen by a person.

    `told` says how it was introduced: `states` by a verb, by a mark such as `:`, or not at all.
    """
    if told and _DIALLED.fullmatch(value):
        return True
    if not is_mixed(value) or len(value) < (5 if told else 7):
        return False
    if told != "states" and is_variable(value) and (told != ":" or "_" not in value):
        return False
    has_digit = any(map(str.isdigit, value))
    if value[0].isdigit() and not any(map(str.isalpha, value[1:4])):
        return len(value) >= 8 and has_digit
    symbols = sum(1 for char in value if not char.isalnum() and char not in "-_./'’,:()")
    if not told and not symbols and is_slug(value):
        return has_digit and _PROPER_PARTS.match(value) is not None
    return has_digit or (symbols >= 1 and told != "")


def entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values()) if total else 0.0


def is_random(value: str, *, shortest: int = 16) -> bool:
    """Whether `value` looks drawn by a machine rather than written by a person.

    The threshold follows the alphabet: sixteen symbols cannot exceed 4 bits, sixty-four reach 6,
    and short strings stay well below either.
    """
    value = value[:_CONSIDERED]
    if len(value) < shortest or is_slug(value):
        return False
    has_digit = any(char.isdigit() for char in value)
    has_letter = any(char.isalpha() for char in value)
    if not (has_digit and has_letter):
        mixed_case = has_letter and value != value.lower() and value != value.upper()
        return mixed_case and len(value) >= 24 and entropy(value) >= 4.2
    if _HEX.fullmatch(value):
        return entropy(value) >= 2.6
    return entropy(value) >= (3.0 if len(value) < 24 else 3.3)


def is_slug(value: str) -> bool:
    """Whether `value` is words and small numbers joined by separators: `prod-us-east-1-node-04`."""
    parts = [part for part in _SEPARATORS.split(value) if part]
    wordy = sum(1 for part in parts if _is_wordy(part))
    return wordy == len(parts)


def _is_wordy(part: str) -> bool:
    letters = part.rstrip("0123456789")
    digits = len(part) - len(letters)
    if not letters:
        return digits <= 4 or (digits == 8 and part.startswith(("19", "20")))
    if not letters.isalpha() or digits > 4:
        return False
    words = _WORD.findall(letters)
    # A random run of letters breaks into many short "words" at its capitals.
    return len(letters) <= 4 or len(letters) / len(words) >= 3.5


def is_identifier_hash(value: str) -> bool:
    """Whether `value` has the exact form of a UUID, a ULID or a hexadecimal digest."""
    if _UUID.fullmatch(value) or _ULID.fullmatch(value):
        return True
    return len(value) in {32, 40, 56, 64, 96, 128} and _HEX.fullmatch(value) is not None
