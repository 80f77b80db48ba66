"""Secrets stated in a sentence: "the password for staging is ...", "PIN: 4711", "mdp : ...".

Who says outright that something is a password is believed, unless what follows is a placeholder,
code, or a word of the sentence itself ("required", "too short").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lamina.core.secrets.assignments import accepts_phrase, value_at
from lamina.core.secrets.spans import Secret, lowered_in_place
from lamina.core.secrets.values import (
    is_chosen,
    is_code,
    is_label,
    is_mixed,
    is_placeholder,
    is_plain_word,
    is_prose,
    is_random,
    is_slug,
    is_variable,
)

_CODES: Final = (
    r"(?:access|door|gate|alarm|entry|safe|lock|unlock|security|login|verification|recovery|backup"
    r"|2fa|mfa|otp|garage|building|locker|pin|voicemail|confirmation|auth)[ -]code",
    r"(?:zugangs|tür|alarm|sicherheits|bestätigungs|entsperr|freischalt)-?code",
    r"code pin", r"code (?:d['’]accès|de sécurité|de vérification|d['’]entrée)",
    r"code d(?:u|e la|e l['’]|['’]) ?(?:portail|porte|alarme|immeuble|coffre|garage|entrée)",
    r"code (?:for|to|für) (?:the |die |den |das )?(?:front )?(?:door|gate|alarm|safe|garage|office"
    r"|haustür|tür|tor|alarmanlage|büro)",
    r"código de (?:acceso|seguridad|verificación|la puerta|la alarma|entrada)", "otp", "pin",
    r"(?:locker|safe|padlock|lock|vault) combination", "one[- ]time (?:code|password)",
)  # fmt: skip
_CHOSEN: Final = (
    "pass ?words?", "pass ?phrase", "pass ?code", "passwd", "pwd", "pw", "passwort", "kennwort",
    "mot de passe", "mdp", "contraseña", "contrasena", "clave", "senha", "wachtwoord", "пароль",
    "密码", "密碼", "パスワード", "(?:wi-?fi|wlan|wpa2?|network|netzwerk)[ -]?(?:key|schlüssel)",
)  # fmt: skip
_DRAWN: Final = (
    *(f"{what}[ _-]?(?:key|token)" for what in (
        "api", "access", "secret", "private", "auth", "license", "encryption", "signing", "account",
        "master", "deploy", "service")),
    "secret", "token", "credentials?", "creds", "(?:api|zugriffs)-?schlüssel",
    "clé (?:api|d['’]api)", "clave (?:de )?api",
)  # fmt: skip
NAMES: Final = "|".join((*_DRAWN, *_CHOSEN))
"""What secrets are called in prose, as a pattern of lower-case text."""
# Searched in lower-cased text and without a lookbehind, so that the engine can skip to the next
# first letter; boundaries are checked afterwards.
_NAME: Final = re.compile(
    f"(?P<code>{'|'.join(_CODES)})|(?P<drawn>{'|'.join(_DRAWN)})|(?:{'|'.join(_CHOSEN)})"
)
# Optional "for the staging server" between name and verb: at most four words of at most 32
# characters, so fewer than 200 steps are taken whatever follows.
_ABOUT: Final = (
    r" \([^()\n]{1,40}\)"
    r"| (?:for|to|of|on|at|in|from|fürs?|zum|zur|vom|von|im|am|des|du|de|del|la|para|pour)"
    r"(?: [\w.@'’/\-]{1,32}){1,4}?"
    r"| d['’][\w.\-]{1,32}"
    r"|(?: (?:you|i|we|that|asked|wanted|requested|changed|works|for|here|below|again"
    r"|now|to|use)){1,5}(?=:)"
)
_SAYS: Final = (
    r"(?:[ \t]{0,2}(?P<verb>[:=：是は]|(?<= )(?:to|as|—|–|-|->|→|=>)(?= |:|\n))"
    r"|[ \t]{0,2}(?P<states>(?<= )(?:(?:is|was|has been|got|a été|fue)(?: now)?"
    r" (?:set|changed|reset|updated|rotated) to|(?:changed|set|reset|updated) to"
    r"|wurde (?:geändert |gesetzt )?(?:auf|zu|in)"
    r"|(?:is|ist|est|es|lautet|remains)"
    r" (?:now|still|currently|just|simply|jetzt|nun|noch|einfach|maintenant|toujours|ahora)"
    r"|remains|stays|bleibt|reste|sigue siendo"
    r"|is|are|was|were|will be|should be|must be|used to be|equals|ist|sind|sei|lautet|war|est|sont"
    r"|c['’]est|était|sera|es|son|era|será|är|é|è|это)(?= |:|\n)"
    r"|(?:, (?:it|which|and it) is|, it['’]s|['’]s)(?= )))"
)
_VALUE: Final = r":?\s{0,2}(?P<open>[\"'`“”„«‘*]{0,2})"
_TOLD: Final = re.compile(rf"(?!\w)(?:(?:{_ABOUT})?{_SAYS})?{_VALUE}", re.IGNORECASE)
# Romance languages put what the password is for right behind the name: "mot de passe Netflix est".
_TOLD_ROMANCE: Final = re.compile(
    rf"(?!\w)(?:(?:{_ABOUT}| [\w.\-]{{1,24}})?{_SAYS})?{_VALUE}", re.IGNORECASE
)
_ROMANCE: Final = frozenset({"mot de passe", "mdp", "contraseña", "contrasena", "clave", "senha"})
_CLOSING: Final = dict(zip("\"'`“”„«‘*", "\"'`””“»’*", strict=True))
_WORDS_TO_STOP: Final = re.compile(r"[^\n.,;!?\"]{1,200}")
_MINE: Final = re.compile(
    r"(?<!\w)(?:my|our|his|her|their|your|mein|meine|unser|mon|ma|notre|mi|nuestra|minha|new|root"
    r"|admin|wifi|wi-fi|wlan|router)(?: \w{1,16}){0,2} $",
    re.IGNORECASE,
)
_COMPOUNDS: Final = ("passwort", "kennwort")
"""Names that German glues to the word before them: `Datenbankpasswort`."""
_HARDWARE: Final = re.compile(
    r"(?<!\w)(?:gpio|data|led|input|output|reset|clock|ground|power|header|test|analog|digital|rx|tx)"
    r"[ \-_]$",
    re.IGNORECASE,
)
_CODE_VALUE: Final = re.compile(
    r"\d{4,12}#?|\d{3,4}[ -]\d{3,4}|\d{1,2}(?:-\d{1,2}){2,3}|(?=[A-Z\-]*\d)[A-Z0-9\-]{5,16}"
)
_OLD_VALUE: Final = re.compile(r" from [\"'`]?(?=\S{5})")
_DIGITS: Final = re.compile(r"(?:(?:the|le|la|el|die|der) )?(\d{3,4} \d{3,4}|\d{4,12}#?)(?![\w\-])")
_CODE_BEFORE: Final = re.compile(r"[{(\[<$&?=]|\.$")
_AMBIGUOUS: Final = frozenset({"clave", "senha", "wachtwoord"})
"""Names that mean other things as well; a plain word behind one is a password only if owned."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A name for a secret in a sentence, and how the sentence goes on."""

    at: int
    name: str
    kind: str
    """`chosen` by a person, `drawn` by a machine, or a `code` of digits."""
    verb: str
    """`states` for "is" and its like, else the mark between name and value, or nothing."""


