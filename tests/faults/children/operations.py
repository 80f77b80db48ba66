"""Every operation that may be interrupted, by name; a killed process repeats one of them.

Each says what it is about to do and, once it was acknowledged, what it has been promised.
"""

import contextlib
import functools
import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lamina
from lamina.clock import fresh_id
from lamina.core import canonical
from lamina.core.changes import Receipt
from lamina.core.draft import DEFAULT_LAYER, Draft
from lamina.core.indexing import index_terms
from lamina.core.instants import from_text
from lamina.core.principal import Surface
from lamina.embedding import Vectors
from lamina.errors import StoreUnavailableError
from lamina.exchange import export_lines, import_lines
from lamina.maintaining import analysed
from lamina.stores.base import Store
from lamina.stores.ledger import Ledger
from lamina.stores.sql.driver import rows
from lamina.stores.sqlite import DATABASE, LEDGER, care, driver
from lamina.stores.sqlite.care.rewriting import rewrite
from lamina.stores.sqlite.store import SqliteStore
from lamina.surfaces.cli.exchange import write_whole
from lamina.testing.embedders import FakeEmbedder
from tests.faults.children.work import BACKUP, DIMENSIONS, EXPORT, NEW, OLD, Work, first_word
from tests.stores import segmented

BATCH = 5
IMPORTED = 40
KEPT = "1"
"""Versions before the newest that maintenance leaves: enough to undo."""
FIRST_FORMAT = Path(__file__).parents[2] / "stores" / "released" / "format-1.db.gz"


def remember(work: Work) -> None:
    """A record without a key."""
    text = work.text()
    work.began(remember=None)
    work.kept(work.mem.remember(text), [text])


def supersede(work: Work) -> None:
    """A new value for a key."""
    key, text = work.key(), work.text()
    work.began(remember=key)
    work.kept(work.mem.remember(text, key=key), [text])


def batch(work: Work) -> None:
    """Several records in one commit."""
    texts = [work.text() for _ in range(BATCH)]
    drafts = _group(texts)
    work.began(batch=BATCH)
    work.kept(work.mem.remember_many(drafts), texts)


def edit(work: Work) -> None:
    """A new version, if nobody was faster."""
    record, text = work.holder(), work.text()
    work.began(edit=record.id)
    work.kept(work.mem.edit(record.id, text, expect=record.rev), [text])


def forget(work: Work) -> None:
    """Hide a record; its words leave the index."""
    record = work.holder()
    work.began(forget=record.id)
    work.kept(work.mem.forget(record.id), [record.text])


def undo(work: Work) -> None:
    """Take back a change of a value, or a record's first appearance."""
    before, text = work.holder(), work.text()
    work.began(remember=before.key)
    receipt = work.mem.remember(text, key=before.key)
    work.kept(receipt, [text])
    work.began(undo=receipt.tx)
    work.kept(work.mem.undo(receipt.tx), [before.text])


def erase(work: Work) -> None:
    """Remove a record and look for its bytes, in a process of its own."""
    record = work.holder()
    work.began(erase=record.id)
    gone = work.mem.erase(record.id)
    work.did(erased=list(gone.records))


def tombstone(work: Work) -> None:
    """Only the commit of an erase, which is too short to be hit while the search takes long."""
    record = work.holder()
    path = work.mem.path_for(Surface.LIBRARY)
    work.began(erase=record.id)
    path.commit([path.erase(record)])
    work.did(erased=[record.id])


