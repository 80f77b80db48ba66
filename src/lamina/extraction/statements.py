"""Statements that are told by how they are worded: decisions, claims, terms that are explained.

Pure, and English. What is quoted, asked or only supposed is not stated. None of this is certain,
and the confidence says how far it is from that.
"""

import re
from collections.abc import Iterator
from typing import Final

from lamina.extraction.findings import Finding, plain, shortened
from lamina.extraction.labels import is_labelled
from lamina.extraction.passages import Form, Passage, Sentence


def _any(*parts: str) -> re.Pattern[str]:
    """One of these, as whole words."""
    return re.compile(rf"\b(?:{'|'.join(parts)})\b", re.IGNORECASE)


_QUOTED: Final = re.compile(r"`[^`]{1,200}`|\"[^\"]{1,200}\"|“[^”]{1,200}”|\]\([^()\s]{1,300}\)")
_WHO: Final = r"(?:we|i|the (?:team|project|authors?|maintainers)|this project)"
_ADVERBS: Final = "also|therefore|thus|finally|deliberately|then|now|eventually|explicitly"
_HOW: Final = rf"(?:['’]ve| have| had| has)?(?: (?:{_ADVERBS})){{0,2}}"
_DECIDED: Final = _any(
    rf"{_WHO}{_HOW} (?:decided|agreed|resolved) (?:to|that|on|against|not|upon)",
    rf"{_WHO}{_HOW} (?:chose|chosen|picked|selected|opted for|settled on|went with|adopted)"
    r"(?! (?:is|are|was|were|may|feels?)\b)",
    rf"{_WHO}{_HOW} (?:rejected|ruled out|dropped|switched (?:to|from)|moved (?:away )?from)",
    r"(?:was|were|is|are|been) (?:deliberately )?(?:chosen|picked|rejected|preferred)"
    r" (?:over|because|instead|since|rather|in favou?r)",
    r"(?<![a-z] )we choose",
    r"it (?:was|has been|is) (?:decided|agreed)",
    r"(?:the|our|this) decision (?:is|was) (?:to|that|not to)",
)
_USED: Final = _any(
    rf"{_WHO}(?: now| will| shall|['’]ll)?(?: always| only)? (?:use|keep|store|write|run|prefer)",
    rf"{_WHO} (?:do not|don['’]t|no longer) use",
)
_FRAGMENT: Final = _any("chose", "decided", "picked", "rejected", "adopted", "dropped", "switched")
_AGAINST: Final = _any("over", "instead of", "rather than", "as opposed to", "in favou?r of")
_INSTEAD: Final = _any("instead of", "rather than", "no longer use", "do not use", "don['’]t use")
_REASON: Final = _any("because", "since", "so that", "due to", "the reason")
_SUPPOSED: Final = _any(
    "if", "whether", "unless", "should", "could", "would", "might", "may", "until", "when", "once",
    "suppose", "imagine", "consider",
)  # fmt: skip
_UNITS: Final = (
    r"%|×|(?:percent|x|times|fold|[µnm]s|s|seconds?|minutes?|hours?|days?|[kKMGT]i?B|bytes|tokens"
    r"|characters|rows|records|files|lines|requests|queries|users|MHz|GHz)\b"
)
_FIGURE: Final = re.compile(rf"(?<![\w.])\d[\d,.]{{0,15}}\s?(?:{_UNITS})")
_STATES: Final = _any(
    "is", "are", "was", "were", "takes?", "took", "uses?", "used", "needs?", "costs?", "runs?",
    "ran", "supports?", "handles?", "reads?", "holds?", "has", "have", "gives?", "measured",
    "reduce[sd]?", "improve[sd]?", "drop(?:s|ped)?", "grows?", "grew", "stays?", "found", "finds?",
    "answers?", "expires?", "lasts?",
)  # fmt: skip
_NORM: Final = _any(
    "must(?: not| never)?", "never", "(?:is|are) (?:always|guaranteed)",
    "guarantees? (?:that|the|to)",
    "no(?:body| one|thing) (?:else )?(?:may|can|reads|writes)",
)  # fmt: skip
_SPOKEN_TO: Final = _any("you", "your", "please", "let['’]s", "i", "i['’]ve", "my")
"""Who gives advice or tells of himself states nothing of the project."""
_ORDERS: Final = _any(
    "run", "use", "see", "make sure", "ensure", "set", "add", "install", "note", "remember",
    "never", "always", "do", "don['’]t",
)  # fmt: skip

