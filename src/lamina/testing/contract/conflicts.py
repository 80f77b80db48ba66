"""Clauses on conflicts: who wins when a write meets a current record that it has not seen."""

from typing import Any

from lamina.core.changes import Action, Move, Receipt
from lamina.core.principal import Principal, Role
from lamina.core.record import State, Trust
from lamina.stores.base import Store
from lamina.testing.builders import (
    ADMIN,
    NOON,
    ORCHESTRATOR,
    a_principal,
    a_put,
    after_noon,
    ask,
    found,
    texts,
    the,
    write,
    written,
)

ANN = a_principal("ann")
BOB = a_principal("bob")


def _says(store: Store, text: str, by: Principal = ANN, **fields: Any) -> Receipt:
    said = {"source": by.name, "trust": by.trust, "key": "k", **fields}
    return write(store, a_put(text, **said), by=by)


def _current(store: Store) -> list[str]:
    return texts(ask(store, {"key": "k", "state": "current"}))


class ConflictClauses:
    """Matching revision; trust; the same author; confidence; and then a tie."""

    def test_a_matching_revision_wins_any_conflict(self, store: Store) -> None:
        _says(store, "from the user", trust=Trust.USER)
        receipt = _says(store, "from the web", BOB, trust=Trust.WEB, confidence=0.0, expect=1)
        assert receipt.action is Action.REVISED
        assert _current(store) == ["from the web"]

    def test_higher_trust_wins_before_anything_else(self, store: Store) -> None:
        ranks = sorted(Trust, key=lambda trust: trust.rank)
        assert ranks[0] is Trust.WEB
        assert ranks[-1] is Trust.USER
        for trust in ranks:
            assert _says(store, f"by {trust}", trust=trust, confidence=0.1).id
            assert _current(store) == [f"by {trust}"]
        for trust in ranks[:-1]:
            # Neither being the same author nor being surer makes up for less trust.
            lost = _says(store, f"again by {trust}", trust=trust, confidence=1.0)
            assert lost.action is Action.PROPOSED
        assert _current(store) == ["by user"]

    def test_the_same_author_corrects_itself(self, store: Store) -> None:
        _says(store, "surely tabs", confidence=1.0)
        assert _says(store, "perhaps spaces", confidence=0.2).action is Action.REVISED
        assert _current(store) == ["perhaps spaces"]

    def test_between_authors_the_surer_wins(self, store: Store) -> None:
        _says(store, "ann, half sure", confidence=0.5)
        assert _says(store, "bob, less sure", BOB, confidence=0.4).action is Action.PROPOSED
        assert _says(store, "bob, surer", BOB, confidence=0.6).action is Action.REVISED
        # Not even an arbiter overrules someone surer without having looked.
        assert _says(store, "otto", ORCHESTRATOR, confidence=0.5).action is Action.PROPOSED
        assert _current(store) == ["bob, surer"]

    def test_a_tie_goes_to_the_newest_unless_ties_are_reviewed(self, store: Store) -> None:
        _says(store, "ann first")
        assert _says(store, "bob second", BOB).action is Action.REVISED
        store.configure("knowledge.ties", "review")
        assert _says(store, "ann third").action is Action.PROPOSED
        assert _current(store) == ["bob second"]

    def test_an_arbiter_wins_a_tie_even_under_review(self, store: Store) -> None:
        store.configure("knowledge.ties", "review")
        bound = a_principal("ada", Role.ADMIN)
        for number, arbiter in enumerate((ORCHESTRATOR, ADMIN, bound)):
            # Equal trust is what makes it a tie.
            _says(store, f"an agent {number}", BOB, key=f"k{number}")
            said = _says(store, "settled", arbiter, trust=BOB.trust, source="x", key=f"k{number}")
            assert said.action is Action.REVISED

    def test_the_loser_stays_beside_as_a_proposal(self, store: Store) -> None:
        winner = _says(store, "the user said so", trust=Trust.USER)
        loser = _says(store, "the web disagrees", BOB, trust=Trust.WEB)
        record = the(store, loser.id)
        assert (record.state, record.key, record.rev) == (State.PROPOSED, "k", 1)
        assert (record.supersedes, record.source) == (winner.id, "bob")
        assert the(store, winner.id).rev == 1
        assert found(store, "disagrees") == ["the web disagrees"]
        assert found(store, "disagrees", live_at=NOON) == []

    def test_who_may_only_propose_leaves_what_is_current(self, store: Store) -> None:
        fresh = _says(store, "a first proposal", proposal=True)
        assert (fresh.action, the(store, fresh.id).state) == (Action.PROPOSED, State.PROPOSED)
        _says(store, "current")
        second = _says(store, "another proposal", proposal=True, trust=Trust.USER)
        edited = write(store, a_put("an edit", revises=_id_of(store), proposal=True, expect=1))
        assert {second.action, edited.action} == {Action.PROPOSED}
        assert _current(store) == ["current"]

    def test_what_was_forgotten_opposes_nobody(self, store: Store) -> None:
        first = written(store, "forgotten", key="k")
        write(store, Move(id=first.id, state=State.FORGOTTEN))
        second = _says(store, "a new start", trust=Trust.WEB)
        assert (second.action, second.id != first.id) == (Action.CREATED, True)
        assert _current(store) == ["a new start"]


class LastingConflictClauses:
    """What has run out, in a store that keeps it."""

    def test_what_ran_out_opposes_nobody(self, store: Store) -> None:
        first = written(store, "for an hour", key="k", expires_at=after_noon(60))
        early = write(store, a_put("too early", key="k", trust=Trust.WEB), at=after_noon(59))
        assert early.action is Action.PROPOSED
        late = write(store, a_put("in time", key="k", trust=Trust.WEB), at=after_noon(60))
        assert (late.id, late.action) == (first.id, Action.REVISED)


def _id_of(store: Store) -> Any:
    [record] = ask(store, {"key": "k", "state": "current"})
    return record.id
