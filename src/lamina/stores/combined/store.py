"""The combined store: what is hot in one store, all else in another."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lamina.clock import stopwatch
from lamina.core.access import EVERYTHING
from lamina.core.announcements import Noted
from lamina.core.retention import Pruned
from lamina.core.scope import is_hot
from lamina.errors import StoreUnavailableError
from lamina.stores.base import Capability, Finding, Repair, Severity
from lamina.stores.combined.answers import Answers
from lamina.stores.combined.commits import Commits
from lamina.stores.combined.routing import Routing
from lamina.stores.combined.story import Story
from lamina.stores.combined.waiting import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from lamina.core.announcements import Audience, Notice
    from lamina.core.arranging import Arranged
    from lamina.core.changes import Commit, Receipt
    from lamina.core.record import Record
    from lamina.core.retention import Retention
    from lamina.results import BackupReport
    from lamina.stores.base import Aids, ScrubReport, Store
    from lamina.stores.combined.hot import HotStore

_SETTLE_SECONDS: Final = 1.0
"""How often to look for commits that a process left half done."""
_OF_THE_BASE_ALONE: Final = frozenset(
    {Capability.PAST, Capability.CHAINED, Capability.SCRUBBED, Capability.BACKUP}
)
_LASTING: Final = frozenset({Capability.DURABLE, Capability.SYNCED})
"""What is not declared where the hot store would lose everything with its process."""


class CombinedStore(Answers, Story):
    """Two stores as one. Identity, settings, secrets and duties are those of the base."""

    def __init__(self, base: Store, hot: HotStore) -> None:
        self._base = base
        self._hot = hot
        self._routing = Routing(base)
        self._commits = Commits(base, hot, self._routing)
        self._waiting = Waiting(base, hot)
        self._settled_at: float | None = None

    @property
    def capabilities(self) -> frozenset[Capability]:
        declared = self._base.capabilities - _OF_THE_BASE_ALONE
        hot: frozenset[Capability] = frozenset()
        with suppress(StoreUnavailableError):
            hot = self._hot.capabilities
        return declared if Capability.DURABLE in hot else declared - _LASTING

    @property
    def location(self) -> str:
        return self._base.location

    @property
    def identity(self) -> str:
        return self._base.identity

    def commit(self, commit: Commit) -> Receipt:
        return self._commits.commit(commit)

    def fold(self, stop: Callable[[], bool] = lambda: False) -> None:
        self._base.fold(stop)

    def fold_is_due(self) -> bool:
        return self._base.fold_is_due()

    def duty(self, name: str) -> AbstractContextManager[bool]:
        return self._base.duty(name)

    def pulse(self) -> int:
        return self._waiting.pulse()

    def wait(self, pulse: int, seconds: float) -> bool:
        return self._waiting.wait(pulse, seconds)

    def note(self, notices: Sequence[Notice]) -> None:
        # All of them in one place, so that an erase in either store takes them away.
        asked = list(dict.fromkeys(one for notice in notices for one in notice.records))
        there = {record.id for record in self.get(EVERYTHING, asked)}
        self._hot.note_elsewhere([one for one in notices if there.issuperset(one.records)])

    def noted(self, audience: Audience, after: int, limit: int) -> Noted:
        try:
            return self._hot.noted(audience, after, limit)
        except StoreUnavailableError:
            return Noted((), after)

    def settings(self) -> Mapping[str, str]:
        return self._base.settings()

    def configure(self, name: str, value: str | None, *, wait: bool = True) -> None:
        self._base.configure(name, value, wait=wait)

    def scrub(self, erased: Sequence[bytes]) -> ScrubReport:
        report = self._base.scrub(erased)
        if not self._commits.left_hot_copies():
            return report
        return replace(report, unlooked=(*report.unlooked, *self._hot.scrub(erased).unlooked))

    def check(self, aids: Aids | None = None) -> list[Finding]:
        found = self._base.check(aids)
        try:
            return [*found, *(replace(one, check=f"hot {one.check}") for one in self._hot.check())]
        except StoreUnavailableError as error:
            return [*found, Finding("hot", Severity.NOTE, error.message, "Bring it back")]

    def repair(
        self,
        analyse: Callable[[Record], tuple[str, ...]],
        tell: Callable[[float], None] = lambda share: None,
    ) -> Repair:
        cold, hot = self._base.repair(analyse, tell), self._hot.repair(analyse)
        return Repair(cold.indexed + hot.indexed, (*cold.done, *hot.done))

    def audit(self, streams: Collection[str] | None = None) -> list[Finding]:
        # What is hot has no chain.
        return self._base.audit(streams and [name for name in streams if not is_hot(name)])

    def reindex(self, analyse: Callable[[Record], tuple[str, ...]]) -> int:
        return self._base.reindex(analyse) + self._hot.reindex(analyse)

    def prunable(self, retention: Retention) -> Pruned:
        return _summed(self._base.prunable(retention), self._hot.prunable(retention))

    def prune(self, retention: Retention) -> Pruned:
        return _summed(self._base.prune(retention), self._hot.prune(retention))

    def arrange(self, *, dry_run: bool = False) -> list[Arranged]:
        return self._base.arrange(dry_run=dry_run)

    def tidy(self) -> bool:
        with suppress(StoreUnavailableError):
            self._hot.tidy()
        return self._base.tidy()

    def backup(self, path: Path, tell: Callable[[float], None]) -> BackupReport:
        return self._base.backup(path, tell)

    def flush(self) -> None:
        self._base.flush()
        with suppress(StoreUnavailableError):
            self._hot.flush()

    def close(self) -> None:
        self._waiting.close()
        self._hot.close()
        self._base.close()

    def _settled(self) -> HotStore:
        now = stopwatch()
        if self._settled_at is None or now - self._settled_at > _SETTLE_SECONDS:
            self._settled_at = now
            self._hot.settle()
        return self._hot


def _summed(one: Pruned, other: Pruned) -> Pruned:
    kept, gone = Counter(one.kept), Counter(one.gone)
    kept.update(other.kept)
    gone.update(other.gone)
    return Pruned(dict(kept), dict(gone), one.receipts + other.receipts)
