"""What a store with hot layers holds, against what everybody was told.

Numbers of hot events leap where their server was away, so what is heard is held against the log.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from lamina import Memory
from lamina.core.scope import is_hot
from tests.faults.children.hot_scribe import HOT
from tests.faults.children.listener import HOT_END
from tests.faults.children.scribe import COUNTER, PART, PARTS
from tests.faults.feeds import Subscriber
from tests.faults.servers.verdict import Heard, Verdict, few

_Heard = dict[str, list[int]]


class HotVerdict(Verdict):
    """A store after the outages of the server that keeps its hot layers."""

    def __init__(
        self, mem: Memory, heard: Heard, *, since: float = 0.0, dead: Sequence[str] = ()
    ) -> None:
        """Take what the store holds.

        Args:
            mem: The store.
            heard: What the scribes said.
            since: When the server lost its memory for the last time; 0 if it never did.
            dead: How the names of those begin who were killed, and could not say what they did.
        """
        super().__init__(mem, heard)
        self._since = since
        self._dead = tuple(dead)

    def _miscounted(self) -> Iterator[str]:
        for stream, last in self._heads().items():
            seqs = self._seqs[stream]
            if is_hot(stream):
                if seqs != sorted(set(seqs)) or seqs[-1:] != [last]:
                    yield f"the log of {stream} is not in order, or does not end at {last}"
            elif seqs != list(range(1, last + 1)):
                yield f"{stream} counts {last} events, and its log has {len(seqs)}"

    def _is_promised(self, text: str) -> bool:
        kept = not self._since or not text.endswith(HOT)
        return kept or self.heard.begun[text] > self._since

    def _may_be(self, text: str) -> bool:
        return super()._may_be(text) or text == HOT_END or text.startswith(self._dead or "\0")

    def _halved(self) -> Iterator[str]:
        if not self._since:
            yield from super()._halved()
            return
        there = [text for text in self._log.values() if PART in text]
        hot = Counter(text.partition(PART)[0] for text in there if text.endswith(HOT))
        cold = {text.partition(PART)[0] for text in there if not text.endswith(HOT)}
        for text, parts in hot.items():
            if text not in cold or parts != PARTS - 1:
                yield f"{parts} hot parts of {text} are there, the other: {text in cold}"

    def _counted(self) -> Iterator[str]:
        counter = self._mem.get(COUNTER)
        last = max(rev for record, rev in self._log if record == counter.id)
        if counter.data["number"] != last - 1:
            yield f"it was raised {last - 1} times, and {counter.data['number']} were counted"

    def _missed(self, subscriber: Subscriber) -> Iterator[str]:
        if subscriber.complaint:
            yield subscriber.complaint
        if subscriber.gaps and not self._since:
            yield f"was told of {len(subscriber.gaps)} gaps, and there was none"
        yield from few(self._heard_twice(subscriber))
        ends = [*(where for where, _ in subscriber.gaps), len(subscriber.heard)]
        begins = [(0, dict[str, int]()), *subscriber.gaps]
        for (first, place), last in zip(begins, ends, strict=True):
            heard: defaultdict[str, list[int]] = defaultdict(list)
            for line in subscriber.heard[first:last]:
                heard[line["stream"]].append(line["seq"])
            is_last = last == len(subscriber.heard)
            yield from few(self._skipped(heard, place, is_last=is_last))

    def _heard_twice(self, subscriber: Subscriber) -> Iterator[str]:
        heard = Counter((line["stream"], line["seq"]) for line in subscriber.heard)
        yield from (f"heard {place} {times} times" for place, times in heard.items() if times > 1)
        texts = {(line["stream"], line["seq"]): line["text"] for line in subscriber.heard}
        for text, times in Counter(texts.values()).items():
            if times > 1 and text is not None and not text.endswith(HOT):
                yield f"heard {text} {times} times"

    def _skipped(
        self, heard: dict[str, list[int]], place: dict[str, int], *, is_last: bool
    ) -> Iterator[str]:
        """What was left out between two places, without a word."""
        for stream, seqs in (self._seqs if is_last else heard).items():
            told, after = heard.get(stream, []), place.get(stream, 0)
            if is_hot(stream) and self._since and not is_last:
                # Nobody knows any more what there was; within one memory nothing is left out.
                wanted = list(range(told[0], told[0] + len(told)))
            else:
                wanted = [seq for seq in seqs if seq > after]
                wanted = wanted if is_last else self._until(stream, after, told)
            if told != wanted:
                yield f"heard {len(told)} of {len(wanted)} in {stream} behind {after}"

    def _until(self, stream: str, after: int, told: list[int]) -> list[int]:
        """The log behind a place, up to what was told last."""
        last = told[-1] if told else after
        return [seq for seq in self._seqs[stream] if after < seq <= last]
