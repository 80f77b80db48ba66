"""Questions with answers or passages, requests of one intent, definitions, plain sentences."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from .items import Item, Mirror, pair, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

HELD_OUT_OFFSETS = 40


def passages(mirror: Mirror) -> Iterator[Item]:
    """XQuAD: the same questions and passages in several languages."""
    for document in mirror.documents(r"^xquad\.(en|de|es|ru|zh)\.json$", 9):
        for article in json.loads(document)["data"]:
            for paragraph in article["paragraphs"]:
                yield from texts(paragraph["context"])
                for question in paragraph["qas"]:
                    yield from texts(question["question"])
                    yield from pair("question", question["question"], paragraph["context"])


def disfluent(mirror: Mirror) -> Iterator[Item]:
    """Disfl-QA: a question as written and as stumbled over."""
    for document in mirror.documents(r"\.json$", 9):
        for row in json.loads(document).values():
            yield from texts(row["original"])
            yield from pair("paraphrase", row["disfluent"], row["original"])


def open_questions(mirror: Mirror) -> Iterator[Item]:
    """Natural Questions: what people ask a search engine, with short answers."""
    for document in mirror.documents(r"^nq_open/.*(dev|test)\S*jsonl$", 9):
        for line in document.splitlines():
            row = json.loads(line)
            yield from texts(row["question"])
            if row.get("answer"):
                yield from pair("answer", row["question"], ", ".join(row["answer"][:2]))


def well_formed(mirror: Mirror) -> Iterator[Item]:
    """Query-wellformedness: questions as people type them."""
    for document in mirror.documents(r"\.tsv$", 9):
        yield from texts(*[line.split("\t")[0] for line in document.splitlines()])


def sums(mirror: Mirror) -> Iterator[Item]:
    """GSM8K: little stories with numbers, and how they are solved."""
    for document in mirror.documents(r"data/(train|test)\.jsonl$", 9):
        for line in document.splitlines():
            row = json.loads(line)
            answer = re.sub(r"<<[^>]*>>", "", row["answer"].split("####")[0])
            yield from texts(row["question"])
            yield from pair("answer", row["question"], answer)


def everyday(mirror: Mirror) -> Iterator[Item]:
    """CosmosQA: stretches of diaries, with questions about what is between the lines."""
    for document in mirror.documents(r"^data/valid\.csv$", 9):
        for row in csv.DictReader(io.StringIO(document)):
            answer = row[f"answer{row['label']}"]
            yield from texts(row["context"], answer)
            yield from pair("question", row["question"] + " " + answer, row["context"])


def habits(mirror: Mirror) -> Iterator[Item]:
    """ProtoQA: what most people say when asked about daily life."""
    for document in mirror.documents(r"^data/dev/dev\.(scraped|crowdsourced)\.jsonl$", 9):
        for line in document.splitlines():
            row = json.loads(line)
            clusters = row["answers"]["clusters"].values()
            answers = [cluster["answers"][0] for cluster in clusters if cluster["answers"]]
            yield from texts(row["question"]["original"])
            yield from pair("answer", row["question"]["original"], ", ".join(answers))


def papers(mirror: Mirror) -> Iterator[Item]:
    """SciTLDR: abstracts and what they boil down to."""
    for document in mirror.documents(r"SciTLDR-A/\w+\.jsonl$", 9):
        for line in document.splitlines():
            row = json.loads(line)
            abstract = " ".join(row["source"])
            yield from texts(abstract, *row["target"][:1])
            yield from pair("summary", row.get("title") or row["target"][0], abstract)


def intents(rows: Iterable[tuple[str, str]], seed: int = 3) -> Iterator[Item]:
    """Requests labelled with what they want: two of one label are a pair."""
    groups: dict[str, list[str]] = defaultdict(list)
    for text, label in rows:
        groups[label].append(text)
    draw = random.Random(seed)
    for requests in groups.values():
        draw.shuffle(requests)
        yield from texts(*requests)
        for one, other in zip(requests[:120:2], requests[1:120:2], strict=False):
            yield from pair("intent", one, other)


def glosses(folder: Path, held_out: bool = False) -> Iterator[Item]:
    """WordNet: a word looks for its meaning; a share is kept for testing."""
    for name in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{name}").read_text("utf-8").splitlines():
            if line.startswith(" "):
                continue
            data, _, gloss = line.partition("|")
            fields = data.split()
            words = [fields[4 + 2 * i].replace("_", " ") for i in range(int(fields[3], 16))]
            words = [re.sub(r"\([a-z]+\)$", "", word) for word in words]
            if (int(fields[0]) % HELD_OUT_OFFSETS == 0) != held_out:
                continue
            meaning, *examples = re.split(r';\s*"', gloss.strip())
            yield from pair("gloss", ", ".join(words), meaning)
            yield from texts(
                f"{words[0]}: {meaning}", *[example.strip('" ;') for example in examples]
            )


def sentences(documents: Iterable[str], most: int) -> Iterator[Item]:
    """One text a line, evenly thinned."""
    for document in documents:
        lines = document.splitlines()
        yield from texts(*lines[:: max(1, len(lines) // most)])
