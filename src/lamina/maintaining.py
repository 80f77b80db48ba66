"""Looking after a store: what is wrong with it, and what of its past may go.

Nothing goes by itself. Maintenance works out what the settings let go, says so, and takes it away
when it is told to; a purge of any size asks first.
"""

from functools import partial
from typing import TYPE_CHECKING

from lamina.core import settings
from lamina.core.embedder_spec import OFF
from lamina.core.indexing import index_terms
from lamina.core.record import Record
from lamina.core.retention import HISTORY, Pruned, Retention, retention
from lamina.core.sealed import Sealed
from lamina.errors import InvalidInputError, LaminaError, SecretError
from lamina.results import LayerHistory, MaintenanceReport, Reindexed
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
    store: Store,
    vault: "Vault",
    vectors: "Vectors",
    tell: "Callable[[float], None]" = lambda share: None,
) -> list[Finding]:
    """Everything that can be said about a store, the key to its secrets, vectors and the clock."""
    secrets = _asked("secrets", lambda: _key(vault))
    opens = partial(_opens, vault) if secrets.severity is Severity.OK else None
    found = store.check(Aids(analyse=analysed, opens=opens, tell=tell))
    embedding = _asked("embedding", lambda: _embedding(vectors.tried()))
    return [*found, secrets, embedding, _asked("clock", StoreClock(store).finding)]


def analysed(record: Record) -> tuple[str, ...]:
    """The words that a record is to be found by."""
    return index_terms(record, record.key)


def reindex(
    store: Store, vectors: "Vectors", tell: "Callable[[float], None]" = lambda share: None
) -> Reindexed:
    """Build the keyword index anew, make every vector that is missing, and fold both."""
    records = store.reindex(analysed)
    tell(_WORDS_SHARE)
    vectors.change()
    # Or it would be waited for, and it is polite to writers.
    vectors.stop()
    vectors.refit()
    vectors.make_all(lambda share: tell(_WORDS_SHARE + (1 - _WORDS_SHARE) * share))
    tell(1.0)
    return Reindexed(records, vectors.health())


def maintain(store: Store, *, dry_run: bool, confirm: bool) -> MaintenanceReport:
    """Plan, and unless it is a dry run, carry it out."""
    plan, now = due(store), StoreClock(store).now()
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


def due(store: Store) -> Retention:
    """What of a store's past may go by now."""
    return retention(settings.effective(store.settings()), StoreClock(store).now())


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


def _embedding(found: "VectorHealth") -> Finding:
    """How the vectors are coming along. Without them recall goes by words, so nothing is damage."""
    if found.embedder == OFF:
        return Finding("embedding", Severity.OK, "off; recall goes by words alone")
    told = f"{found.embedder}: {found.made:,} made, {found.pending:,} pending"
    wrong, remedy = _in_the_way(found)
    if not wrong:
        # They come with use, so nothing is wrong; but until then words alone find them.
        hint = "`lamina reindex` makes them now" if found.pending else ""
        return Finding("embedding", Severity.OK, told, remedy=hint)
    return Finding("embedding", Severity.NOTE, f"{told}; {'; '.join(wrong)}", remedy=remedy)


def _in_the_way(found: "VectorHealth") -> tuple[list[str], str]:
    """What keeps vectors from being whole, and what helps most."""
    wrong, remedy = [], ""
    if found.refused:
        wrong.append(f"texts that it could not take: {found.refused:,}")
        remedy = "These are found by their words; another embedder may take them"
    if found.set_aside:
        wrong.append(f"texts that it could not take so far: {found.set_aside:,}")
        remedy = "These are found by their words, and tried again"
    if found.next_space:
        wrong.append(f"it is to take over from {found.space}")
        remedy = "Run `lamina reindex` to make them now"
    elif found.space and not found.usable:
        wrong.append(f"the vectors in use are those of {found.space}, and not what it makes now")
        remedy = "Use that embedder again, or run `lamina reindex` to change over"
    if found.error:
        wrong.append(f"last: {found.error}")
        remedy = "See to the embedder; what is pending is made once it answers"
    return wrong, remedy


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
