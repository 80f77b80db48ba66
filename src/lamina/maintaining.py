"""Looking after a store: what is wrong with it, and what of its past may go.

Nothing goes by itself. Maintenance works out what the settings let go, says so, and takes it away
when it is told to; a purge of any size asks first.
"""

from functools import partial
from typing import TYPE_CHECKING

from lamina.core import settings
from lamina.core.indexing import index_terms
from lamina.core.record import Record
from lamina.core.retention import HISTORY, Pruned, retention
from lamina.core.sealed import Sealed
from lamina.errors import InvalidInputError, LaminaError, SecretError
from lamina.results import LayerHistory, MaintenanceReport
from lamina.stores.base import Aids, Finding, Severity, Store
from lamina.timing import StoreClock

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from lamina.embedding import Vectors
    from lamina.results import VectorHealth
    from lamina.vault import Vault

_WORDS_SHARE = 0.1
"""Of the work of indexing anew, that which is about words."""


def findings(
    store: Store, vault: "Vault", tell: "Callable[[float], None]" = lambda share: None
) -> list[Finding]:
    """Everything that can be said about a store, the key to its secrets and the clock."""
    secrets = _asked("secrets", lambda: _key(vault))
    opens = partial(_opens, vault) if secrets.severity is Severity.OK else None
    found = store.check(Aids(analyse=analysed, opens=opens, tell=tell))
    return [*found, secrets, _asked("clock", StoreClock(store).finding)]


def analysed(record: Record) -> tuple[str, ...]:
    """The words that a record is to be found by."""
    return index_terms(record, record.key)


def reindex(
    store: Store, vectors: "Vectors", tell: "Callable[[float], None]" = lambda share: None
) -> "VectorHealth":
    """Build the keyword index anew, then make every vector that is missing."""
    store.reindex(analysed)
    tell(_WORDS_SHARE)
    vectors.change()
    vectors.make(lambda share: tell(_WORDS_SHARE + (1 - _WORDS_SHARE) * share))
    tell(1.0)
    return vectors.health()


def maintain(store: Store, *, dry_run: bool, confirm: bool) -> MaintenanceReport:
    """Plan, and unless it is a dry run, carry it out."""
    now = StoreClock(store).now()
    plan = retention(settings.effective(store.settings()), now)
    found = store.prunable(plan)
    if dry_run:
        return _report(found, now, applied=False, tidied=False)
    if found.needs_consent and not confirm:
        raise InvalidInputError(
            f"this would drop {sum(found.gone.values()):,} of the {sum(found.kept.values()):,}"
            f" versions kept ({found.share:.0%}), and nobody has agreed to that",
            remedy="Look with dry_run (--dry-run); then confirm (--yes), or keep more by setting"
            f" {HISTORY}LAYER",
        )
    return _report(store.prune(plan), now, applied=True, tidied=store.tidy())


def _asked(name: str, question: "Callable[[], Finding]") -> Finding:
    """The answer; a store too damaged to ask has told of that elsewhere."""
    try:
        return question()
    except (LaminaError, ValueError, TypeError, LookupError, AttributeError) as error:
        return Finding(name, Severity.NOTE, f"it cannot be asked: {error!s:.200}")


def _key(vault: "Vault") -> Finding:
    problem = vault.problem()
    if problem is None:
        return Finding("secrets", Severity.OK, "nothing wrong")
    return Finding("secrets", Severity.RECORD, problem.message, problem.remedy)


def _opens(vault: "Vault", box: Sealed) -> bool:
    try:
        vault.open(box)
    except SecretError:
        return False
    return True


def _report(found: Pruned, now: "datetime", *, applied: bool, tidied: bool) -> MaintenanceReport:
    return MaintenanceReport(
        applied=applied,
        at=now,
        layers=tuple(
            LayerHistory(layer, versions, found.gone.get(layer, 0))
            for layer, versions in sorted(found.kept.items())
        ),
        receipts=found.receipts,
        asks=found.needs_consent,
        tidied=tidied,
    )
