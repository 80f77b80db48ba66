"""Agents write, people edit the same files, syncs are cut off anywhere: nobody's word is lost.

People are played without Lamina's own reader: they change lines of text. Every word that anybody
writes is told apart by a token of its own, so that it can be looked for afterwards: in what is
current, in history and proposals, and in the copies that were kept aside.
"""

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lamina
from lamina import ConflictError, Memory
from lamina.core.record import Record
from lamina.files import Files, placing, syncing, taking, telling
from tests.faults.people import EMOJI, People, tokens
from tests.faults.report import Report, Tell

PLACES = (":memory:", "json:{folder}/store.json", "{folder}/store")
"""Mostly without a disk of its own: what is tried is the merge."""
WEIGHTS = (6, 1, 3)
CUTS: tuple[tuple[object, str], ...] = (
    (syncing, "write_bases"), (placing, "write_bases"), (placing, "_placed"), (placing, "_written"),
    (telling, "exchanged"), (taking.Taking, "commit"),
)  # fmt: skip
"""Where a sync may end."""


class CutError(BaseException):
    """The process ended here: nothing may go on, not even with the next file."""


@contextmanager
def ended_in(owner: Any, name: str, calls: int, *, after: bool) -> Iterator[None]:
    """The process ends in the so many-th call of a function: before it does its work, or after."""
    real: Callable[..., object] = getattr(owner, name)
    left = calls

    def call(*args: object, **named: object) -> object:
        nonlocal left
        left -= 1
        if left <= 0 and not after:
            raise CutError
        result = real(*args, **named)
        if left <= 0:
            raise CutError
        return result

    setattr(owner, name, call)
    try:
        yield
    except CutError:
        pass
    finally:
        setattr(owner, name, real)


class Play(People):
    """One store, its files, and everybody who works on them."""

    def __init__(self, seed: int, folder: Path) -> None:
        super().__init__()
        self.random = random.Random(seed)
        self.folder = folder
        place = self.random.choices(PLACES, WEIGHTS)[0].format(folder=folder)
        self.mem: Memory = lamina.open(place)
        self.mem.configure("recall.embedder", "off")
        self.agent = self.mem.agent("finn", project="web")
        self.root = folder / "files"
        self.root.mkdir()
        self.files = Files(self.mem, self.root)
        self.files.patience = 0

    # -- agents

    def write(self) -> None:
        """An agent learns something."""
        token = self.token("ag")
        key = self.random.choice((None, f"k{self.random.randrange(6)}"))
        text = f"{token} {self.random.choice(EMOJI)}"
        if self.random.random() < 0.3:
            text += "\n\n- a list\n# no heading\n   indented  \n"
        kind = self.random.choice(("decision", "convention", "fact"))
        held = self.agent.knowledge.get(kind, key) if key else None
        self.touch(held)
        self.agent.remember(text, kind=kind, key=key, scope="project/web")
        self.agents.add(token)

    def revise(self) -> None:
        """An agent changes or forgets what stands there, or its own status and tasks."""
        known = self.mem.query({"layer": "knowledge", "scope": "project/web"}, limit=50)
        choice = self.random.random()
        if choice < 0.25 or not known:
            token = self.token("ag")
            self.touch(self._now("objective"))
            self.agent.now.update(f"{token} next")
            self.agents.add(token)
        elif choice < 0.45:
            token = self.token("ag")
            self.agent.task.add(token, f"{token} to do")
            self.agents.add(token)
        elif choice < 0.55:
            self.agent.log.thought("hm")
        else:
            record = self.random.choice(known)
            self.touch(record)
            if choice < 0.9:
                token = self.token("ag")
                self.agent.edit(record.id, f"{token} anew")
                self.agents.add(token)
            else:
                self.mem.forget(record.id)

    def _now(self, key: str) -> Record | None:
        where = {"layer": "now", "scope": "project/web/agent/finn", "key": key}
        return next(iter(self.mem.query(where, limit=1)), None)

    # -- the machine

    def sync(self) -> None:
        """Files and store come together."""
        kept = self._kept()
        self.files.sync()
        self._settle(kept)

    def _kept(self) -> int:
        return sum(1 for _ in (self.root / "kept").rglob("*"))

    def _settle(self, kept: int) -> None:
        """Where too much was removed at once, it was all put back, and a copy kept."""
        self.doubted = set()
        if self._kept() > kept:
            self.human.removed = set()

    def cut(self) -> None:
        """A sync that ends somewhere in the middle."""
        left = self.random.randrange(1, 6)
        owner, name = self.random.choice(CUTS)
        kept = self._kept()
        with ended_in(owner, name, left, after=self.random.random() < 0.5):
            self.files.sync()
            self.doubted = set()
        if self._kept() > kept:
            self.human.removed = set()

    def snapshot(self) -> dict[str, bytes]:
        """Every file that people see."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".projected" not in path.parts and "kept" not in path.parts
        }


def violations(play: Play) -> list[str]:
    """What is not as it should be after the last sync."""
    current = play.mem.query({"layer": {"$in": ["knowledge", "now", "task"]}}, limit=10_000)
    now: dict[str, int] = {}
    for record in current:
        for token in tokens(f"{record.text} {record.key or ''}"):
            now[token] = now.get(token, 0) + 1
    ever = set(now)
    states = ["proposed", "forgotten", "superseded", "archived", "current"]
    for record in play.mem.query({"state": {"$in": states}}, limit=10_000):
        for version in play.mem.history(record.id):
            if version.record is not None:
                ever |= tokens(f"{version.record.text} {version.record.key or ''}")
    for path in (play.root / "kept").rglob("*"):
        if path.is_file():
            ever |= tokens(path.read_text(encoding="utf-8", errors="replace"))
    wrong = [f"{token}: lost" for token in (play.human.standing | play.agents) - ever]
    untouched = play.human.standing - play.touched
    wrong += [f"{token}: no longer current" for token in untouched - set(now) if token in ever]
    wrong += [f"{token}: {times} times" for token, times in now.items() if times > 1]
    back = (play.human.removed & set(now)) - play.touched
    wrong += [f"{token}: removed, and there again" for token in back]
    return wrong


def one_play(seed: int, folder: Path) -> list[str]:
    """One interleaving; what it violated."""
    play = Play(seed, folder)
    acts = (play.write, play.revise, play.edit, play.edit, play.edit, play.sync, play.cut)
    for _ in range(3):
        play.write()
    play.sync()
    try:
        for _ in range(play.random.randrange(8, 25)):
            play.random.choice(acts)()
        play.sync()
        wrong = violations(play)
        before = play.snapshot()
        play.sync()
        wrong += [f"{name}: not as after the first sync" for name in _differing(before, play)]
        for name in ("projects", "agents", ".projected"):
            shutil.rmtree(play.root / name, ignore_errors=True)
        play.sync()
        wrong += [f"{name}: not as it was before" for name in _differing(before, play)]
    except ConflictError as error:
        wrong = [str(error)]
    finally:
        play.mem.close()
    return wrong


def _differing(before: dict[str, bytes], play: Play) -> set[str]:
    after = play.snapshot()
    names = before.keys() | after.keys()
    return {name for name in names if before.get(name) != after.get(name)}


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Play `size` interleavings."""
    report = Report("files", seed, 0)
    for number in range(size):
        here = folder / str(number)
        here.mkdir()
        wrong = one_play(seed * 1_000_000 + number, here)
        report.violations += [f"seed {seed} play {number}: {line}" for line in wrong]
        report.trials += 1
        shutil.rmtree(here, ignore_errors=True)
        tell(report.trials, size)
    return report
