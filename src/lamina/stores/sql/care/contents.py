"""What lies beside the records: settings, sealed values and receipts."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from lamina.core.changes import Action, Receipt
from lamina.core.sealed import SCHEME, Sealed, is_reference, references
from lamina.core.settings import SETTINGS
from lamina.core.versions import INDEX_VERSION
from lamina.stores import receipts as kept_receipts
from lamina.stores.base import Finding
from lamina.stores.sql import reads
from lamina.stores.sql.care.looking import Look, damaged, derived, is_choice, note, unreadable
from lamina.stores.sql.driver import rows

SEALED: Final = "select z.ref, z.kind, z.nonce, z.box from sealed z"
REFERRING: Final = (
    "select rid, text || ' ' || data from version not indexed where instr(text, ?1) > 0"
    " or instr(data, ?1) > 0"
)
_HAS_BOX: Final = "select 1 from sealed where rid = ? and ref = ?"
RECEIPTS: Final = (
    "select x.owner, x.key, x.tx, x.body, s.name, e.seq, e.record, e.rev, e.action"
    " from receipt x left join event e on e.tx = x.tx"
    " left join stream s not indexed on s.sid = e.sid order by x.owner, x.key, s.name, e.seq"
)


def settings(look: Look, number: str) -> Iterator[Finding]:
    """Whether the store's settings can be what they are; the tables have the format `number`."""
    chosen = reads.settings(look.connection)
    if chosen.get("format") != number:
        what = f"the format is noted as {chosen.get('format')}, but the tables have {number}"
        yield derived("settings", what, "the tables")
    if chosen.get("index_version") != INDEX_VERSION:
        what = f"the words were analysed by {chosen.get('index_version')}, not by {INDEX_VERSION}"
        yield derived("settings", what)
    if number != "1" and not _is_name(chosen.get("identity", "")):
        yield damaged("settings", "the store has lost the name that tells it from others")
    for name in SETTINGS.keys() & chosen.keys():
        if not is_choice(name, chosen[name]):
            what = f"`{name}` cannot be {chosen[name]!r:.40}"
            yield damaged(
                "settings", what, remedy=f"Choose it again: `lamina config set {name} VALUE`"
            )


def sealed(look: Look) -> Iterator[Finding]:
    """Sealed values that cannot be opened, and references without one."""
    shut = 0
    for row in look.each(SEALED):
        box = Sealed(*row)
        if not is_reference(box.ref) or not _opens(look, box):
            shut += 1
    if shut:
        yield damaged("sealed", f"sealed values that this key does not open: {shut}")
    lost = sum(len(_without_box(look, rid, said)) for rid, said in look.each(REFERRING, (SCHEME,)))
    if lost:
        yield note(
            "sealed", f"references to secrets that are not in this store: {lost}",
            "Nothing to do if they came with an import, which leaves secrets behind",
        )  # fmt: skip


def receipts(look: Look) -> Iterator[Finding]:
    """Receipts that do not say what the log says of their requests."""
    wrong = 0
    for _, group in groupby(look.each(RECEIPTS), key=lambda row: row[:2]):
        found = list(group)
        try:
            receipt = kept_receipts.from_text(found[0][3])
            if receipt.tx != found[0][2] or not _agrees(receipt, [row[4:] for row in found]):
                wrong += 1
        except unreadable(look.connection):
            wrong += 1
    if wrong:
        what = f"receipts that do not say what the log says: {wrong}; a repeated request may fail"
        yield damaged("receipts", what, "the log")


def _agrees(receipt: Receipt, events: list[tuple[Any, ...]]) -> bool:
    happened = [row for row in events if row[1] is not None]
    told = {
        (outcome.id, outcome.rev, outcome.action.value)
        for outcome in receipt.outcomes
        if outcome.action is not Action.UNCHANGED
    }
    ends = {name: seq for name, seq, *_ in happened}
    return told == {tuple(row[2:]) for row in happened} and ends == dict(receipt.seqs)


def _opens(look: Look, box: Sealed) -> bool:
    return look.aids.opens is None or look.aids.opens(box)


def _without_box(look: Look, rid: int, said: str) -> list[str]:
    return [
        ref for ref in references(said)
        if not next(rows(look.connection, _HAS_BOX, (rid, ref)), None)
    ]  # fmt: skip


def _is_name(text: str) -> bool:
    return len(text) == 32 and set(text) <= set("0123456789abcdef")