def reveal(work: Work) -> None:
    """Seal a secret on the way in, and read it, which the log notes."""
    letters = "".join(work.chance.choices("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=36))
    secret = f"ghp_{letters}"
    text = f"{work.text()} token {secret}"
    work.began(remember=None)
    receipt = work.mem.remember(text)
    work.kept(receipt, [text])
    [reference] = receipt.sealed
    work.began(reveal=receipt.id)
    assert work.mem.reveal(receipt.id, reference) == secret
    work.did(revealed=[receipt.id, reference, secret])


def take_in(work: Work) -> None:
    """Import lines that another store exported."""
    texts = [work.text() for _ in range(IMPORTED)]
    lines = [{**_a_line(), "id": fresh_id(), **draft} for draft in _group(texts)]
    work.began(batch=IMPORTED)
    report = import_lines(work.mem, [canonical.dumps(line) for line in lines])
    assert report.added == IMPORTED, report
    kept = [(line["id"], 1, "current", first_word(line["text"])) for line in lines]
    work.did(kept=kept)


@functools.cache
def _a_line() -> dict[str, Any]:
    """One exported record, to make others after it."""
    with lamina.open(":memory:") as other:
        other.remember("what a line looks like")
        [line] = export_lines(other)
    return dict(json.loads(line))


def export(work: Work) -> None:
    """Write everything to a file that is replaced only when it is whole."""
    remember(work)
    target = work.folder / EXPORT
    work.began(export=True)
    write_whole(target, export_lines(work.mem), lambda _: None)
    work.did(exported=hashlib.sha256(target.read_bytes()).hexdigest())


def reindex(work: Work) -> None:
    """Build the keyword index anew, as `lamina doctor --repair` does."""
    remember(work)
    work.began(reindex=True)
    work.mem.store.reindex(lambda record: index_terms(record, record.key))
    work.did(reindexed=True)


def configure(work: Work) -> None:
    """Choose a setting for everyone."""
    value = "review" if work.number() % 2 else "newest"
    work.began(configure=value)
    work.mem.configure("knowledge.ties", value)
    work.did(configured=value)


def flush(work: Work) -> None:
    """A write that waits for the next sync, and the sync."""
    key, text = work.key(), work.text()
    work.began(remember=key)
    work.kept(_signal(work, key, text), [text])
    work.began(flush=True)
    work.mem.flush()
    work.did(flushed=True)


def read(work: Work) -> None:
    """Look without changing anything."""
    key = work.key()
    work.began(read=key)
    work.mem.query({"key": key})
    work.mem.recall("filler1 filler2", k=3)
    work.did(read=key)


def start(work: Work) -> None:
    """Make a store where there is none, and write to it."""
    name = f"{NEW}{work.name}-{work.number()}"
    work.began(open=name)
    with lamina.open(work.folder / name) as mem:
        receipt = mem.remember("the first of its store")
    work.did(opened=[name, receipt.id])


def migrate(work: Work) -> None:
    """Open a store of the first released format, which brings it to the newest."""
    name = f"{OLD}{work.name}-{work.number()}"
    folder = work.folder / name
    folder.mkdir()
    lay_old_store(folder)
    work.began(migrate=name)
    with lamina.open(folder) as mem:
        mem.count()
    work.did(migrated=name)


def maintain(work: Work) -> None:
    """Drop old versions, of which there are some."""
    supersede(work)
    setting = f"history.{DEFAULT_LAYER}"
    if work.mem.settings()[setting] != KEPT:
        work.mem.configure(setting, KEPT)
    work.began(maintain=True)
    work.mem.maintain(confirm=True)
    work.did(maintained=True)


def backup(work: Work) -> None:
    """Copy the whole store while it is in use; a name stands for a finished copy only."""
    remember(work)
    target = work.folder / f"{BACKUP}{work.name}-{work.number()}"
    work.began(backup=target.name)
    work.mem.backup(target)
    work.did(backed_up=target.name)


def doctor(work: Work) -> None:
    """Look the store over, with and without an anchor."""
    remember(work)
    work.began(doctor=True)
    work.mem.check()
    work.mem.verify(work.mem.anchor())
    work.did(looked_over=True)


def repair(work: Work) -> None:
    """Build anew what follows from the records; now and then the whole file."""
    remember(work)
    store = work.mem.store
    assert isinstance(store, SqliteStore)
    work.began(repair=True)
    if work.chance.random() < 0.5:
        # A neighbour in the store keeps it from being written anew.
        with contextlib.suppress(StoreUnavailableError):
            rewrite(store._connections, lambda fresh: care.reindex(fresh, analysed))
    else:
        store.repair(analysed)
    work.did(repaired=True)


def embed(work: Work) -> None:
    """Make the vectors that are pending."""
    remember(work)
    work.began(embed=True)
    made = vectors_of(work.mem.store).make()
    work.did(embedded=made)


def fold(work: Work) -> None:
    """Make or join segments of what is new."""
    segmented.everything_is_large()
    embed(work)
    work.began(fold=True)
    work.mem.store.fold()
    work.did(folded=True)


def leave(work: Work) -> None:
    """Drop all vectors, which are made again by and by."""
    fold(work)
    work.began(leave=True)
    work.mem.store.leave_space(FakeEmbedder(DIMENSIONS).fingerprint)
    work.did(left=True)


def mixed(work: Work) -> None:
    """Any of the others."""
    OPERATIONS[work.chance.choice([name for name in OPERATIONS if name != "mixed"])](work)


# Whatever the store learns to do later belongs here as well.
OPERATIONS: dict[str, Callable[[Work], None]] = {
    "remember": remember, "supersede": supersede, "batch": batch, "edit": edit, "forget": forget,
    "undo": undo, "erase": erase, "tombstone": tombstone, "reveal": reveal, "import": take_in,
    "export": export, "reindex": reindex, "configure": configure, "flush": flush, "read": read,
    "maintain": maintain, "backup": backup, "doctor": doctor, "repair": repair, "open": start,
    "migrate": migrate, "embed": embed, "fold": fold, "leave": leave, "mixed": mixed,
}  # fmt: skip


def lay_old_store(folder: Path) -> None:
    """Put a store of the first released format into a folder, whole or not at all."""
    part = folder / "part"
    part.write_bytes(gzip.decompress(FIRST_FORMAT.read_bytes()))
    connection = driver.connect(part, create=False)
    erased = list(rows(connection, "select record, at from event where action = 'erased'"))
    connection.close()
    for record_id, at in erased:
        Ledger(folder / LEDGER).add([record_id], from_text(at))
    part.replace(folder / DATABASE)


def vectors_of(store: Store) -> Vectors:
    """The vectors of a store, made without a model."""
    return Vectors(store, FakeEmbedder(DIMENSIONS))


def _group(texts: list[str]) -> list[Draft]:
    """Drafts that know how many of them there must be."""
    name = first_word(texts[0])
    return [{"text": text, "data": {"group": name, "of": len(texts)}} for text in texts]


def _signal(work: Work, key: str, text: str) -> Receipt:
    return work.mem.remember(text, key=f"signal-{key}", layer="blackboard")
