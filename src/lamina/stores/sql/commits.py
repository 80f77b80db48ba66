"""One commit inside a write transaction: plan, then versions, index, events and receipt.

Statements are few because each one counts: an acknowledged write should cost little more than what
makes it durable.
"""

from lamina import clock
from lamina.core import chain
from lamina.core.changes import Commit, Receipt
from lamina.core.planning import Plan, durability_of, make_plan, streams_of
from lamina.core.retention import kept_when_writing
from lamina.stores import receipts
from lamina.stores.sql import lines
from lamina.stores.sql.driver import Connection, rows
from lamina.stores.sql.present import Present
from lamina.stores.sql.writing import Writing


def run(connection: Connection, commit: Commit) -> Receipt:
    """Carry out a commit; the caller's transaction makes it all or nothing."""
    present = Present.of(connection)
    owner = receipts.owner_of(commit)
    if owner is not None and (earlier := _earlier(connection, commit, owner)) is not None:
        return earlier
    plan = make_plan(commit, present)
    seqs = _carry_out(connection, plan, present)
    receipt = Receipt(commit.tx, plan.outcomes, seqs, durability_of(commit))
    if owner is not None:
        body = (*owner, commit.request, commit.tx, receipts.to_text(receipt))
        connection.execute("insert into receipt values (?, ?, ?, ?, ?)", body)
    return receipt


def _earlier(connection: Connection, commit: Commit, owner: tuple[str, str]) -> Receipt | None:
    sql = "select request, body from receipt where owner = ? and key = ?"
    for request, body in rows(connection, sql, owner):
        receipts.check_same_request(request, commit.request)
        return receipts.from_text(body)
    return None


def _carry_out(connection: Connection, plan: Plan, present: Present) -> tuple[tuple[str, int], ...]:
    """Write what was planned, and say how far each stream has come by it."""
    streams = {name: present.stream(name) for name in streams_of(plan.steps)}
    heads = {name: stream.head for name, stream in streams.items()}
    salts = [clock.fresh_salt() for _ in plan.steps]
    events = chain.extend(plan.commit, plan.steps, heads, salts)
    writing = Writing(connection, sum(step.after is not None for step in plan.steps))
    for step, event, salt in zip(plan.steps, events, salts, strict=True):
        stream = streams[event.stream]
        stream.head = chain.Head(event.seq, event.hash, event.at)
        writing.take(stream, step, event, salt)
    writing.write()
    for step in plan.steps:
        if step.before is not None and step.after is not None:
            # The versions that the layer does not keep go, oldest first.
            kept = kept_when_writing(step.after.layer, present.settings)
            if kept is not None:
                lines.shorten(connection, step.after.id, kept)
    present.save()
    return tuple((name, stream.head.seq) for name, stream in streams.items())