def find_stated(text: str) -> Iterator[Secret]:
    """Yield values told in a sentence: "the password for staging is ..."."""
    lowered = lowered_in_place(text)
    at = 0
    while named := _NAME.search(lowered, at):
        at = named.end()
        if named.start() and _is_inside_word(text, named):
            continue
        rest = (_TOLD_ROMANCE if named[0] in _ROMANCE else _TOLD).match(text, at)
        if rest is None:
            continue
        if old := _OLD_VALUE.match(text, at):
            yield from _old_value(text, old.end())
        told = _Told(named.start(), named[0], named.lastgroup or "chosen", _verb(rest))
        start, end, accepted = _told_value(text, rest.end(), rest["open"][-1:], told)
        if accepted:
            yield Secret(start, end, "token" if told.kind == "drawn" else "password")
        # Resuming behind the value, taken or not, reads every run once.
        at = max(at, end)


def _old_value(text: str, at: int) -> Iterator[Secret]:
    start, end = value_at(text, at)
    value = text[start:end]
    if is_chosen(value, told=":") and not is_placeholder(value) and not is_code(value):
        yield Secret(start, end, "password")


def _verb(rest: re.Match[str]) -> str:
    states = rest["states"]
    if states:
        return "to" if states.lower().endswith(" to") else "states"
    return (rest["verb"] or "").lower()


def _is_inside_word(text: str, named: re.Match[str]) -> bool:
    before = text[named.start() - 1]
    if before.isalpha() and named[0] in _COMPOUNDS:
        return False
    return before.isalnum() or before == "_"