_TERM: Final = re.compile(
    r"(?:(?:\*\*|__)(?P<bold>[^*_\n]{2,60}?)(?P<inner>:?)(?:\*\*|__)|`(?P<code>[^`\s]{2,60})`)"
    r"(?P<mark>\s?:\s|\s[—–-]{1,2}\s|(?<=:\*\*)\s)\S"
)
_BOLD_NOUN: Final = re.compile(
    r"(?:An?|The) \*\*(?P<term>[^*\n]{2,60})\*\* (?:is|are|means|holds|says|names|stands for)\b"
)
_PROPER: Final = r"[A-Z][\w.+#-]{1,30}"
_PRAISE: Final = "extremely|very|excellent|great|good|important|big|major|key|common|high|crucial"
_NAMED: Final = re.compile(
    rf"(?P<term>{_PROPER}(?: {_PROPER}){{0,3}}) (?:is|are) (?:an?|the) (?!(?:{_PRAISE})\b)\S"
)
_NO_NAME: Final = frozenset(
    "this it that there here what each the these those they he she we all one both which who"
    " everything nothing something another if when where why how so now below above then our your"
    " its their".split()
)
_GLOSSARY: Final = _any("glossary", "terms?", "terminology", "definitions?", "concepts?", "nouns")
_FIELDS: Final = frozenset(
    "overview verdict description example examples summary usage status date author authors issue"
    " type default returns context consequences price choice alternatives why how problem solution"
    " result results goal input output see version".split()
)
"""What is set in bold to say what follows, and names nothing itself."""
_FEWEST_WORDS: Final = 5


def stated(passage: Passage) -> Iterator[Finding]:
    """What a passage states without a label."""
    if passage.form is Form.QUOTE:
        return
    entity = None if passage.form is Form.COMMENT else _entity(passage)
    if entity is not None:
        yield entity
    for sentence in passage.sentences():
        meant = _QUOTED.sub("…", sentence.text)
        if meant.endswith(("?", "? ")) or len(meant.split()) < _FEWEST_WORDS:
            continue
        if sure := _decides(meant, is_first=sentence.line == passage.first):
            yield _made("decision", passage, sentence, *sure)
        elif passage.form is not Form.COMMENT and (sure := _claims(meant)):
            yield _made("claim", passage, sentence, *sure)


def _decides(meant: str, *, is_first: bool) -> tuple[float, str] | None:
    """How surely a sentence tells of a decision, and by which wording."""
    found = _DECIDED.search(meant)
    weighed = bool(_AGAINST.search(meant)) + bool(_REASON.search(meant))
    if found and not _SUPPOSED.search(meant[: found.start()]):
        return min(0.7 + 0.1 * weighed, 0.85), "wording"
    used = _USED.search(meant)
    if (
        used
        and _INSTEAD.search(meant, used.start())
        and not _SUPPOSED.search(meant[: used.start()])
    ):
        return 0.6, "wording"
    if is_first and weighed and _FRAGMENT.match(meant):
        return 0.6, "fragment"
    return None


def _claims(meant: str) -> tuple[float, str] | None:
    if not meant.rstrip("*_ ").endswith((".", "!", ";", "…")):
        return None
    if _SPOKEN_TO.search(meant) or _ORDERS.match(meant):
        return None
    if _FIGURE.search(meant) and _STATES.search(meant):
        return 0.75, "figure"
    norm = _NORM.search(meant)
    if norm and not _SUPPOSED.search(meant[: norm.start()]):
        return 0.65, "norm"
    return None


def _entity(passage: Passage) -> Finding | None:
    """The term that a passage explains, if it begins with one."""
    head = passage.text[:600]
    is_glossary = bool(passage.above and _GLOSSARY.search(passage.above[-1]))
    found = _TERM.match(head)
    if found and (is_glossary or found["mark"].strip(" ")[:1] in ("—", "–", "-")):
        term, guessed = found["bold"] or found["code"], 0.5 if found["bold"] else 0.6
        rule = "bold" if found["bold"] else "code"
        return _term(passage, term, 0.8 if is_glossary else guessed, rule)
    if found := _BOLD_NOUN.match(head):
        return _term(passage, found["term"], 0.5, "bold")
    found = _NAMED.match(head) if passage.form is Form.PARAGRAPH else None
    if found and found["term"].split()[0].lower() not in _NO_NAME:
        return _term(passage, found["term"], 0.65, "definition")
    return None


def _term(passage: Passage, term: str, confidence: float, rule: str) -> Finding | None:
    name = plain(term).strip(" :.")
    said = shortened(plain(passage.text), 600)
    is_field = name.lower() in _FIELDS or is_labelled(name)
    is_name = name and name[-1] not in "?!" and len(name.split()) <= 6 and not is_field
    if not is_name or len(said.split()) - len(name.split()) < 3:
        return None
    return Finding("entity", name, said, passage.first, confidence, rule, passage.section)


def _made(kind: str, passage: Passage, sentence: Sentence, confidence: float, rule: str) -> Finding:
    words = plain(sentence.text)
    return Finding(kind, shortened(words), words, sentence.line, confidence, rule, passage.section)
