"""Small stores to rank over, searched by counting words: no store and no embedder is needed."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from lamina.core import bm25
from lamina.core.ids import RecordId
from lamina.core.ranking import Background, Candidate, Options, Question, Ranked, rank, understand
from lamina.core.record import Record
from lamina.core.text import tokens

NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)


def a_record(name: str, text: str, **fields: object) -> Record:
    """A record with everything left at its default but what matters."""
    given: dict[str, object] = {
        "id": RecordId(name),
        "scope": "project/web",
        "layer": "knowledge",
        "kind": "fact",
        "text": text,
        "created_at": NOW - timedelta(days=400),
        "updated_at": NOW,
    }
    return Record(**{**given, **fields})  # type: ignore[arg-type]


def a_turn(name: str, text: str, **fields: object) -> Record:
    """A turn of one conversation."""
    given = {"scope": "project/web/session/s1", "layer": "session", "kind": "user"}
    return a_record(name, text, **{**given, **fields})


def found(
    question: Question, records: Sequence[Record], cosines: Mapping[str, float] | None = None
) -> tuple[list[Candidate], Background]:
    """Every record as a candidate, scored over exactly these records; turns follow in order."""
    words = {record.id: tokens(record.text) for record in records}
    average = sum(map(len, words.values())) / max(len(words), 1) or 1.0
    weights = {}
    for term in question.terms:
        holding = sum(term.token in held for held in words.values())
        weights[term.token] = term.weight * bm25.idf(len(records), holding)
    last: dict[str, RecordId] = {}
    candidates = []
    for record in records:
        held = words[record.id]
        matched = tuple(token for token in weights if token in held)
        keyword = sum(
            weights[token] * bm25.part(held.count(token), len(held), average) for token in matched
        )
        coverage = sum(map(weights.__getitem__, matched)) / (sum(weights.values()) or 1.0)
        cosine = None if cosines is None else cosines.get(record.id)
        before = last.get(record.scope) if record.layer == "session" else None
        candidates.append(Candidate(record, keyword, coverage, matched, cosine, before))
        last[record.scope] = record.id
    known = list((cosines or {}).values())
    return candidates, Background(
        documents=len(records),
        weights=weights,
        cosine_mean=sum(known) / len(known) if known else None,
        cosine_sample=len(known),
    )


def ask(
    text: str,
    records: Sequence[Record],
    cosines: Mapping[str, float] | None = None,
    options: Options | None = None,
) -> list[Ranked]:
    """What a question gets from these records."""
    question = understand(text, NOW)
    candidates, background = found(question, records, cosines)
    return rank(question, candidates, background, options or Options())


def ids(ranked: Sequence[Ranked]) -> list[str]:
    """The names of the records, in order."""
    return [hit.record.id for hit in ranked]
