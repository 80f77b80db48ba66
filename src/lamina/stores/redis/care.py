"""Looking the store over, mending what follows from the records, and letting old things go."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from lamina.core.instants import to_text
from lamina.core.layers import is_indexed, place_of
from lamina.core.retention import Cut, Pruned
from lamina.errors import StoreError
from lamina.stores.base import Finding, Repair, ScrubReport, Severity
from lamina.stores.redis.rows import US, from_terms, set_of, texts, to_event, to_head, to_kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from lamina.core.record import Record
    from lamina.core.retention import Retention
    from lamina.stores.redis.reading import Reading
    from lamina.stores.redis.rows import Kept
    from lamina.stores.redis.server import Server

_AT_ONCE: Final = 500
_LEAVE: Final = "-"
"""Leaves the words of a record as they are."""


class Care:
    """What is done for the store rather than with it."""

    def __init__(self, server: Server, reading: Reading) -> None:
        self._server = server
        self._reading = reading

    def check(self) -> list[Finding]:
        """Whether records, sets, slots and log agree."""
        found = {"records": list(self._unreachable()), "log": list(self._unfinished())}
        return [
            Finding(check, Severity.DERIVED if wrong else Severity.OK, wrong or "nothing wrong",
                    "Run `lamina doctor --repair`" if wrong else "")
            for check, complaints in found.items()
            for wrong in complaints or [""]
        ]  # fmt: skip

    def repair(
        self, analyse: Callable[[Record], tuple[str, ...]], tell: Callable[[float], None]
    ) -> Repair:
        """Put every record where it belongs, and index it anew."""
        indexed = mended = 0
        for kept in self._everything():
            words = analyse(kept.newest) if is_indexed(kept.newest) else ()
            changed = self._mend(kept, from_terms(words))
            mended += changed > 1
            indexed += bool(words) and changed > 0
        self._begin_anew()
        tell(1.0)
        done = (f"{mended} records were put where they belong",) if mended else ()
        return Repair(indexed, done)

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        """Index every record anew, and ask again for vectors that were refused."""
        indexed = 0
        for one in self._reading.all_ids():
            for kept in self._reading.everything([one]):
                words = analyse(kept.newest) if is_indexed(kept.newest) else ()
                indexed += bool(words) and self._mend(kept, from_terms(words)) > 0
        [spaces] = self._server.ask(("HKEYS", self._server.key("spaces")))
        for space in texts(spaces):
            key = self._server.key("vector", space)
            [made] = self._server.ask(("HGETALL", key))
            refused = [one for one, value in made.items() if value.endswith(b":")]
            if refused:
                self._server.ask(("HDEL", key, *refused))
        self._begin_anew()
        return indexed

    def prunable(self, retention: Retention) -> Pruned:
        """What `prune` would take away."""
        cuts = {cut.layer: cut for cut in retention.cuts}
        kept: Counter[str] = Counter()
        gone: Counter[str] = Counter()
        for one in self._reading.everything(self._reading.all_ids()):
            kept[one.newest.layer] += len(one.versions)
            gone[one.newest.layer] += len(_going(one, cuts.get(one.newest.layer)))
        receipts = len(self._old_receipts(retention.receipts_before))
        return Pruned(dict(kept), {name: n for name, n in gone.items() if n}, receipts)

    def prune(self, retention: Retention) -> Pruned:
        """Take it away."""
        found = self.prunable(retention)
        cuts = {cut.layer: cut for cut in retention.cuts}
        for one in self._reading.everything(self._reading.all_ids()):
            fields = [f"v{rev}" for rev in _going(one, cuts.get(one.newest.layer))]
            if fields:
                self._server.ask(("HDEL", self._server.key("r", one.newest.id), *fields))
        for member in self._old_receipts(retention.receipts_before):
            receipt = member.partition(US)[2]
            self._server.ask(
                ("DEL", self._server.key("receipt", receipt)),
                ("ZREM", self._server.key("asked"), member),
            )
        return found

    def tidy(self) -> None:
        """Take what has run out from where it stood."""
        while int(self._server.run("write", "sweep", str(_AT_ONCE))[0]) == _AT_ONCE:
            pass
        [members] = self._server.ask(("ZRANGE", self._server.key("asked"), 0, -1))
        keys = [self._server.key("receipt", one.partition(US)[2]) for one in texts(members)]
        there = self._server.ask(*(("EXISTS", key) for key in keys))
        gone = [member for member, is_there in zip(members, there, strict=True) if not is_there]
        if gone:
            self._server.ask(("ZREM", self._server.key("asked"), *gone))

    def scrub(self) -> ScrubReport:
        """Have the server write its files anew, without what was erased; nobody can look there."""
        # One that is under way, or is not allowed, is no reason to fail.
        with suppress(StoreError):
            [info] = self._server.ask(("INFO", "persistence"))
            if info["aof_enabled"]:
                self._server.ask(("BGREWRITEAOF",))
        where = f"the memory, files and replicas of {self._server.address.shown}"
        return ScrubReport(unlooked=(where,))

    def _everything(self) -> Iterator[Kept]:
        """Every record, also one that no set leads to."""
        pattern, start = self._server.key("r", "*").replace("{", "[{]"), "0"
        while True:
            [(after, keys)] = self._server.ask(("SCAN", start, "MATCH", pattern, "COUNT", _AT_ONCE))
            for fields in self._server.ask(*(("HGETALL", key) for key in keys)):
                if fields:
                    yield to_kept([part for pair in fields.items() for part in pair])
            if not int(after):
                return
            start = str(after)

    def _mend(self, kept: Kept, terms: str) -> int:
        record = kept.newest
        place = place_of(record) or ""
        return int(self._server.run("mend", record.id, str(record.rev), place, terms))

    def _begin_anew(self) -> None:
        """Tell every process that what it holds of the index is old."""
        self._server.ask(
            ("INCR", self._server.key("anew")), ("PUBLISH", self._server.key("wake"), "0")
        )

    def _unreachable(self) -> Iterator[str]:
        """Records that their set or slot does not lead to."""
        for kept in self._everything():
            record = kept.newest
            name = set_of(record.scope, record.layer)
            asked: list[tuple[str, ...]] = [("ZSCORE", self._server.key("in", name), record.id)]
            place = place_of(record)
            if place is not None:
                asked.append(("GET", self._server.key("at", place)))
            in_set, *holder = self._server.ask(*asked)
            if in_set is None or (holder and holder[0] != record.id.encode()):
                # It may have changed, or run out, between the two looks.
                again = self._reading.newest([record.id])
                if again == [record]:
                    yield f"record {record.id} is not where it belongs"

    def _unfinished(self) -> Iterator[str]:
        """Streams whose newest event is not what their head says."""
        [heads] = self._server.ask(("HGETALL", self._server.key("heads")))
        for name, head in heads.items():
            asked = ("XREVRANGE", self._server.key("log", name.decode()), "+", "-", "COUNT", 1)
            [[*last]] = self._server.ask(asked)
            newest = to_event(name.decode(), last[0]).seq if last else 0
            if newest < to_head(head).seq:
                yield f"the log of {name.decode()} ends before its head"

    def _old_receipts(self, before: datetime | None) -> list[str]:
        if before is None:
            return []

        asked = ("ZRANGEBYLEX", self._server.key("asked"), "-", f"({to_text(before)}")
        [found] = self._server.ask(asked)
        there = self._server.ask(
            *(("EXISTS", self._server.key("receipt", one.partition(US)[2])) for one in texts(found))
        )
        return [member for member, is_there in zip(texts(found), there, strict=True) if is_there]


def _going(kept: Kept, cut: Cut | None) -> list[int]:
    """The revisions that go; each ended when the one after it was made."""
    if cut is None:
        return []
    revs = sorted(kept.versions, reverse=True)
    pairs = enumerate(zip(revs, revs[1:], strict=False), start=1)
    return [rev for age, (after, rev) in pairs if cut.takes(age, kept.made[after])]
