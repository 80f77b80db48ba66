"""One commit inside a write transaction: plan, then versions, index, events and receipt.

Statements are few because each one counts: an acknowledged write should cost little more than what
makes it durable.
"""

import itertools
from collections.abc import Sequence

from lamina import clock
from lamina.core import chain
from lamina.core.changes import Commit, Receipt
from lamina.core.planning import Plan, durability_of, make_plan, needs, streams_of
from lamina.core.retention import kept_when_writing
from lamina.stores import receipts
from lamina.stores.sql import lines
from lamina.stores.sql.driver import Connection, rows
from lamina.stores.sql.present import Present, StreamState
from lamina.stores.sql.writing import Writing


def run(connection: Connection, commit: Commit) -> Receipt:
    """Carry out a commit; the caller's transaction makes it all or nothing."""
    present = Present.of(connection, needs(commit))
    owner = receipts.owner_of(commit)
    if owner is not None and (earlier := _earlier(connection, commit, owner)) is not None:
        return earlier
    plan = make_plan(commit, present)
    streams = {name: present.stream(name) for name in streams_of(plan.steps)}
    writing = gathered(connection, plan, streams, present.numbers)
    seqs = tuple((name, stream.head.seq) for name, stream in streams.items())
    receipt = Receipt(commit.tx, plan.outcomes, seqs, durability_of(commit))
    with connection.dialect.at_once(connection):
        writing.write()
        present.save()
        if owner is not None:
            note(connection, owner, commit, receipt)
    _shorten(connection, plan, present)
    return receipt


def note(connection: Connection, owner: tuple[str, str], commit: Commit, receipt: Receipt) -> None:
    """Keep a receipt for whoever repeats the commit."""
    body = (*owner, commit.request, commit.tx, receipts.to_text(receipt))
    connection.execute("insert into receipt values (?, ?, ?, ?, ?)", body)


def _earlier(connection: Connection, commit: Commit, owner: tuple[str, str]) -> Receipt | None:
    sql = "select request, body from receipt where owner = ? and key = ?"
    for request, body in rows(connection, sql, owner):
        receipts.check_same_request(request, commit.request)
        return receipts.from_text(body)
    return None


def gathered(
    connection: Connection, plan: Plan, streams: dict[str, StreamState], known: Sequence[int] = ()
) -> Writing:
    """What the steps of a plan write; the streams come as far as they get by it.

    `known` are numbers of versions that nobody else has.
    """
    heads = {name: stream.head for name, stream in streams.items()}
    salts = [clock.fresh_salt() for _ in plan.steps]
    events = chain.extend(plan.commit, plan.steps, heads, salts)
    missing = sum(step.after is not None for step in plan.steps) - len(known)
    more = connection.dialect.numbers(connection, max(0, missing))
    writing = Writing(connection, itertools.chain(known, more))
    for step, event, salt in zip(plan.steps, events, salts, strict=True):
        stream = streams[event.stream]
        stream.head = chain.Head(event.seq, event.hash, event.at)
        writing.take(stream, step, event, salt)
    return writing


def _shorten(connection: Connection, plan: Plan, present: Present) -> None:
    """Let the versions go that their layers do not keep, oldest first."""
    for step in plan.steps:
        if step.before is not None and step.after is not None:
            kept = kept_when_writing(step.after.layer, present.settings)
            if kept is not None:
                lines.shorten(connection, step.after.id, kept)
