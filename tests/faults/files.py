"""Agents write, people edit the same files, syncs are cut off anywhere: nobody's word is lost.

People are played without Lamina's own reader: they change lines of text. Every word that anybody
writes is told apart by a token of its own, so that it can be looked for afterwards: in what is
current, in history and proposals, and in the copies that were kept aside.
"""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lamina
from lamina import ConflictError, Memory
from lamina.core.record import Record
from lamina.files import Files, syncing, taking, telling
from tests.faults.report import Report, Tell

PLACES = (":memory:", "json:{folder}/store.json", "{folder}/store")
"""Mostly without a disk of its own: what is tried is the merge."""
WEIGHTS = (6, 1, 3)
CUTS: tuple[tuple[object, str], ...] = (
    (syncing, "write_bases"), (syncing, "placed"), (syncing, "written"),
    (telling, "placed"), (taking.Taking, "commit"),
)  # fmt: skip
"""Where a sync may end."""
EMOJI = (
    "🎉",
    "👩‍👩‍👧",
    "naïve",
    "日本語",
    "`code`",
    "[[link]]",
    "#tag",
    "^not-an-id",
    "**bold**",
    "<b>",
)
HEADINGS = ("## Decisions", "## Conventions", "## Deployment notes", "### 2026-02-05")


class CutError(Exception):
    """The process ended here."""


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


@dataclass
class Human:
    """What one person wrote and has not taken back."""

    standing: set[str] = field(default_factory=set)
    """Tokens that must still be found."""
    removed: set[str] = field(default_factory=set)
    """Tokens that they removed and nobody else touched."""


