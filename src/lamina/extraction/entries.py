"""What is known of a file that was read, and which records follow from what was found in it. Pure.

An entry holds nothing that the file says, only marks made under the key of the store. So it can
tell what stands there as before, and keeps nothing of what somebody removes.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from lamina.core import canonical
from lamina.extraction.findings import Finding
from lamina.extraction.mining import RULES
from lamina.sealing import scrub
from lamina.sources.catalog import file_key, plain_name

Fingerprint = Callable[[bytes], str]

_LONGEST_NAME: Final = 70
_UNNAMED: Final = "untitled"


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of one file."""

    file: str
    digest: str
    marks: dict[str, str] = field(default_factory=dict)
    """For each statement that was found: its name's mark, and the mark of what it says."""
    proposed: dict[str, str] = field(default_factory=dict)
    """The same of what was proposed."""
    asked: str = ""
    """Who was asked for proposals about these bytes."""
    rules: int = RULES

    def to_data(self) -> dict[str, Any]:
        """The entry as a record's data."""
        return {
            "file": self.file, "digest": self.digest, "marks": self.marks,
            "proposed": self.proposed, "asked": self.asked, "rules": self.rules,
        }  # fmt: skip

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Entry":
        """Read what `to_data` wrote."""
        return cls(**{name: data[name] for name in cls.__slots__})


@dataclass(frozen=True, slots=True)
class Wanted:
    """An item as its record should be."""

    name: str
    """What tells it from the others of its file."""
    mark: str
    """Of all that its record holds."""
    says: str
    """The mark of what it says, wherever it stands."""
    finding: Finding
    cited: str = ""
    """The mark of the line that a proposal cites."""

    @property
    def proposer(self) -> str:
        """Who proposed it; nobody, where a rule found it."""
        return self.finding.rule if self.cited else ""


def entry_key(label: str, file: str) -> str:
    """The key of what is known of a file."""
    # No label of a root has a colon, so no other record of the layer has this key.
    return f"extract:{file_key(label, file)}"


def item_key(label: str, file: str, name: str) -> str:
    """The key of an item."""
    return f"{file_key(label, file)}#{name}"


def wanted(
    findings: Iterable[Finding],
    fingerprint: Fingerprint,
    cited: Callable[[Finding], str] | None = None,
) -> Iterator[Wanted]:
    """The items of one file: statements of one name are told apart by their order."""
    seen: dict[str, int] = {}
    for one in findings:
        base = f"{one.kind}:{_name(one, fingerprint)}"
        by = f"@{one.rule}" if cited else ""
        number = seen[base] = seen.get(base, 0) + 1
        said = [one.kind, one.title, one.content, one.done]
        where = [one.line, one.confidence, one.rule, one.section]
        yield Wanted(
            f"{base}{by}~{number}", _mark([*said, *where], fingerprint), _mark(said, fingerprint),
            one, cited(one) if cited else "",
        )  # fmt: skip


def marks_of(found: Iterable[Wanted], fingerprint: Fingerprint) -> dict[str, str]:
    """What an entry keeps of its items."""
    return {name_mark(one.name, fingerprint): one.says for one in found}


def name_mark(name: str, fingerprint: Fingerprint) -> str:
    """What stands for a name in entries."""
    return fingerprint(name.encode())[:16]


def _name(one: Finding, fingerprint: Fingerprint) -> str:
    """What an item is called in its key: readable, unless that could tell a secret."""
    identity = one.identity
    if any(scrub(text) != text for text in (one.title, one.content, one.section)):
        return fingerprint(identity.encode())[:16]
    return plain_name(identity.partition(":")[2])[:_LONGEST_NAME].strip() or _UNNAMED


def _mark(said: list[Any], fingerprint: Fingerprint) -> str:
    return fingerprint(canonical.dumps(said).encode())[:16]
