"""Sets of questions with known answers in known documents, as files to measure recall with.

A set is a file `NAME.jsonl` or `NAME.jsonl.gz`, one line a store: documents, and questions with the
documents that answer them. Who measures must not let a search see anything of a question but its
text, nor anything of a document's id.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Final, TextIO

from lamina.errors import InvalidInputError, NotFoundError

_ENDINGS: Final = (".jsonl.gz", ".jsonl")
_SEED: Final = 4


@dataclass(frozen=True, slots=True)
class Document:
    """Something that a store is told."""

    id: str
    text: str
    timestamp: datetime | None = None
    session: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a store is asked, and what answers it; nothing does where `gold` is empty."""

    id: str
    text: str
    gold: frozenset[str]
    category: str = ""
    latest: frozenset[str] = frozenset()
    """Of the documents that answer it, those that say how things are now."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A memory of its own: what it is told, and what it is asked."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]

    @property
    def newest(self) -> datetime | None:
        """When the last thing was said, if the documents tell."""
        return max((one.timestamp for one in self.documents if one.timestamp), default=None)


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Stores that belong together, and are scored together."""

    name: str
    collections: tuple[Collection, ...]

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return sum(len(one.questions) for one in self.collections)

    def sampled(self, most: int | None) -> "RetrievalSet":
        """At most so many questions, drawn over all stores; a store that is asked none is left."""
        if most is None or most >= self.questions:
            return self
        every = [(at, q.id) for at, one in enumerate(self.collections) for q in one.questions]
        kept = set(Random(_SEED).sample(every, most))
        fewer = (
            replace(one, questions=tuple(q for q in one.questions if (at, q.id) in kept))
            for at, one in enumerate(self.collections)
        )
        return replace(self, collections=tuple(one for one in fewer if one.questions))


def load(folder: Path, names: Sequence[str] = ()) -> list[RetrievalSet]:
    """The sets of a folder, or those of them that are named.

    Raises:
        NotFoundError: There are none, or not those.
        InvalidInputError: A line of a file is not a store.
    """
    files = {name: path for path in _files(folder) if (name := _name(path))}
    if not files:
        raise NotFoundError(
            f"there are no sets in {folder}", remedy="Name a folder that holds *.jsonl.gz files"
        )
    for name in names:
        if name not in files:
            raise NotFoundError(
                f"there is no set {name!r:.60} in {folder}",
                remedy=f"Use one of: {', '.join(files)}",
            )
    return [_read(name, files[name]) for name in names or files]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise NotFoundError(
            f"{folder} cannot be listed: {error.strerror}", remedy="Name a folder of sets"
        ) from error


def _name(path: Path) -> str:
    for ending in _ENDINGS:
        if path.name.endswith(ending):
            return path.name.removesuffix(ending)
    return ""


def _read(name: str, path: Path) -> RetrievalSet:
    found: list[Collection] = []
    try:
        with _opened(path) as lines:
            found.extend(_collection(json.loads(line)) for line in lines if line.strip())
    except (ValueError, KeyError, TypeError, OSError, EOFError) as error:
        raise InvalidInputError(
            f"{path.name} is no set; its store number {len(found) + 1}: {error!r:.100}",
            remedy="Each line is a store: its documents under `corpus`, its questions under"
            " `queries`",
        ) from error
    return RetrievalSet(name, tuple(found))


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _collection(line: Mapping[str, Any]) -> Collection:
    documents = tuple(map(_document, line["corpus"]))
    known = {one.id for one in documents}
    if len(known) < len(documents):
        raise ValueError("two documents of a store have the same id")
    questions = tuple(map(_question, line["queries"]))
    for one in questions:
        if missing := (one.gold | one.latest) - known:
            raise ValueError(f"question {one.id}: there is no document {min(missing)}")
    return Collection(str(line["store"]), documents, questions)


def _document(given: Mapping[str, Any]) -> Document:
    at = given.get("timestamp")
    return Document(
        id=given["id"],
        text=given["text"],
        timestamp=None if at is None else _instant(at),
        session=given.get("session"),
        speaker=given.get("speaker"),
    )


def _instant(text: str) -> datetime:
    """A time of which nobody said where is taken as if it were universal."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _question(given: Mapping[str, Any]) -> Question:
    return Question(
        id=given["id"],
        text=given["text"],
        gold=frozenset(given["gold"]),
        category=given.get("category") or "",
        latest=frozenset(given.get("gold_latest") or ()),
    )
