"""Secrets told in prose, addresses and command lines, and random strings beside such words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lamina.core.secrets.assignments import accepts_phrase, is_label, value_at
from lamina.core.secrets.spans import Secret
from lamina.core.secrets.values import (
    is_code,
    is_identifier_hash,
    is_mixed,
    is_placeholder,
    is_plain_word,
    is_random,
    is_slug,
    is_stop_word,
    is_template,
)

_CHOSEN: Final = (
    "pass ?word", "pass ?phrase", "pass ?code", "passwd", "pwd", "pw", "passwort", "kennwort",
    "mot de passe", "mdp", "contraseña", "contrasena", "clave", "senha", "wachtwoord", "пароль",
    "login code", "pin code", "密码", "密碼", "パスワード",
)  # fmt: skip
_DRAWN: Final = (
    *(f"{what}[ _-]?(?:key|token|code)" for what in (
        "api", "access", "secret", "private", "auth", "license", "encryption", "signing", "account",
        "master", "deploy", "service")),
    "secret", "token", "credentials?", "creds", "api-schlüssel", "clé api", "clave api",
)  # fmt: skip
# Searched in lower-cased text and without a lookbehind, so that the engine can skip to the next
# first letter; boundaries are checked afterwards.
_NAME: Final = re.compile("|".join((*_DRAWN, *_CHOSEN)))
_DRAWN_MARK: Final = ("key", "token", "secret", "cred", "api", "auth code", "access code")
# Optional "for the staging server" between name and verb: at most four words of at most 32
# characters, so fewer than 200 steps are taken whatever follows.
_TOLD: Final = re.compile(
    r"(?!\w)(?:(?: \([^()\n]{1,40}\)"
    r"| (?:for|to|of|on|at|in|from|für|zum|zur|vom|von|des|du|de|del|la|para|pour)"
    r"(?: [\w.@'’/\-]{1,32}){1,4}?)?"
    r"[ \t]{0,2}(?P<verb>[:=：是は]|(?<= )(?:is now|is still|is|was|will be|to|ist|lautet|war|est"
    r"|es|era|är|é|è|as|это|—|–|-|->|→)(?= |:|\n)))?"
    r":?\s{0,2}(?P<open>[\"'`“”„«‘*]{0,2})",
    re.IGNORECASE,
)
_CLOSING: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "”": "”",
    "„": "“",
    "«": "»",
    "‘": "’",
    "*": "*",
}
_WORDS_TO_STOP: Final = re.compile(r"[^\n.,;!?\"]{1,200}")
_MINE: Final = re.compile(
    r"(?<!\w)(?:my|our|his|her|their|mein|meine|unser|mon|ma|notre|mi|nuestra|minha|new|root|admin|wifi)"
    r"(?: \w{1,16}){0,2} $",
    re.IGNORECASE,
)
# The run excludes `/`, so the runs behind two different `://` never overlap.
_USERINFO: Final = re.compile(
    r"(?<=://)[^\s:/?#@\"'<>]{0,256}:([^\s/?#\"'<>]{1,1024})@(?=[\w\[{$<])"
)
_NETRC: Final = re.compile(
    r"machine\s{1,4}\S{1,255}\s{1,4}login\s{1,4}\S{1,255}\s{1,4}password\s{1,4}(\S++)"
)
# Starts only where a word starts and reads that word once, then at most fifty characters.
_AS_SECRET: Final = re.compile(
    r"(?<!\S)[\"'`]?([^\s\"'`]{6,256}+)[\"'`]? as (?:the |my |your |our |an? )?(?:\w{1,16} )?"
    r"(?:password|passphrase|passcode|token|api key|secret)(?!\w)",
    re.IGNORECASE,
)
# Each starts at an option and reads one bounded word; which command it belongs to is asked after.
_OPTIONS: Final = (
    (re.compile(r"(?<=\s)(?:-u|--user)[ =][\"']?[^\s:\"']{1,128}:([^\s\"']{1,256}+)"),
     ("curl ", "wget ")),
    (re.compile(r"(?<=\s)-p([^\s\"'|;]{4,128}+)"), ("mysql", "mariadb")),
    (re.compile(r"(?<=\s)-[pa] ?[\"']?([^\s\"'|;]{4,128}+)"),
     ("sshpass ", "docker login", "redis-cli ", "az login", "registry login", "podman login")),
    (re.compile(r"[\"']([^\"'\n]{4,128}+)(?=[\"'])"),
     ("identified by ", "with password ", "encrypted password ")),
    (re.compile(r"echo [\"']?([^\s\"'|]{4,128}+)[\"']? ?\| ?sudo -S"), ("",)),
    (re.compile(r"requirepass\s{1,4}([^\s\"']{4,256}+)"), ("",)),
)  # fmt: skip
_COMMAND_ROOM: Final = 160
_RANDOM_RUN: Final = re.compile(r"(?<![\w+/=.~\-])[A-Za-z0-9_+/=.~\-]{20,}+", re.ASCII)
_NEAR: Final = re.compile(
    rf"(?<![^\W_])(?:{'|'.join((*_DRAWN, *_CHOSEN))}"
    r"|tokens|secrets|passwords|keys?|aws|twilio|heroku|datadog|cloudflare)(?!\w)(?P<gap>[^\n]{0,48})$",
    re.IGNORECASE,
)
_NOT_SECRET_NEAR: Final = re.compile(
    r"sha-?\d|md5|hash|checksum|digest|commit|uuid|guid|ulid|nonce|etag|fingerprint|revision|integrity"
    r"|public|primary|foreign|cache|partition|idempotency|sort|\bids?\b|_ids?\b|count|\brev\b"
    r"|image|\. |\bpr\b|merge|branch|tag|version|build|trace|span|request|fixed|fixes|see"
    r"|https?:|file|path|class",
    re.IGNORECASE,
)
_TIGHT: Final = re.compile(
    r"(?:'s)?(?:(?: \w{1,16}){0,4} ?(?:is|was|:|=|->|ist|lautet|est|es)"
    r"|(?: (?:of|value|here|below|for|now|use|auth|sid)){0,3})[\s:=\"'`(<>\-]{0,5}",
    re.IGNORECASE,
)
_CONTEXT: Final = 80


def find_in_urls(text: str) -> Iterator[Secret]:
    """Yield the passwords of addresses such as `postgres://user:password@host`."""
    at = text.find("://")
    while at >= 0:
        found = _USERINFO.match(text, at + 3)
        # In an address a plain word is a working password; only what a program fills in is not.
        if found and not is_template(found[1]) and not found[1].isupper():
            yield Secret(*found.span(1), "url_password")
        at = text.find("://", at + 3)


def find_named_after(text: str) -> Iterator[Secret]:
    """Yield values named only behind them: "use ... as the password"."""
    for found in _AS_SECRET.finditer(text):
        value = found[1]
        if _is_literal(value) and _is_chosen(value, told=False) and any(map(str.isdigit, value)):
            yield Secret(*found.span(1), "password")


def find_in_commands(text: str) -> Iterator[Secret]:
    """Yield passwords handed to commands by position or by a one-letter option."""
    for found in _NETRC.finditer(text):
        if not is_placeholder(found[1]):
            yield Secret(*found.span(1), "password")
    lowered = lowered_in_place(text)
    for pattern, commands in _OPTIONS:
        if not any(command in lowered for command in commands):
            continue
        for found in pattern.finditer(text):
            before = lowered[max(0, found.start() - _COMMAND_ROOM) : found.start()].rpartition(
                "\n"
            )[2]
            if any(command in before for command in commands) and _is_literal(found[1]):
                yield Secret(*value_at(text, *found.span(1)), "password")


def _is_literal(value: str) -> bool:
    return not is_placeholder(value) and not is_code(value)


@dataclass(frozen=True, slots=True)
class _Told:
    """A name for a secret in a sentence, and how the sentence goes on."""

    at: int
    name: str
    is_chosen: bool
    has_verb: bool


def find_in_prose(text: str) -> Iterator[Secret]:
    """Yield values told in a sentence: "the password for staging is ..."."""
    lowered = lowered_in_place(text)
    at = 0
    while named := _NAME.search(lowered, at):
        at = named.end()
        if named.start() and _is_wordy(text[named.start() - 1]):
            continue
        rest = _TOLD.match(text, at)
        if rest is None:
            continue
        is_chosen = not any(mark in named[0] for mark in _DRAWN_MARK)
        told = _Told(named.start(), named[0], is_chosen, rest["verb"] is not None)
        start, end, accepted = _told_value(text, rest.end(), rest["open"][-1:], told)
        if accepted:
            yield Secret(start, end, "password" if is_chosen else "token")
        # Resuming behind the value, taken or not, reads every run once.
        at = max(at, end)


def lowered_in_place(text: str) -> str:
    """Lower-case `text` without moving any character."""
    lowered = text.lower()
    # Some capitals grow when lowered; positions must stay comparable.
    return lowered if len(lowered) == len(text) else "".join(c.lower()[:1] for c in text)


def _is_wordy(char: str) -> bool:
    return char.isalnum() or char == "_"


def _told_value(text: str, start: int, mark: str, told: _Told) -> tuple[int, int, bool]:
    """Where the value stands, and whether it is believed to be one."""
    if mark:
        end = text.find(_CLOSING[mark], start, start + 256)
        if end > start and "\n" not in text[start:end]:
            return start, end, _accepts_told(text[start:end], told, quoted=True)
    start, end = value_at(text, start)
    value = text[start:end]
    if not value or _accepts_told(value, told, quoted=False):
        return start, end, bool(value)
    if told.is_chosen and told.has_verb:
        if "phrase" in told.name:
            words = _WORDS_TO_STOP.match(text, start)
            if words and accepts_phrase(words[0]):
                return start, start + len(words[0].rstrip()), True
        if _is_own_word(text, told, value) and _ends_clause(text, end):
            return start, end, True
    return start, end, False


def _is_own_word(text: str, told: _Told, value: str) -> bool:
    """Whether a plain word is a password because someone calls it theirs."""
    if not is_plain_word(value) or len(value) < 4 or is_stop_word(value) or is_placeholder(value):
        return False
    return _MINE.search(text, max(0, told.at - 48), told.at) is not None


def _ends_clause(text: str, end: int) -> bool:
    rest = text[end : end + 6].lstrip("!?*_`")
    return not rest.strip() or rest[0] in ".,;)\n" or rest.startswith((" and ", " for ", " und "))


def _accepts_told(value: str, told: _Told, *, quoted: bool) -> bool:
    if (
        is_placeholder(value)
        or is_code(value)
        or value.endswith(":")
        or value.startswith(("-", "/"))
    ):
        return False
    if not told.is_chosen:
        return is_random(value) or (
            told.has_verb and len(value) >= 8 and is_mixed(value)
            and any(map(str.isdigit, value)) and not value[0].isdigit() and not is_label(value)
            and not ("-" in value and is_slug(value))
        )  # fmt: skip
    if " " in value:
        return quoted and accepts_phrase(value)
    if value.isdigit():
        return told.has_verb and len(value) >= 4
    if is_plain_word(value):
        return quoted and told.has_verb and len(value) >= 5 and not is_stop_word(value)
    return _is_chosen(value, told=told.has_verb or quoted)


def _is_chosen(value: str, *, told: bool) -> bool:
    if not is_mixed(value) or is_label(value) or len(value) < (5 if told else 7):
        return False
    has_digit = any(map(str.isdigit, value))
    if value[0].isdigit() and not any(map(str.isalpha, value[1:4])):
        return len(value) >= 8 and has_digit
    symbols = sum(1 for char in value if not char.isalnum() and char not in "-_./'’,:()")
    return has_digit or symbols >= 1 and told


def find_random(text: str) -> Iterator[Secret]:
    """Yield random-looking runs that stand right behind a word for a secret.

    What has the exact form of a digest or an identifier must stand very close: commits and
    checksums are mentioned near "token" and "key" far more often than they are one.
    """
    for run in _RANDOM_RUN.finditer(text):
        value = run[0].rstrip(".-~")
        end = run.start() + len(value)
        # `name=value` is one run; only what follows the last inner `=` can be the value.
        value = value[value.rstrip("=").rfind("=") + 1 :]
        start = end - len(value)
        if value.startswith("//") or not is_random(value, shortest=20) or is_placeholder(value):
            continue
        near = _NEAR.search(text, max(0, start - _CONTEXT), start)
        if near and _is_secret_gap(text, near, value):
            yield Secret(start, end, "random")


def _is_secret_gap(text: str, near: re.Match[str], value: str) -> bool:
    line_start = max(0, near.start() - 24)
    around = text[line_start : near.start()].rpartition("\n")[2] + near["gap"]
    if _NOT_SECRET_NEAR.search(around):
        return False
    if is_identifier_hash(value):
        return _TIGHT.fullmatch(near["gap"]) is not None
    return True