class Play:
    """One store, its files, and everybody who works on them."""

    def __init__(self, seed: int, folder: Path) -> None:
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
        self.human = Human()
        self.agents: set[str] = set()
        self.touched: set[str] = set()
        """Tokens of records that an agent changed as well."""
        self.doubted: set[str] = set()
        """Tokens that went when a large part of a file did."""
        self.count = 0

    def token(self, who: str) -> str:
        """A word that occurs nowhere else."""
        self.count += 1
        return f"{who}{self.count:03d}q"

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
        self._touch(held)
        self.agent.remember(text, kind=kind, key=key, scope="project/web")
        self.agents.add(token)

    def revise(self) -> None:
        """An agent changes or forgets what stands there, or its own status and tasks."""
        known = self.mem.query({"layer": "knowledge", "scope": "project/web"}, limit=50)
        choice = self.random.random()
        if choice < 0.25 or not known:
            token = self.token("ag")
            self._touch(self._now("objective"))
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
            self._touch(record)
            if choice < 0.9:
                token = self.token("ag")
                self.agent.edit(record.id, f"{token} anew")
                self.agents.add(token)
            else:
                self.mem.forget(record.id)

    def _now(self, key: str) -> Record | None:
        where = {"layer": "now", "scope": "project/web/agent/finn", "key": key}
        return next(iter(self.mem.query(where, limit=1)), None)

    def _touch(self, record: Record | None) -> None:
        if record is not None:
            self.touched |= _tokens(record.text)

    # -- people

    def edit(self) -> None:
        """Somebody opens a file and changes something in it."""
        choice = self.random.random()
        if choice < 0.65:
            self._edit_memory()
        elif choice < 0.85:
            self._edit_now()
        else:
            self._edit_tasks()

    def _edit_memory(self) -> None:
        path = self.root / "projects/web/MEMORY.md"
        if not path.exists():
            return
        text = path.read_bytes().decode()
        is_crlf = "\r\n" in text
        lines = text.replace("\r\n", "\n").split("\n")
        bullets = [n for n, line in enumerate(lines) if line.startswith("- ")]
        act = self.random.choice(
            (self._insert, self._insert, self._change, self._delete, self._reorder, self._front)
        )
        act(lines, bullets)
        text = "\n".join(lines)
        if self.random.random() < 0.2:
            text = text.rstrip("\n")
        if self.random.random() < 0.15 or is_crlf:
            text = text.replace("\n", "\r\n")
        path.write_bytes(text.encode())

    def _insert(self, lines: list[str], bullets: list[int]) -> None:
        token = self.token("hu")
        key = self.random.choice(("", "", f"**k{self.random.randrange(6)}**: "))
        new = [f"- {key}{token} {self.random.choice(EMOJI)}"]
        if key and any(line.startswith(f"- {key}") for line in lines):
            new = [f"- {token} once more"]
        elif key:
            for kind in ("decision", "convention", "fact"):
                self._touch(self.agent.knowledge.get(kind, key.strip("*: ")))
        if self.random.random() < 0.3:
            new += ["  with more", "", "  and more"]
        if self.random.random() < 0.2:
            new = [f"A paragraph {token}", "of two lines", ""]
        where = self.random.choice(bullets) if bullets else len(lines)
        if self.random.random() < 0.3:
            new = ["", self.random.choice(HEADINGS), "", *new, ""]
            where = len(lines)
        lines[where:where] = new
        self.human.standing.add(token)

    def _change(self, lines: list[str], bullets: list[int]) -> None:
        if not bullets:
            return
        number = self.random.choice(bullets)
        old = _tokens(self._block(lines, number))
        if not old:
            return
        token, victim = self.token("hu"), sorted(old)[0]
        for n in range(number, self._end(lines, number)):
            lines[n] = lines[n].replace(victim, token)
        self._gone({victim})
        self.human.standing.add(token)

    def _delete(self, lines: list[str], bullets: list[int]) -> None:
        if not bullets or self.doubted:
            return
        number = self.random.choice(bullets)
        if self.random.random() < 0.1:
            # An accident: half of the file is gone.
            end = self._end(lines, bullets[len(bullets) // 2])
            self.doubted = _tokens("\n".join(lines[bullets[0] : end]))
            del lines[bullets[0] : end]
            known = self.mem.query({"layer": "knowledge"}, limit=10_000)
            # What was never synced nobody but its author knew of.
            self._gone(self.doubted - {one for record in known for one in _tokens(record.text)})
            return
        gone = _tokens(self._block(lines, number))
        del lines[number : self._end(lines, number)]
        self._gone(gone)
        self.human.removed |= gone

    def _reorder(self, lines: list[str], bullets: list[int]) -> None:
        if len(bullets) < 2:
            return
        number = self.random.choice(bullets)
        end = self._end(lines, number)
        block = lines[number:end]
        del lines[number:end]
        rest = [n for n, line in enumerate(lines) if line.startswith("- ")]
        where = self.random.choice(rest)
        lines[where:where] = block

    def _front(self, lines: list[str], bullets: list[int]) -> None:
        if lines[:1] == ["---"]:
            lines.insert(self.random.choice((1, 3)), f"alias{self.count}: [a, 'b']")

    def _edit_now(self) -> None:
        path = self.root / "projects/web/agents/finn/NOW.md"
        if not path.exists():
            return
        token = self.token("hu")
        text = path.read_text(encoding="utf-8")
        if self.random.random() < 0.5 and "## Objective" in text:
            head, _, rest = text.partition("## Objective\n")
            gone, _, after = rest.partition("\n## ")
            self._gone(_tokens(gone))
            text = f"{head}## Objective\n\n{token}\n\n" + (f"## {after}" if after else "")
        else:
            text += f"\n## Heading {token}\n\nsomething\n"
            token = f"Heading {token}".split()[1]
        path.write_text(text, encoding="utf-8")
        self.human.standing.add(token)

    def _edit_tasks(self) -> None:
        path = self.root / "projects/web/tasks.json"
        if not path.exists():
            return
        token = self.token("hu")
        found = json.loads(path.read_text(encoding="utf-8"))
        found["tasks"].insert(0, {"id": token, "description": f"{token} by hand", "priority": 1})
        path.write_text(json.dumps(found, indent=self.random.choice((None, 4))), encoding="utf-8")
        self.human.standing.add(token)

    def _gone(self, tokens: set[str]) -> None:
        self.human.standing -= tokens
        self.agents -= tokens

    def _block(self, lines: list[str], number: int) -> str:
        return "\n".join(lines[number : self._end(lines, number)])

    def _end(self, lines: list[str], number: int) -> int:
        end = number + 1
        while end < len(lines) and (not lines[end] or lines[end].startswith("  ")):
            end += 1
        return end if end < len(lines) else len(lines) - (not lines[-1])

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


def _tokens(text: str) -> set[str]:
    words = (word.strip("*:`.,[]()") for word in text.split())
    return {word for word in words if word[:2] in ("ag", "hu") and word[2:5].isdigit()}


def violations(play: Play) -> list[str]:
    """What is not as it should be after the last sync."""
    current = play.mem.query({"layer": {"$in": ["knowledge", "now", "task"]}}, limit=10_000)
    now: dict[str, int] = {}
    for record in current:
        for token in _tokens(f"{record.text} {record.key or ''}"):
            now[token] = now.get(token, 0) + 1
    ever = set(now)
    states = ["proposed", "forgotten", "superseded", "archived", "current"]
    for record in play.mem.query({"state": {"$in": states}}, limit=10_000):
        for version in play.mem.history(record.id):
            if version.record is not None:
                ever |= _tokens(f"{version.record.text} {version.record.key or ''}")
    for path in (play.root / "kept").rglob("*"):
        if path.is_file():
            ever |= _tokens(path.read_text(encoding="utf-8", errors="replace"))
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