def _told_value(text: str, start: int, mark: str, told: _Told) -> tuple[int, int, bool]:
    """Where the value stands, and whether it is believed to be one."""
    if mark:
        end = text.find(_CLOSING[mark], start, start + 256)
        if end > start and "\n" not in text[start:end]:
            return start, end, _accepts_told(text, text[start:end], told, quoted=True)
    start, end = value_at(text, start)
    value = text[start:end]
    if not value:
        return start, end, False
    if told.kind == "code" and (digits := _DIGITS.match(text, start)):
        start, end, value = *digits.span(1), digits[1]
    if _accepts_told(text, value, told, quoted=False):
        return start, end, True
    if told.kind == "chosen" and told.verb:
        if "phrase" in told.name:
            words = _WORDS_TO_STOP.match(text, start)
            if words and accepts_phrase(words[0]):
                return start, start + len(words[0].rstrip()), True
        if _is_password_word(text, told, value, end):
            return start, end, True
    return start, end, False


def _is_password_word(text: str, told: _Told, value: str, end: int) -> bool:
    """Whether a plain word that ends the statement is the password itself."""
    if not is_plain_word(value) or len(value) < 4 or is_prose(value):
        return False
    if is_placeholder(value) or is_code(value) or value.endswith(":"):
        return False
    if _MINE.search(text, max(0, told.at - 48), told.at) is not None:
        return _ends_clause(text, end)
    if told.verb in {"=", "to"} or told.name in _AMBIGUOUS or not _ends_sentence(text, end):
        return False
    before = text[max(0, told.at - 40) : told.at].rpartition("\n")[2]
    return told.verb == "states" or _CODE_BEFORE.search(before) is None


def _ends_clause(text: str, end: int) -> bool:
    rest = text[end : end + 8].lstrip("!?*_`")
    return (
        not rest.strip()
        or rest[0] in ".,;)\n"
        or rest.startswith(
            (
                " and ",
                " for ",
                " und ",
                " für ",
                " (",
                " et ",
                " pour ",
                " y ",
                " para ",
                " now",
                " -",
            )
        )
    )


def _ends_sentence(text: str, end: int) -> bool:
    rest = text[end : end + 4].lstrip("!*_`")
    return not rest.strip() or rest[0] == "\n" or (rest[0] in ".,)" and not rest[1:2].strip())


def _accepts_told(text: str, value: str, told: _Told, *, quoted: bool) -> bool:
    if is_placeholder(value) or value.endswith(":") or value.startswith(("-", "/")):
        return False
    if told.kind == "code":
        return _accepts_code(text, value, told)
    if is_code(value):
        return False
    if told.kind == "drawn":
        return is_random(value) or (bool(told.verb) and _accepts_drawn(text, value, told))
    if " " in value:
        return quoted and accepts_phrase(value)
    if value.isdigit():
        return (told.verb != "" or "code" in told.name) and len(value) >= 4
    if is_plain_word(value):
        return quoted and bool(told.verb) and len(value) >= 4 and not is_prose(value)
    return is_chosen(value, told=told.verb or ("quoted" if quoted else ""))


def _accepts_drawn(text: str, value: str, told: _Told) -> bool:
    digits = sum(map(str.isdigit, value))
    if not is_mixed(value) or not digits:
        return False
    if told.verb == "states" and len(value) >= 6 and any(map(str.isalpha, value[:3])):
        mine = _MINE.search(text, max(0, told.at - 48), told.at) is not None
        return mine or not is_slug(value) or digits >= 3 or _has_inner_capital(value)
    if len(value) < 8 or value[0].isdigit():
        return False
    if " " in told.name and (digits >= 4 or _has_inner_capital(value)):
        return not is_variable(value)
    return not is_label(value) and not ("-" in value and is_slug(value))


def _has_inner_capital(value: str) -> bool:
    return value != value.lower() and any(
        a.isupper() and b.islower() for a, b in zip(value, value[1:], strict=False)
    )


def _accepts_code(text: str, value: str, told: _Told) -> bool:
    if told.name == "pin" and _HARDWARE.search(text, max(0, told.at - 16), told.at):
        return False
    if _CODE_VALUE.fullmatch(value) is None:
        return False
    if told.verb:
        return told.name != "pin" or (value.isdigit() and len(value) <= 6)
    # Without a verb only a capital PIN and a clear number: "PIN 4711".
    return text[told.at : told.at + 3] == "PIN" and value.isdigit() and len(value) <= 8
