"""Secrets in addresses and command lines, before their name, and random strings behind one."""

import re
from collections.abc import Iterator
from typing import Final

from lamina.core.secrets.assignments import value_at
from lamina.core.secrets.spans import Secret, lowered_in_place
from lamina.core.secrets.statements import NAMES
from lamina.core.secrets.values import (
    is_chosen,
    is_code,
    is_identifier_hash,
    is_placeholder,
    is_random,
    is_template,
)

# The run excludes `/`, so the runs behind two different `://` never overlap.
_USERINFO: Final = re.compile(
    r"(?<=://)[^\s:/?#@\"'<>]{0,256}:([^\s/?#\"'<>]{1,1024})@(?=[\w\[{$<])"
)
_CONSTANT: Final = re.compile(r"[A-Z_\-]+")
_NETRC: Final = re.compile(
    r"machine\s{1,4}\S{1,255}\s{1,4}login\s{1,4}\S{1,255}\s{1,4}password\s{1,4}(\S++)"
)
# Starts only where a word starts and reads that word once, then at most fifty characters.
_AS_SECRET: Final = re.compile(
    r"(?<!\S)[\"'`]?([^\s\"'`]{6,256}+)[\"'`]? (?:(?:as|als|comme|como)"
    r"|(?P<is>is|was|ist|war|est|es)) "
    r"(?:(?:the|my|your|our|his|her|das|mein|unser|le|mon|notre|la|mi|nuestra|an?) )?"
    r"(?:\w{1,16} )?(?:password|passphrase|passcode|token|api key|secret|pw|passwort|kennwort"
    r"|mot de passe|mdp|contraseña)(?!\w)"
    r"(?(is)(?=\Z|[.,;!)\n]| (?:for|to|of|on|at|in|für|zum|zur|vom|pour|du|de|para|del)\s))",
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
    rf"(?<![^\W_])(?:{NAMES}"
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
        if found and not is_template(found[1]) and not _CONSTANT.fullmatch(found[1]):
            yield Secret(*found.span(1), "url_password")
        at = text.find("://", at + 3)


def find_named_after(text: str) -> Iterator[Secret]:
    """Yield values named only behind them: "use ... as the password"."""
    for found in _AS_SECRET.finditer(text):
        value = found[1]
        if _is_literal(value) and is_chosen(value, told="") and any(map(str.isdigit, value)):
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
