"""Conversations: turns as texts, a turn and its reply as pairs, and probes about a turn."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from typing import TYPE_CHECKING, Any

from .items import Item, Mirror, pair, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .probes import Prober

Turn = tuple[str, str]
csv.field_size_limit(10_000_000)


def conversation(turns: list[Turn], prober: Prober, replies: bool = True) -> Iterator[Item]:
    """The items of one conversation, with other names for its speakers."""
    names = prober.names({speaker for speaker, _ in turns})
    for place, (speaker, said) in enumerate(turns):
        named = f"{names[speaker]}: {said}"
        yield from texts(said if place % 3 else named)
        yield from prober.probe(names[speaker], said)
        if replies and place + 1 < len(turns) and len(said) > 15:
            other, answer = turns[place + 1]
            yield from pair("reply", said, f"{names[other]}: {answer}" if place % 2 else answer)
        if place % 4 == 3:
            window = turns[place - 3 : place + 1]
            yield from texts(" ".join(f"{names[who]}: {what}" for who, what in window))


def schema_guided(mirror: Mirror, prober: Prober) -> Iterator[Item]:
    """DSTC8: service dialogues, one in two to keep the domains from dominating."""
    for place, document in enumerate(mirror.documents(r"^(train|dev|test)/dialogues_.*json$", 200)):
        for dialogue in json.loads(document)[place % 2 :: 2]:
            yield from conversation(
                [(t["speaker"], t["utterance"]) for t in dialogue["turns"]], prober
            )


def taskmaster(mirror: Mirror, prober: Prober) -> Iterator[Item]:
    """Taskmaster 4: spoken orders and bookings."""
    for document in mirror.documents(r"^TM-\d-\d+/data/.*json$", 200):
        for dialogue in json.loads(document):
            spoken = [(u["speaker"], u["text"]) for u in dialogue["utterances"] if u.get("text")]
            yield from conversation(spoken, prober)


def personas(mirror: Mirror, prober: Prober) -> Iterator[Item]:
    """Synthetic-Persona-Chat: small talk of two people, each with facts about themselves."""
    for document in mirror.documents(r"^data/.*csv$", 9):
        for row in list(csv.reader(io.StringIO(document)))[1:]:
            if len(row) < 3:
                continue
            turns = re.findall(r"^(User \d): ?(.+)$", row[2], re.M)
            yield from conversation(turns, prober)
            for speaker, facts in zip(("User 1", "User 2"), row[:2], strict=True):
                yield from _facts(
                    facts.splitlines(), [said for who, said in turns if who == speaker]
                )


def _facts(facts: list[str], said: list[str]) -> Iterator[Item]:
    yield from texts(*facts)
    for fact in facts:
        words = set(re.findall(r"[a-z]{4,}", fact.lower()))
        best = max(
            said,
            key=lambda line: len(words & set(re.findall(r"[a-z]{4,}", line.lower()))),
            default="",
        )
        if len(words & set(re.findall(r"[a-z]{4,}", best.lower()))) >= 2:
            yield from pair("fact", fact, best)


def topical(mirror: Mirror, prober: Prober) -> Iterator[Item]:
    """Topical-Chat: open talk about sports, films, music, politics, science."""
    for document in mirror.documents(r"^conversations/.*json$", 9):
        for talk in json.loads(document).values():
            yield from conversation([(t["agent"], t["message"]) for t in talk["content"]], prober)


def chat_logs(mirror: Mirror, prober: Prober) -> Iterator[Item]:
    """Channels where people help one another with their computers."""
    for document in mirror.documents(
        r"^data/(train|dev|test|channel-two|new-domains)/.*ascii\.txt$", 200
    ):
        turns = re.findall(r"^\[[^\]]*\] <([^>]+)> (.+)$", document, re.M)
        for speaker, said in turns:
            yield from texts(f"{speaker}: {said}" if len(said) % 2 else said)
            yield from prober.probe(speaker, said)


def chinese_trips(mirror: Mirror, prober: Prober) -> Iterator[Item]:
    """CrossWOZ: Chinese dialogues about trips."""
    for path in mirror.paths(r"^data/crosswoz/(val|test)\.json\.zip$"):
        with zipfile.ZipFile(io.BytesIO(mirror.read(path))) as opened:
            dialogues: dict[str, Any] = json.loads(opened.read(opened.namelist()[0]))
        for dialogue in dialogues.values():
            yield from conversation(
                [(m["role"], m["content"]) for m in dialogue["messages"]], prober
            )


def chinese_talk(mirror: Mirror, prober: Prober) -> Iterator[Item]:
    """KdConv: Chinese talk about films, music and travel."""
    for document in mirror.documents(r"^data/\w+/(dev|test)\.json$", 9):
        for dialogue in json.loads(document):
            turns = [(str(i % 2), m["message"]) for i, m in enumerate(dialogue["messages"])]
            yield from conversation(turns, prober)


def wizard(mirror: Mirror, prober: Prober) -> Iterator[Item]:
    """MultiWOZ: bookings in one town."""
    for path in mirror.paths(r"^data/multiwoz/(val|test)\.json\.zip$"):
        with zipfile.ZipFile(io.BytesIO(mirror.read(path))) as opened:
            dialogues = json.loads(opened.read(opened.namelist()[0]))
        for dialogue in dialogues.values():
            turns = [(str(i % 2), turn["text"]) for i, turn in enumerate(dialogue["log"])]
            yield from conversation(turns, prober)
