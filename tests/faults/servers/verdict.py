"""What the store holds, against what everybody was told.

The log is read from its beginning, over a connection that no fault touches.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lamina import Memory
from tests.faults.agreement import all_of, complaints
from tests.faults.child import Line
from tests.faults.children.listener import END
from tests.faults.children.scribe import COUNTER, PART, PARTS
from tests.faults.feeds import Subscriber

SHOWN = 3
"""How many of one sort are told."""


@dataclass
class Heard:
    """What the scribes said."""

    acknowledged: dict[tuple[str, int], str] = field(default_factory=dict)
    """Id and revision, with the text."""
    twice: list[str] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)
    """Texts that may or may not have been written, once."""
    refused: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    repeated: int = 0
    begun: dict[str, float] = field(default_factory=dict)
    """When the call began that acknowledged a text."""

    @classmethod
    def of(cls, said: Sequence[Sequence[Line]]) -> "Heard":
        """Take it from their lines."""
        heard = cls()
        for line in (line for lines in said for line in lines):
            for record_id, rev, text in line.get("wrote", ()):
                if (record_id, rev) in heard.acknowledged:
                    heard.twice.append(text)
                heard.acknowledged[record_id, rev] = text
                heard.begun[text] = line["calls"][-1][0]
            heard.unknown |= set(line.get("unknown", ()))
            heard.refused |= {line["refused"]} if "refused" in line else set()
            heard.errors += [line["error"]] if "error" in line else []
            heard.repeated += bool(line.get("repeated"))
        return heard


class Verdict:
    """A store after the faults."""

    def __init__(self, mem: Memory, heard: Heard) -> None:
        self._mem = mem
        self.heard = heard
        self._log: dict[tuple[str, int], str] = {}
        self._seqs: defaultdict[str, list[int]] = defaultdict(list)
        for change in mem.changes():
            event, text = change.event, change.record.text if change.record else ""
            self._log[event.record, event.rev] = text
            self._seqs[event.stream].append(event.seq)

    def violations(self, subscribers: Sequence[Subscriber]) -> list[str]:
        """Everything that is not as it was promised."""
        wrong = [*self.heard.errors, *few(self._lost()), *few(self._unasked())]
        wrong += [*few(f"{text} was told a revision of another's" for text in self.heard.twice)]
        wrong += [*few(self._halved()), *self._miscounted()]
        for number, subscriber in enumerate(subscribers):
            wrong += [f"subscriber {number}: {line}" for line in self._missed(subscriber)]
        return [*wrong, *self._counted(), *all_of(complaints(self._mem)), *all_of(self._audit())]

    def _heads(self) -> dict[str, int]:
        return {name: head.seq for name, head in self._mem.store.position().items()}

    def _miscounted(self) -> Iterator[str]:
        """Streams whose log is not what they count."""
        for stream, last in self._heads().items():
            if self._seqs[stream] != list(range(1, last + 1)):
                yield f"{stream} counts {last} events, and its log has {len(self._seqs[stream])}"

    def _halved(self) -> Iterator[str]:
        """Commits of which a part is there."""
        parts = Counter(text.partition(PART)[0] for text in self._log.values() if PART in text)
        for text, there in parts.items():
            if there != PARTS:
                yield f"{there} of {PARTS} parts of {text} are there"

    def _missed(self, subscriber: Subscriber) -> Iterator[str]:
        """What somebody who follows did not hear, or not as it was."""
        yield from subscriber.missed(self._heads())
        yield from few(self._misheard(subscriber))

    def _lost(self) -> Iterator[str]:
        for key, text in self.heard.acknowledged.items():
            if key not in self._log and not self._is_promised(text):
                continue
            if key not in self._log:
                yield f"{text} was acknowledged and is not in the log"
            elif self._log[key] != text:
                yield f"{text} was acknowledged and the log says {self._log[key]}"

    def _unasked(self) -> Iterator[str]:
        """Texts that are there twice, or that nobody was told of."""
        acknowledged = set(self.heard.acknowledged.values())
        for text, times in Counter(self._log.values()).items():
            if times > 1:
                yield f"{text} was written {times} times"
            elif text in self.heard.refused:
                yield f"{text} was refused and is there"
            elif text not in acknowledged and not self._may_be(text):
                yield f"{text} is there and was never acknowledged"

    def _is_promised(self, text: str) -> bool:
        """Whether what was acknowledged must have lasted until now."""
        return True

    def _may_be(self, text: str) -> bool:
        """Whether a text may be there that nobody was told of."""
        return text in self.heard.unknown | {END, "nobody yet"}

    def _misheard(self, subscriber: Subscriber) -> Iterator[str]:
        texts = Counter(line["text"] for line in subscriber.heard)
        for text in Counter(self._log.values()) - texts:
            yield f"did not hear {text}"
        for text in texts - Counter(self._log.values()):
            yield f"heard {text} too often"

    def _counted(self) -> Iterator[str]:
        counter = self._mem.get(COUNTER)
        raised = sum(record_id == counter.id for record_id, _ in self.heard.acknowledged)
        if counter.data["number"] != raised:
            yield f"{raised} increments were acknowledged and {counter.data['number']} counted"

    def _audit(self) -> Iterator[str]:
        for finding in self._mem.store.audit():
            if finding.severity.is_damage:
                yield f"audit says {finding.check}: {finding.message}"


def few(lines: Iterator[str]) -> list[str]:
    every = list(lines)
    more = [f"and {len(every) - SHOWN} more like that"] if len(every) > SHOWN else []
    return [*every[:SHOWN], *more]
