"""Secrets given away by the name they are assigned to: code, configuration, headers, command lines.

Each pattern starts at a boundary and repeats single character classes possessively, so from any
start it reads one run; after a value the search resumes behind it, so no run is read once per name.
"""

import re
from collections.abc import Iterator
from typing import Final

from lamina.core.secrets.fields import field_family
from lamina.core.secrets.spans import Secret
from lamina.core.secrets.values import (
    is_code,
    is_label,
    is_mixed,
    is_placeholder,
    is_plain_word,
    is_random,
    is_slug,
    is_stop_word,
    is_variable,
)
from lamina.core.secrets.words import FUNCTION_WORDS

# A name cannot start inside a name (the lookbehind): a long run of name characters is tried once.
_NAME: Final = re.compile(
    r"(?<![\w.\-])(?P<name>[\w.\-]{2,80}+)(?P<close>\\?[\"'`*]{0,2}\]?)"
    r"(?:[ \t]{0,40}+(?P<sep>=>|:=|\|\|=|\?=|={1,3}|[:：])"
    r"|(?P<tag>>)|(?P<gap>[ \t]{1,4}+(?=[^\s=:])))"
    r"[ \t*]{0,40}+(?:(?:str|[sS]tring|[tT]ext|&str|SecretStr|any|const char)[ \t]?=[ \t]{0,8}+)?"
    r"(?P<line>\r?\n[ \t]{0,16}+)?"
)
_QUOTE: Final = re.compile(r"(?:[fFbBrRuU]{0,2})(\\?[\"'`])")
# Unclosed quotes of one sort can be met once per line, so closing is searched for at most thrice.
_CLOSED: Final = {
    '"': re.compile(r'(?<=")(?:[^"\\\n]|\\.)*+(?=")'),
    "'": re.compile(r"(?<=')(?:[^'\\\n]|\\.)*+(?=')"),
    "`": re.compile(r"(?<=`)[^`\n]*+(?=`)"),
    '\\"': re.compile(r'(?<=")[^"\\\n]*+(?=\\")'),
    "\\'": re.compile(r"(?<=')[^'\\\n]*+(?=\\')"),
    "\\`": re.compile(r"(?<=`)[^`\\\n]*+(?=\\`)"),
}
_TAG_VALUE: Final = re.compile(r"(?<=>)[^<\n]++(?=</)")
# Stops at the first end, so a long line of pairs is not read again for each of them. The lookahead
# is bounded: at most forty steps for each separator.
_VALUE_END: Final = re.compile(
    r"[\s\"`“”«»]|'(?!\w)|[,;&](?=[\w .\-]{1,40}[=:])|</|\\n|,(?=[\"'{\[])|;(?=\s|\Z)"
)
_HEADER: Final = re.compile(
    r"authorization\\?[\"']?[ \t]{0,4}[:=,][ \t]{0,4}\\?[\"']?"
    r"(?:bearer|basic|token|apikey|digest|bot)[ \t]{1,4}([^\s\"'`,;<>\\]++)",
    re.IGNORECASE,
)
_BEARER: Final = re.compile(
    r"(?<!\w)(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9_\-.+/=~]++)", re.IGNORECASE
)
# "name: API_TOKEN" and "value: ..." side by side, as containers list their environment.
_LISTED: Final = re.compile(
    r"(?<!\w)(?:name|key|field)\\?[\"']?[ \t]?[:=][ \t]?\\?[\"']?(?P<name>[\w.\-]{2,80}+)\\?[\"']?"
    r"(?:[,;]\s{0,40}|\s{1,40})\\?[\"']?(?:value|val|content)\\?[\"']?[ \t]?[:=][ \t]?",
    re.IGNORECASE,
)
_ENV_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]*")
_TRAILING: Final = ",;.'’"
_PAIRS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
_CLOSING_EMPHASIS: Final = re.compile(r"(?<!\*)(\*{1,3}|__|~~)[:：]?\Z")
_LONGEST_EMPHASIS: Final = 200
_LONGEST_PREFIX: Final = 24
_COMPARISONS: Final = frozenset({"==", "==="})


def find_headers(text: str) -> Iterator[Secret]:
    """Yield the credentials of `Authorization` headers and of bearer tokens quoted without one."""
    for found in _HEADER.finditer(text):
        value = found[1].rstrip(".:")
        if len(value) >= 3 and not is_placeholder(value) and not is_code(value):
            yield Secret(found.start(1), found.start(1) + len(value), "authorization")
    for found in _BEARER.finditer(text):
        value = found[1].rstrip(".:")
        if is_random(value) and not is_placeholder(value):
            yield Secret(found.start(1), found.start(1) + len(value), "authorization")


def find_assignments(text: str) -> Iterator[Secret]:
    """Yield values whose name says they are secret."""
    at = 0
    while found := _NAME.search(text, at):
        at = max(found.end("name"), found.start() + 1)
        family = _family(text, found)
        if family is None:
            continue
        read = _tagged_span if found["tag"] else _value_span
        span, quoted = read(text, found.end())
        if span is None or (not quoted and found["sep"] in _COMPARISONS):
            continue
        start, end = span
        at = max(at, end)
        if _accepts(text[start:end], family, quoted, _is_certain(text, found)):
            yield Secret(start, end, "password" if family == "password" else _kind(found["name"]))


