"""What about a text looks as if somebody wanted to steer a model with it, or to hide something.

This looks for words, and whoever knows them can say the same in others: it helps a person to look
first where looking pays, it keeps nothing out, and nothing follows from it by itself. What an
untrusted text may do is bounded elsewhere, by its trust. So a text that *speaks of* such words, as
a guide about them does, had better not be told: a queue of false alarms is read by nobody.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import unquote_to_bytes

from lamina.core.record import Trust


class Sign(StrEnum):
    """What was noticed."""

    ORDERS = "orders"
    """It tells a model what to do."""
    HIDDEN = "hidden"
    """It holds characters that nobody sees."""
    ENCODED = "encoded"
    """It holds a text that nobody can read as it stands."""
    LINK = "link"
    """It holds an address that would carry something away."""
    CONTRADICTS = "contradicts"
    """It says something else than what a person said."""
    BURST = "burst"
    """Its source said very much in a very short time."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One thing about a text, and where it stands in it."""

    sign: Sign
    why: str
    start: int = 0
    end: int = 0
    """The passage; empty where it is about the whole."""


MOST: Final = 8
"""So many passages of one text are told."""
_READ: Final = 20_000
"""How many characters of a text are looked at."""
_OWN: Final = (Trust.USER, Trust.SYSTEM)
"""Who may well tell agents what to do."""

