"""Writes the training corpus as JSON lines, with a table of where each part comes from.

    python -m training.harvest.build MIRRORS PACKAGES DEBIAN OUT

MIRRORS holds git repositories (owner+name/repo), PACKAGES holds sdists and wheels with a list
`licences.tsv`, DEBIAN holds unpacked Debian packages. Nothing here reads the sets that recall is
measured on, and the projects they are made of are left out by name.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from . import catalogue, code, commits, dialogues, markup, questions
from .items import Item, Mirror, Text, texts
from .probes import Prober

EXCLUDED = re.compile(
    r"attrs|httpx|sqlite.utils|^llm$|locomo|beam|longmem|cosqa|codesearchnet|prefeval|madial|memsim|qmsum",
    re.I,
)
HELD_OUT_PACKAGES = frozenset(
    "toolz more-itertools boltons humanize arrow peewee textblob networkx beets tinydb".split()
)
Job = tuple[str, str, Callable[[], Iterator[Item]]]


def first_names(mirrors: Path) -> list[str]:
    """First names of several languages, from a public-domain collection."""
    names: list[str] = []
    mirror = Mirror(mirrors / "dariusk+corpora/repo")
    for path in mirror.paths(r"humans/(firstNames|spanishFirstNames|norwayFirstNames\w+)\.json$"):
        for value in json.loads(mirror.read(path)).values():
            if isinstance(value, list):
                names += [name for name in value if isinstance(name, str)]
    return sorted(set(names))


def headed(mirror: Mirror, pattern: str, limit: int) -> Iterator[Item]:
    """The sections of a repository's documents, read by their file ending."""
    reader = (
        markup.rst if "rst" in pattern else markup.markup if "html" in pattern else markup.markdown
    )
    for document in mirror.documents(pattern, limit):
        yield from markup.harvest(reader(document))


def lines(mirror: Mirror, pattern: str, most: int) -> Iterator[Item]:
    """Files with one sentence a line."""
    yield from questions.sentences(mirror.documents(pattern, 400), most)


def fiction(mirror: Mirror) -> Iterator[Item]:
    """Paragraphs of a novel."""
    for document in mirror.documents(
        r"src/epub/text/(?!(colophon|imprint|titlepage|uncopyright|toc)).*\.xhtml$", 80
    ):
        for _, paragraphs in markup.markup(document):
            yield from texts(*paragraphs[:400])


