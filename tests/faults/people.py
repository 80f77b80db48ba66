"""People at work on files, played without Lamina's own reader: they change lines of text."""

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

from lamina import Memory
from lamina.core.record import Record

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


@dataclass
class Words:
    """What people wrote and have not taken back."""

    standing: set[str] = field(default_factory=set)
    """Tokens that must still be found."""
    removed: set[str] = field(default_factory=set)
    """Tokens that they removed and nobody else touched."""


def tokens(text: str) -> set[str]:
    """The words in a text that tell who wrote it."""
    words = (word.strip("*:`.,[]()") for word in text.split())
    return {word for word in words if word[:2] in ("ag", "hu") and word[2:5].isdigit()}


class People:
    """Those who edit the files of a store, and what they may expect to find again."""

    random: random.Random
    mem: Memory
    agent: Memory
    root: Path

    def __init__(self) -> None:
        self.human = Words()
        self.agents: set[str] = set()
        """What agents wrote."""
        self.touched: set[str] = set()
        """Tokens of records that an agent changed as well."""
        self.doubted: set[str] = set()
        """Tokens that went when a large part of a file did."""
        self.count = 0

    def token(self, who: str) -> str:
        """A word that occurs nowhere else."""
        self.count += 1
        return f"{who}{self.count:03d}q"

    def touch(self, record: Record | None) -> None:
        """An agent changes what a record says."""
        if record is not None:
            self.touched |= tokens(record.text)

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
                self.touch(self.agent.knowledge.get(kind, key.strip("*: ")))
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
        old = tokens(self._block(lines, number))
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
            self.doubted = tokens("\n".join(lines[bullets[0] : end]))
            del lines[bullets[0] : end]
            known = self.mem.query({"layer": "knowledge"}, limit=10_000)
            # What was never synced nobody but its author knew of.
            self._gone(self.doubted - {one for record in known for one in tokens(record.text)})
            return
        gone = tokens(self._block(lines, number))
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
            self._gone(tokens(gone))
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