def find_listed(text: str) -> Iterator[Secret]:
    """Yield values listed beside, rather than assigned to, their name."""
    for found in _LISTED.finditer(text):
        family = field_family(found["name"])
        if family is None:
            continue
        span, quoted = _value_span(text, found.end())
        if span and _accepts_listed(text[slice(*span)], family, quoted):
            yield Secret(*span, "password" if family == "password" else _kind(found["name"]))


def _accepts_listed(value: str, family: str, quoted: bool) -> bool:
    if quoted and len(value) >= 6 and " " not in value and any(map(str.isdigit, value)):
        return not is_placeholder(value) and not is_code(value)
    return _accepts(value, family, quoted, True)


def _family(text: str, found: re.Match[str]) -> str | None:
    name = found["name"]
    is_flag = name.startswith("-")
    if (found["gap"] and not is_flag) or text.startswith("://", found.end("name")):
        return None
    name = name.strip("-.")
    if name.lower().endswith("authorization"):
        return None
    family = field_family(name)
    if family is None and not is_flag and found.start() and text[found.start() - 1] == " ":
        before = text[max(0, found.start() - _LONGEST_PREFIX) : found.start() - 1]
        family = field_family(f"{before.rpartition(' ')[2]} {name}")
    if family is None and name.lower() == "pass":
        return "pass"
    return family


def _kind(name: str) -> str:
    lowered = name.lower()
    if "aws" in lowered and "secret" in lowered:
        return "aws_secret_key"
    return "api_key" if lowered.endswith("key") else "token"


def _is_certain(text: str, found: re.Match[str]) -> bool:
    """Whether the value is surely a literal: `NAME=value`, `--token value`, an element's text."""
    name = found["name"]
    if found["tag"] or name.startswith("--"):
        return True
    if found["sep"] != "=" or not _ENV_NAME.fullmatch(name):
        return False
    return found.end() == found.end("sep")


def _tagged_span(text: str, at: int) -> tuple[tuple[int, int] | None, bool]:
    inside = _TAG_VALUE.match(text, at)
    return (inside.span() if inside else None), True


def _value_span(text: str, at: int) -> tuple[tuple[int, int] | None, bool]:
    """Where the value at `at` stands, and whether it is quoted."""
    quote = _QUOTE.match(text, at)
    if quote:
        closed = _CLOSED[quote[1]].match(text, quote.end())
        if closed:
            return (closed.span() if closed.end() > closed.start() else None), True
        at = quote.end()
    return value_at(text, at), False


def value_at(text: str, start: int, limit: int | None = None) -> tuple[int, int]:
    """The unquoted value that begins at `start`: up to where it plausibly ends."""
    limit = len(text) if limit is None else limit
    stop = _VALUE_END.search(text, start, limit)
    end = stop.start() if stop else limit
    end = _before_emphasis(text, start, end)
    while end > start:
        last = text[end - 1]
        opening = _PAIRS.get(last)
        unbalanced = opening is not None and opening not in text[max(start, end - 512) : end]
        if not (unbalanced or last in _TRAILING):
            break
        end -= 1
    return start, end


def _before_emphasis(text: str, start: int, end: int) -> int:
    """Where a value ends that closes what is set in bold or italics: `**the pin is 4711**:`."""
    closing = _CLOSING_EMPHASIS.search(text, max(start, end - 4), end)
    if closing is None:
        return end
    line = text[max(0, start - _LONGEST_EMPHASIS) : start].rpartition("\n")[2]
    return closing.start() if closing[1] in line else end


def _accepts(value: str, family: str, quoted: bool, certain: bool) -> bool:
    if is_placeholder(value) or value.endswith(":"):
        return False
    if not quoted and is_code(value):
        return False
    if quoted and " " in value.strip():
        return family != "token" and accepts_phrase(value)
    if family == "token":
        return _accepts_token(value, quoted or certain)
    if family == "pass":
        return len(value) >= 6 and is_mixed(value) and any(map(str.isdigit, value))
    return _accepts_password(value, quoted or certain)


def _accepts_token(value: str, literal: bool) -> bool:
    if is_code(value) or value.isdigit() and len(value) < 16:
        return False
    if is_random(value):
        return True
    if "-" in value and is_slug(value):
        return False
    has_digit = any(map(str.isdigit, value))
    return (
        is_mixed(value)
        and has_digit
        and len(value) >= (6 if literal else 8)
        and not is_label(value)
    )


def _accepts_password(value: str, literal: bool) -> bool:
    if value.isdigit():
        return len(value) >= 4
    if is_plain_word(value):
        return literal and len(value) >= 4 and not is_stop_word(value)
    return is_mixed(value) and len(value) >= 4 and (literal or not is_variable(value))


def accepts_named(value: str, family: str) -> bool:
    """Whether all that stands under the name of a secret is its value: one word, and no remark."""
    if not value or any(map(str.isspace, value)) or is_code(value):
        return False
    # What people choose may be any word; what a machine draws looks like it.
    return _accepts(value, family, family == "password", False)


def accepts_phrase(value: str) -> bool:
    """Whether words separated by spaces are a passphrase rather than a sentence about one."""
    words = value.lower().split()
    if any(word.strip(".,;:!?") in FUNCTION_WORDS for word in words):
        return False
    if all(is_plain_word(word) for word in words):
        return 4 <= len(words) <= 24 and sum(map(is_stop_word, words)) <= 1
    return any(map(str.isdigit, value)) and len(words) <= 8