_BEGIN: Final = (
    r"(?:^|(?<=[.!?:;,\n>\"'“(\]])|(?<=\bplease)|(?<=\bnow)|(?<=\bmust)|(?<=\bshould)|(?<=\bthen)"
    r"|(?<=\band)|(?<=\bor))[ \t*_#>-]{0,12}"
)
"""Where an order begins; behind `to`, `would` or a noun it is a description of one."""
_ORDERS: Final = tuple(
    (why, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for why, pattern in (
        ("tells a model to set aside what it was told",
         _BEGIN + r"(?:ignore|disregard|forget|override|bypass|discard)\b[^.!?\n]{0,40}?"
         r"\b(?:(?:previous|prior|above|earlier|preceding|your|system)\b[^.!?\n]{0,30}?"
         r"\b(?:instructions?|rules?|prompts?|guidelines?|directives?|guardrails?|safeguards?)"
         r"|(?:all|any|other)\b[^.!?\n]{0,30}?"
         r"\b(?:instructions?|prompts?|directives?|guardrails?|safeguards?)"
         r"|(?:instructions?|rules?|prompts?|guidelines?) (?:above|before|so far))\b"),
        ("pretends to be a message of the system",
         r"^[ \t]*(?:\W{0,4}(?:system|assistant|developer)(?:[ \t]+(?:message|prompt|override))?"
         r"\W{0,3}:\s{0,3}(?:you\b|ignore|do not|don['’]t|always|never|override|from now|new\b"
         r"|important|the (?:user|assistant|agent|model))"
         r"|<\|[^|\n]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant)(?:-\w{1,20})?>"
         r"|-{3,12}\s?(?:begin|end) (?:of )?(?:system|instructions?|prompt))"),
        ("tells a model who it is", _BEGIN + r"you are (?:now|no longer)\b[^.!?\n]{0,80}"),
        ("gives a model rules from now on",
         _BEGIN + r"(?:from now on|for the rest of (?:this|the) (?:conversation|session|chat))\b,?"
         r"[^.!?\n]{0,20}?\b(?:you|reply|answer|respond|act|obey|pretend)\b[^.!?\n]{0,60}"),
        ("gives a model new instructions",
         _BEGIN + r"(?:new|updated|real|secret|hidden) instructions?\s?"
         r"(?::|for (?:you|the (?:ai|model|assistant|agent)))"),
        ("asks a model to keep something from people",
         _BEGIN + r"(?:do not|don['’]t|never)\s(?:tell|inform|mention|reveal|alert|notify)\b"
         r"[^.!?\n]{0,40}?\b(?:the )?(?:users?|humans?|owners?|operators?|anyone)\b"),
        ("asks a model to send something away",
         _BEGIN + r"(?:send|post|upload|forward|e-?mail|exfiltrate|leak|transmit|submit|append)\b"
         r"[^.!?\n]{0,60}?\b(?:passwords?|secrets?|tokens?|credentials?|api.?keys?|private keys?"
         r"|conversation|chat history|memor(?:y|ies)|environment variables?|\.env|ssh keys?)\b"
         r"[^\n]{0,60}?(?:https?://|\bto\s\S{1,60}@|\bwebhook\b)"),
    )
)  # fmt: skip
_FAR: Final = (
    (
        "tells a model what to answer",
        re.compile(
            r"\b(?:whenever|when|if|every time)\b[^.!?\n]{0,60}?\b(?:asks?|asked|user|question)\b"
            r"[^.!?\n]{0,60}?\b(?:always|only|must)\s(?:recommend|answer|reply|respond|say|claim|"
            r"suggest|link|buy|use|install)\b[^.!?\n]{0,60}",
            re.IGNORECASE,
        ),
    ),
)
"""What agents and files say among themselves too, and pages and tools have no business with."""
_SPOKEN_OF: Final = re.compile(
    r"\b(?:inject(?:ion|ions|ed|ing)?|attack(?:er|ers|s)?|payloads?|jailbreaks?|phrases?|such as"
    r"|for example|e\.g\.|strings?|patterns?|detect(?:s|ed|ion|or)?|filter(?:s|ed)?|malicious"
    r"|poison(?:ed|ing)?|untrusted|quot(?:e|ed|es)|adversar\w+|tests?|red.team\w*)\b",
    re.IGNORECASE,
)
_QUOTES: Final = (("`", "`"), ('"', '"'), ("“", "”"), ("'", "'"), ("«", "»"), ("‘", "’"))
_ENCODED: Final = re.compile(r"(?<![\w+/=-])[\w+/-]{40,}={0,2}(?![\w+/=-])", re.ASCII)
_HEX: Final = re.compile(r"(?:\\x[0-9a-fA-F]{2}){12,}|\b(?:[0-9a-fA-F]{2}){24,}\b")
_PERCENT: Final = re.compile(r"(?:%[0-9a-fA-F]{2}){12,}")
_URL: Final = re.compile(r"(!?)(?:\[[^\]\n]{0,200}\]\()?\bhttps?://([^\s<>\"'`)\]]{1,2000})")
_FILLED: Final = re.compile(r"\{[^}]{0,80}\}|\$\(|%7B", re.IGNORECASE)
_PLAIN: Final = re.compile(
    r"(?:utm_\w+|x-(?:amz|goog)-[\w-]+|sig|signature|hash|sha\d*|commit|ref|se|sp|sv|sr|v|t)$",
    re.IGNORECASE,
)
"""Values that are long for reasons of their own: what was signed, or is counted."""
_LONG: Final = 48
"""A value in an address that holds so much may hold something of somebody's."""


def suspicions(text: str, trust: Trust) -> tuple[Suspicion, ...]:
    """What about a text of such a source looks odd, in the order of the text."""
    said = text[:_READ]
    found = [*_hidden(said)]
    if trust not in _OWN:
        found += [*_orders(said, trust), *_encoded(said), *_links(said)]
    return tuple(sorted(found, key=lambda one: (one.start, one.end))[:MOST])


def _orders(text: str, trust: Trust) -> Iterator[Suspicion]:
    patterns = _ORDERS + (_FAR if trust in (Trust.WEB, Trust.TOOL) else ())
    for why, pattern in patterns:
        for match in pattern.finditer(text):
            start = match.start() + len(match[0]) - len(match[0].lstrip(" \t\n*_#>-"))
            if start < match.end() and not _is_spoken_of(text, start, match.end()):
                yield Suspicion(Sign.ORDERS, why, start, match.end())


def _is_spoken_of(text: str, start: int, end: int) -> bool:
    """Whether words are quoted by something that speaks of such words, rather than said."""
    before, behind = text[max(start - 240, 0) : start], text[end : end + 240]
    line = before.rpartition("\n")[2], behind.partition("\n")[0]
    quoted = any(
        line[0].count(first) % 2 == 1 and last in line[1]
        if first == last
        else line[0].rfind(first) > line[0].rfind(last) and last in line[1]
        for first, last in _QUOTES
    )
    return quoted and _SPOKEN_OF.search(f"{before} {behind}") is not None


def _hidden(text: str) -> Iterator[Suspicion]:
    if text.isascii():
        return
    at, size = 0, len(text)
    while at < size:
        end = at
        while end < size and _is_unseen(text, end):
            end += 1
        if end > at:
            yield Suspicion(Sign.HIDDEN, _named(text[at:end]), at, end)
        at = end + 1 if end == at else end


def _is_unseen(text: str, at: int) -> bool:
    """Whether a character is there to be missed, and not one that its script needs."""
    code = ord(text[at])
    before, behind = text[at - 1 : at], text[at + 1 : at + 2]
    if code in (0x202D, 0x202E):
        return True
    if 0xE0000 <= code <= 0xE007F:
        # Flags of regions are spelled with them, behind a black flag.
        return "\U0001f3f4" not in text[max(at - 7, 0) : at]
    if code in (0x200B, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xFEFF):
        return at > 0 and (_is_latin(before) or _is_latin(behind) or _is_format(before))
    if code in (0x200C, 0x200D):
        return _is_latin(before) and (_is_latin(behind) or _is_format(behind))
    if 0xE0100 <= code <= 0xE01EF or 0xFE00 <= code <= 0xFE0F:
        return _is_selector(before) or _is_selector(behind)
    return False


def _is_latin(letter: str) -> bool:
    return letter != "" and (letter.isascii() and letter.isalnum())


def _is_format(letter: str) -> bool:
    return letter != "" and unicodedata.category(letter) == "Cf"


def _is_selector(letter: str) -> bool:
    return letter != "" and (0xFE00 <= ord(letter) <= 0xFE0F or 0xE0100 <= ord(letter) <= 0xE01EF)


def _named(run: str) -> str:
    tags = "".join(chr(ord(c) - 0xE0000) for c in run if 0xE0020 <= ord(c) <= 0xE007E)
    if tags:
        return f"holds unseen letters that spell {tags[:80]!r}"
    if any(ord(c) in (0x202D, 0x202E) for c in run):
        return "turns the direction of reading, so that it reads otherwise than it is"
    many = f"{len(run)} unseen characters" if len(run) > 1 else "an unseen character"
    return f"holds {many} within its words"


def _encoded(text: str) -> Iterator[Suspicion]:
    for pattern, decode in (
        (_ENCODED, _from_base64),
        (_HEX, _from_hex),
        (_PERCENT, unquote_to_bytes),
    ):
        for match in pattern.finditer(text):
            if (said := _readable(decode, match[0])) is not None:
                why = f"holds a text that is encoded: {said[:80]!r}"
                yield Suspicion(Sign.ENCODED, why, match.start(), match.end())


def _readable(decode: Callable[[str], bytes], run: str) -> str | None:
    """What a run of characters says to who decodes it, if that is words; else it is a digest."""
    try:
        said = decode(run).decode("utf-8")
    except (ValueError, binascii.Error):
        return None
    words = len(re.findall(r"[^\W\d_]{2,}", said))
    letters = sum(one.isprintable() or one in "\n\t" for one in said)
    # JSON in base64 is what tokens are made of, which are sealed elsewhere.
    is_words = words >= 3 and letters == len(said) and " " in said and not said.startswith("{")
    return said if is_words else None


def _from_base64(run: str) -> bytes:
    whole = run.rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(whole + "=" * (-len(whole) % 4), validate=True)


def _from_hex(run: str) -> bytes:
    return bytes.fromhex(run.replace("\\x", ""))


def _links(text: str) -> Iterator[Suspicion]:
    for match in _URL.finditer(text):
        if (why := _carries(match[2], is_image=bool(match[1]))) is not None:
            yield Suspicion(Sign.LINK, why, match.start(), match.end())


def _carries(address: str, *, is_image: bool) -> str | None:
    """What an address would take along, or pretends to be."""
    host, _, rest = address.partition("/")
    if "@" in host and "." in host.partition("@")[0]:
        return "an address that begins like another one's"
    _, _, query = (rest or host).partition("?")
    for one in query.split("&"):
        name, _, value = one.partition("=")
        if _PLAIN.match(name):
            continue
        if _FILLED.search(value):
            return "an address with a blank for something to be filled in"
        if len(value) >= _LONG and is_image:
            return "a picture whose address takes something along"
    return None
