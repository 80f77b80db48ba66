"""A writer whose every system call is recorded: mixed operations, each told when it is done.

What it says is a call among its calls, so the record shows what was acknowledged before a cut.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import lamina
from lamina.core.changes import Action, Receipt
from lamina.core.indexing import index_terms
from lamina.exchange import export_lines, import_lines
from lamina.surfaces.cli.exchange import write_whole

STORE = Path("deep") / "store"
OUT = Path("out")
SECRET_WORDS = "and the password of the build server is "


def digest(content: str | bytes) -> str:
    """What stands for a text or a file in an acknowledgement."""
    whole = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(whole).hexdigest()[:20]


class Writer:
    """One process that writes, and what it knows of its records."""

    def __init__(self, root: Path, seed: int, number: int) -> None:
        self.root = root
        self.number = number
        self.rng = Random(f"{seed}/{number}")
        self.mem = lamina.open(root / STORE)
        self.ids: list[str] = []
        self.said = 0
        self.saves = 0
        self.saved: Path | None = None
        self.ids_saved: list[str] = []

    def tell(self, **fact: Any) -> None:
        """Acknowledge, in one call."""
        line = json.dumps({"by": self.number, **fact})
        os.writev(1, [f"ack {line}\n".encode()])

    def text(self) -> str:
        """Words that occur nowhere else, few or many."""
        self.said += 1
        canary = self.rng.randbytes(8).hex()
        filling = " ".join(f"w{self.rng.randrange(500)}" for _ in range(self.rng.randrange(120)))
        return f"{canary} of writer {self.number} note {self.said} {filling}"

    def key(self) -> str:
        """One of a few names, so that values are replaced."""
        return f"key-{self.number}-{self.rng.randrange(4)}"

    def kept(self, receipt: Receipt) -> None:
        """Tell what a commit left in the store."""
        records = self.mem.store.get(self.mem.reach, [one.id for one in receipt.outcomes])
        synced = receipt.durability == "synced"
        rows = [[one.id, one.rev, digest(one.text)] for one in records]
        self.tell(kept=rows, synced=synced)

    def one(self) -> str | None:
        """A record of ours that is still there."""
        return self.rng.choice(self.ids) if self.ids else None

    # -- the operations

    def remember(self) -> None:
        receipt = self.mem.remember(self.text(), tags=["plain"])
        self.ids.append(receipt.id)
        self.kept(receipt)

    def supersede(self) -> None:
        self.kept(self.mem.remember(self.text(), key=self.key(), layer="fact"))

    def batch(self) -> None:
        number = self.rng.randint(2, 12)
        receipt = self.mem.remember_many([{"text": self.text()} for _ in range(number)])
        self.ids += [one.id for one in receipt.outcomes]
        self.kept(receipt)

    def edit(self) -> None:
        if name := self.one():
            self.kept(self.mem.edit(name, self.text()))

    def forget_and_undo(self) -> None:
        if name := self.one():
            receipt = self.mem.forget(name)
            self.kept(receipt)
            if receipt.outcomes[0].action is Action.MOVED and self.rng.random() < 0.5:
                self.kept(self.mem.undo(receipt.tx))

    def erase(self) -> None:
        if name := self.one():
            texts = [one.record.text for one in self.mem.history(name) if one.record]
            report = self.mem.erase(name)
            self.ids.remove(name)
            canaries = [text.split()[0] for text in texts]
            self.tell(erased=list(report.records), canaries=canaries if report.complete else [])

    def signal(self) -> None:
        self.kept(self.mem.remember(self.text(), key=self.key(), layer="blackboard"))

    def think(self) -> None:
        self.kept(self.mem.remember(self.text(), key=self.key(), layer="working"))

    def flush(self) -> None:
        self.signal()
        self.mem.flush()
        self.tell(flushed=True, synced=True)

    def configure(self) -> None:
        value = self.rng.choice(["newest", "review"])
        self.mem.configure("knowledge.ties", value)
        self.tell(setting=value, synced=True)

    def seal(self) -> None:
        secret = f"Zq7-{self.rng.randbytes(12).hex()}-Kx"
        receipt = self.mem.remember(f"{self.text()} {SECRET_WORDS}{secret}")
        self.ids.append(receipt.id)
        self.kept(receipt)
        self.tell(sealed=[receipt.id, receipt.sealed[0], secret])

    def export(self) -> None:
        target = self.root / OUT / f"export-{self.number}.jsonl"
        write_whole(target, export_lines(self.mem), lambda _: None)
        self.tell(file=str(target.relative_to(self.root)), digest=digest(target.read_bytes()))

    def take_in(self) -> None:
        with lamina.open(":memory:") as other:
            for _ in range(5):
                other.remember(self.text())
            lines = list(export_lines(other))
        import_lines(self.mem, lines)
        values = [json.loads(line) for line in lines]
        self.ids += [value["id"] for value in values]
        rows = [[value["id"], value["rev"], digest(value["text"])] for value in values]
        self.tell(kept=rows, synced=True)

    def reindex(self) -> None:
        self.mem.store.reindex(lambda record: index_terms(record, record.key))
        self.tell(reindexed=True, synced=True)

    def back_up(self) -> None:
        self.saves += 1
        self.saved = self.root / OUT / f"backup-{self.number}-{self.saves}"
        self.ids_saved = list(self.ids)
        self.mem.backup(self.saved)
        self.tell(file=str(self.saved.relative_to(self.root)),
                  digest=digest(self.saved.read_bytes()), saved=True)  # fmt: skip

    def restore(self) -> None:
        """Back to the last backup; nobody else may have the store open."""
        if self.saved:
            self.mem.close()
            erased = lamina.restore(self.saved, self.root / STORE, replace=True).erased
            self.mem = lamina.open(self.root / STORE)
            self.ids = [one for one in self.ids_saved if one not in erased]
            self.tell(restored=str(self.saved.relative_to(self.root)), synced=True)

    def reopen(self) -> None:
        self.mem.close()
        self.mem = lamina.open(self.root / STORE)
        self.tell(reopened=True)


OPERATIONS = {
    "remember": 6, "supersede": 6, "batch": 3, "edit": 3, "forget_and_undo": 2, "erase": 3,
    "signal": 6, "think": 3, "flush": 2, "configure": 1, "seal": 1, "export": 2, "take_in": 1,
    "reindex": 1, "reopen": 2,
    "back_up": 2, "restore": 2,
}  # fmt: skip
ALONE = ("configure", "restore")
"""What is left out where there are two: its outcome would hang on who came last."""


def main(root: Path, seed: int, number: int, writers: int, steps: int) -> None:
    """Open the store, which may have to be made first, and work."""
    writer = Writer(root, seed, number)
    writer.tell(opened=True)
    names = [name for name in OPERATIONS if writers == 1 or name not in ALONE]
    weights = [OPERATIONS[name] for name in names]
    for name in writer.rng.choices(names, weights, k=steps):
        getattr(writer, name)()
    writer.mem.close()


if __name__ == "__main__":
    folder, given_seed, given_writers, given_steps = sys.argv[1:5]
    here = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    others = [
        subprocess.Popen([sys.executable, "-m", __spec__.name, *sys.argv[1:5], str(other)])
        for other in range(1, 1 if here else int(given_writers))
    ]
    main(Path(folder), int(given_seed), here, int(given_writers), int(given_steps))
    sys.exit(max((child.wait() for child in others), default=0))