def debian(folder: Path, pattern: str) -> Iterator[Item]:
    """Manual pages and HTML documents of unpacked packages."""
    files = sorted(
        path for path in folder.glob(pattern) if path.is_file() and path.stat().st_size < 800_000
    )
    for path in files[:: max(1, len(files) // 900)]:
        raw = path.read_bytes()
        source = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "replace")
        reader = markup.manual if "/man" in str(path) else markup.markup
        title = path.name.split(".")[0] if "/man" in str(path) else ""
        yield from markup.harvest(reader(source), title)


def labelled(mirror: Mirror, pattern: str) -> Iterator[Item]:
    """Requests with an intent, from CSV with a text first or JSON lists of [text, intent]."""
    rows: list[tuple[str, str]] = []
    for path in mirror.paths(pattern):
        content = mirror.read(path).decode("utf-8", "replace")
        if path.endswith(".json"):
            rows += [
                (text, label)
                for part in json.loads(content).values()
                for text, label in part
                if label != "oos"
            ]
        elif ";" in content.split("\n", 1)[0]:
            rows += [
                (r["answer"], r["intent"])
                for r in csv.DictReader(io.StringIO(content), delimiter=";")
                if r.get("answer")
            ]
        else:
            rows += [(r["text"], r["category"]) for r in csv.DictReader(io.StringIO(content))]
    yield from questions.intents(rows)


def jobs(mirrors: Path, packages: Path, system: Path) -> list[Job]:
    """Every source: name, licence, and what to call for its items."""
    found = [
        *_conversations(mirrors),
        *_documents(mirrors),
        *(
            (f"debian:{name}", licence, partial(debian, system, pattern))
            for name, licence, pattern in catalogue.DEBIAN
        ),
        (
            "debian:wordnet-base",
            "WordNet",
            partial(questions.glosses, system / "usr/share/wordnet"),
        ),
        *(
            (f"pypi:{name}", licence, partial(code.package, archive))
            for name, licence, archive in _packages(packages)
        ),
    ]
    return [job for job in found if not EXCLUDED.search(job[0].split("/")[-1])]


def _at(mirrors: Path, name: str) -> Mirror:
    return Mirror(mirrors / name.replace("/", "+") / "repo")


def _conversations(mirrors: Path) -> Iterator[Job]:
    prober = Prober(first_names(mirrors))
    for name, licence, reader in catalogue.DIALOGUES:
        yield name, licence, partial(getattr(dialogues, reader), _at(mirrors, name), prober)
    for name, licence, reader in catalogue.QUESTIONS:
        yield name, licence, partial(getattr(questions, reader), _at(mirrors, name))
    for name, licence, pattern in catalogue.INTENTS:
        yield name, licence, partial(labelled, _at(mirrors, name), pattern)


def _documents(mirrors: Path) -> Iterator[Job]:
    for name, licence, pattern, limit in catalogue.DOCUMENTS:
        yield name, licence, partial(headed, _at(mirrors, name), pattern, limit)
    for name, licence, pattern, limit in catalogue.SENTENCES:
        yield name, licence, partial(lines, _at(mirrors, name), pattern, limit)
    for name in catalogue.NOVELS:
        mirror = _at(mirrors, f"standardebooks/{name}")
        yield f"standardebooks/{name}", "CC0-1.0", partial(fiction, mirror)
    for name, licence in catalogue.PROJECTS:
        yield f"{name} (history)", licence, partial(commits.harvest, _at(mirrors, name))


def _packages(folder: Path) -> Iterator[tuple[str, str, Path]]:
    for line in (folder / "licences.tsv").read_text("utf-8").splitlines():
        name, version, filename, licence = line.split("\t")[:4]
        if name not in HELD_OUT_PACKAGES and catalogue.permissive(licence):
            yield f"{name} {version}", licence, folder / filename


_JOBS: list[Job] = []


def _fields(item: Item) -> tuple[str, ...]:
    return (item.text,) if isinstance(item, Text) else (item.kind, item.query, item.document)


def _run(place: int) -> tuple[int, list[tuple[str, ...]]]:
    kept: list[tuple[str, ...]] = []
    try:
        kept.extend(map(_fields, _JOBS[place][2]()))
    except Exception as problem:  # One broken source must not end the harvest.
        print(f"{_JOBS[place][0]}: {problem!r}", file=sys.stderr)
    return place, kept


def main(mirrors: str, packages: str, system: str, out: str) -> None:
    """Runs every source, drops repetitions, and writes texts, pairs and the table of origins."""
    _JOBS.extend(jobs(Path(mirrors), Path(packages), Path(system)))
    target, seen = Path(out), set[bytes]()
    target.mkdir(parents=True, exist_ok=True)
    counts: Counter[tuple[str, str, str]] = Counter()
    with (
        ProcessPoolExecutor(2) as pool,
        (target / "texts.jsonl").open("w", encoding="utf-8") as alone,
        (target / "pairs.jsonl").open("w", encoding="utf-8") as paired,
    ):
        for place, kept in pool.map(_run, range(len(_JOBS))):
            name, licence, _ = _JOBS[place]
            for item in kept:
                digest = hashlib.blake2b(
                    "\0".join(item).casefold().encode(), digest_size=9
                ).digest()
                if digest in seen:
                    continue
                seen.add(digest)
                kind = "text" if len(item) == 1 else "pair"
                print(
                    json.dumps([name, *item], ensure_ascii=False),
                    file=alone if kind == "text" else paired,
                )
                counts[name, licence, kind] += 1
    with (target / "origins.tsv").open("w", encoding="utf-8") as table:
        for name, licence in dict.fromkeys((name, licence) for name, licence, _ in counts):
            print(
                name,
                licence,
                counts[name, licence, "text"],
                counts[name, licence, "pair"],
                sep="\t",
                file=table,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
