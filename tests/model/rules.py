"""The rules: what can happen to a store, each done to the store and to the model, then compared.

One implementation serves both drivers. A driver only chooses: hypothesis draws and shrinks, the
long run uses a seeded generator.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from lamina.core.changes import Adopt, Change, Commit, Erase, Move, Put, Receipt, Witness
from lamina.core.ids import RecordId, new_id
from lamina.core.indexing import index_terms
from lamina.core.principal import Principal, Role
from lamina.core.record import Content, Record, State, Trust
from lamina.core.retention import Cut, Retention
from lamina.core.scope import Scope
from lamina.errors import LaminaError
from lamina.stores.base import Store
from lamina.testing.builders import NOON
from tests.model import crossing
from tests.model.compare import compare, compare_answer, compare_search, compare_touched
from tests.model.neighbour import DIES_AFTER, DIES_BEFORE
from tests.model.world import Done, World

T = TypeVar("T")
Choose = Callable[[Sequence[Any]], Any]

WEB = Scope.of("project/web")
PEOPLE = (
    Principal("ann", Role.AGENT, WEB),
    Principal("bob", Role.AGENT, WEB),
    Principal("otto", Role.ORCHESTRATOR),
)
SCOPES = ("project/web",) * 2 + ("project/web/agent/ann", "project/web2", "user/ann", "global")
KINDS = {
    "knowledge": ("fact", "decision"), "fact": ("general", "config"), "working": ("plan", "other"),
    "blackboard": ("signal",), "session": ("user", "assistant"), "task": ("task", "chore"),
}  # fmt: skip
LAYERS = ("knowledge", "knowledge", "knowledge", *KINDS)
KEYS = (None, None, "k1", "k2", "k3")
WORDS = ("alpha", "bravo", "delta", "gamma", "omega", "sigma", "kappa", "theta")
DATA: tuple[dict[str, Any], ...] = (
    {},
    {"n": 1},
    {"n": True},
    {"n": 1.0},
    {"n": None},
    {"a": {"b": ["x", 2]}},
    {"s": 'q"é'},
)
WRONG = (0, 1, 2, 3, 9)
YEARS = timedelta(days=3652)
RARELY = (False,) * 9 + (True,)
REQUESTS = ("r1", "r2", "r3", "r4")


class History:
    """A store and the model of it, going through the same changes."""

    def __init__(self, reopen: Callable[[Store | None], Store]) -> None:
        self._reopen = reopen
        self.store = reopen(None)
        self.world = World()
        self.now = NOON
        self.away = timedelta()
        self.steps = 0
        self.marks: list[crossing.Mark] = []
        self.heard: dict[str, int] = {}
        self.words = WORDS
        self._ids = 0
        self.nobody = self.fresh_id()
        self.choose: Choose = lambda options: options[0]

    def run(self, rule: str, choose: Choose) -> None:
        """Do one thing to both, and compare."""
        self.steps += 1
        self.choose = choose
        RULES[rule](self)

    def fresh_id(self) -> RecordId:
        """The next id, not ordered by time: stores must go by sequence."""
        self._ids += 1
        return new_id((self._ids * 7919) % 100_003, self._ids.to_bytes(10))

    def asked(self, *changes: Change, key: str | None = None, request: str = "") -> Commit:
        """The changes as somebody's commit."""
        return Commit(
            changes=changes, by=self.choose(PEOPLE), at=self.now, tx=self.fresh_id(),
            idempotency_key=key, request=request,
        )  # fmt: skip

    def commit(self, *changes: Change, key: str | None = None, request: str = "") -> None:
        """Commit to both and expect the same receipt or the same error."""
        commit = self.asked(*changes, key=key, request=request)
        self.compare(commit, _attempt(self.store.commit, commit))

    def compare(self, commit: Commit, actual: Receipt | type[LaminaError]) -> None:
        """Commit to the model as well, and compare the answers and what was touched."""
        expected = _attempt(self.world.commit, commit)
        assert _told(actual) == expected, (commit, actual, expected)
        touched = {_subject(change) for change in commit.changes}
        if isinstance(expected, Done):
            touched |= {outcome[0] for outcome in expected.outcomes}
        compare_touched(self.store, self.world, sorted(touched), commit.tx)

    def anyone(self) -> RecordId:
        """Mostly an id that is there; now and then one that was erased, or never was."""
        gone = [self.nobody, *sorted(self.world.erased)]
        here = list(self.world.records)
        return RecordId(self.choose(gone if not here or self.choose(RARELY) else here))

    def close(self) -> None:
        """Compare everything once more and let go."""
        compare(self.store, self.world)
        self.store.close()

    def reopen(self) -> None:
        """Close and open again, where that means something."""
        self.store = self._reopen(self.store)


def _attempt(commit: Callable[[Commit], T], given: Commit) -> T | type[LaminaError]:
    try:
        return commit(given)
    except LaminaError as error:
        return type(error)


def _told(answer: Receipt | type[LaminaError]) -> Done | type[LaminaError]:
    if not isinstance(answer, Receipt):
        return answer
    outcomes = tuple((o.id, o.rev, o.action, o.state or State.CURRENT) for o in answer.outcomes)
    return Done(outcomes, answer.seqs, answer.tx, answer.repeated)


def _subject(change: Change) -> RecordId:
    return change.record.id if isinstance(change, Adopt) else change.id


# -- what a change may look like


def _content(history: History, layer: str) -> Content:
    choose = history.choose
    minutes = choose((None, None, None, -5, 5, 60))
    return Content(
        kind=choose(KINDS[layer]),
        text=" ".join((choose(WORDS), choose(WORDS))),
        data=choose(DATA),
        tags=choose(((), ("one",), ("one", "two"))),
        importance=choose((0.5, 0.25, 0.1 + 0.2)),
        confidence=choose((1.0, 0.5)),
        trust=choose((Trust.AGENT, Trust.AGENT, Trust.USER, Trust.WEB)),
        source=choose(("ann", "bob")),
        expires_at=None if minutes is None else history.now + timedelta(minutes=minutes),
    )


def _new(history: History) -> Put:
    choose = history.choose
    layer = choose(LAYERS)
    key = choose(KEYS)
    content = _content(history, layer)
    return Put(
        id=history.fresh_id(), scope=choose(SCOPES), layer=layer, key=key, content=content,
        state=choose((None, None, None, State.PROPOSED, State.ARCHIVED)),
        proposal=choose((False, False, False, True)),
        expect=choose((None,) * 12 + WRONG) if key else None,
        terms=index_terms(content, key),
    )  # fmt: skip


def _edit(history: History) -> Change:
    """A new version by id, with the right revision, a wrong one, or none."""
    choose = history.choose
    current = _someone(history)
    if current is None:
        return Move(id=history.anyone(), state=State.FORGOTTEN)
    content = _content(history, current.layer)
    old = [kept for (one, _), kept in history.world.versions.items() if one == current.id]
    if old and choose((False, True)):
        # An undo: an earlier version as it was, state included.
        earlier = choose(old)
        content, state = earlier.content, earlier.state
    else:
        state = choose((None, None, State.CURRENT, State.ARCHIVED))
    return Put(
        id=history.fresh_id(), scope=current.scope, layer=current.layer, key=current.key,
        content=content, state=state, revises=current.id, terms=index_terms(content, current.key),
        expect=choose((*(current.rev, None) * 6, *WRONG)),
        proposal=choose((False, False, False, True)),
    )  # fmt: skip


def _move(history: History) -> Move:
    choose = history.choose
    record_id = history.anyone()
    record = history.world.records.get(record_id)
    terms = index_terms(record, record.key) if record else ()
    expect = choose((None, record.rev, None, record.rev, 1) if record else (None, 1))
    return Move(id=record_id, state=choose(tuple(State)), expect=expect, terms=terms)


def _adopt(history: History) -> Change:
    """A version from elsewhere: a stranger, or an older, newer or contradicting one of ours."""
    choose = history.choose
    current = _someone(history)
    if current is None or choose((True, False)):
        put = _new(history)
        record = Record(
            id=put.id, scope=put.scope, layer=put.layer, key=put.key, kind=put.content.kind,
            created_at=NOON, updated_at=history.now, rev=choose((1, 2, 7)),
            state=choose((State.CURRENT, State.CURRENT, *State)),
        ).with_content(put.content)  # fmt: skip
    else:
        content = choose((current.content, _content(history, current.layer)))
        rev = current.rev + choose((0, 0, 1, 3, -1))
        record = replace(current.with_content(content), rev=max(rev, 1), updated_at=history.now)
        record = choose((record, record, record, current, replace(record, key="other")))
    return Adopt(record=record, terms=index_terms(record, record.key))


def _someone(history: History) -> Record | None:
    records = list(history.world.records.values())
    return history.choose(records) if records else None


CHANGES: tuple[Callable[[History], Change], ...] = (
    _new, _new, _new, _edit, _edit, _move, _adopt,
    lambda history: Erase(id=history.anyone()),
    lambda history: Witness(id=history.anyone()),
)  # fmt: skip


# -- what can happen


def _one(make: Callable[[History], Change]) -> Callable[[History], None]:
    return lambda history: history.commit(make(history))


def _batch(history: History) -> None:
    number = history.choose((2, 3, 5))
    history.commit(*(history.choose(CHANGES)(history) for _ in range(number)))


def _twins(history: History) -> None:
    """Two new records under one id: nothing of it may stay."""
    put = _new(history)
    history.commit(put, replace(_new(history), id=put.id, key=None))


def _repeatable(history: History) -> None:
    """The same idempotency keys over and over: first time, repeat, or another request."""
    request = history.choose(("asked",) * 7 + ("otherwise",))
    history.commit(_new(history), _new(history), key=history.choose(REQUESTS), request=request)


def _tick(history: History) -> None:
    """The clock goes on, or is set back."""
    history.now += timedelta(minutes=history.choose((1, 1, 7, 90, -3, -600)))


def _leap(history: History) -> None:
    """The clock goes wrong by years, or comes back."""
    history.now -= history.away
    history.away = history.choose((timedelta(), timedelta(), YEARS, -YEARS, YEARS / 4))
    history.now += history.away


def _prune(history: History) -> None:
    choose = history.choose
    layer, versions = choose(LAYERS), choose((None, 0, 1, 3))
    ages = tuple(timedelta(minutes=minutes) for minutes in (0, 5, 60, 1000))
    before = choose((None, *(history.now - age for age in ages)))
    cut, old = Cut(layer, versions, before), history.now - choose(ages)
    retention = Retention((cut,), old)
    expected = replace(history.world).prune(cut, old)
    assert history.store.prunable(retention) == expected
    assert history.store.prune(retention) == history.world.prune(cut, old) == expected


def _configure(history: History) -> None:
    value = history.choose(("review", "newest"))
    history.store.configure("knowledge.ties", value)
    history.world.settings["knowledge.ties"] = value


def _elsewhere(history: History) -> None:
    """Another process writes; where there can be none, this one does."""
    commit = history.asked(history.choose(CHANGES)(history), history.choose(CHANGES)(history))
    if crossing.has_other_processes(history):
        history.compare(commit, crossing.elsewhere(history, commit))
    else:
        history.compare(commit, _attempt(history.store.commit, commit))


def _crash(history: History) -> None:
    """Another process dies around its commit: all of it is there, or nothing."""
    if not crossing.has_other_processes(history):
        return
    commit = history.asked(*(history.choose(CHANGES)(history) for _ in range(3)))
    fate = history.choose((DIES_BEFORE, DIES_AFTER))
    crossing.crash(history, commit, fate)
    if fate == DIES_AFTER:
        _attempt(history.world.commit, commit)
    compare(history.store, history.world)


RULES: dict[str, Callable[[History], None]] = {
    "write": _one(_new),
    "write again": _one(_new),
    "edit": _one(_edit),
    "move": _one(_move),
    "adopt": _one(_adopt),
    "erase": _one(CHANGES[-2]),
    "witness": _one(CHANGES[-1]),
    "batch": _batch,
    "twins": _twins,
    "repeat": _repeatable,
    "tick": _tick,
    "leap": _leap,
    "prune": _prune,
    "configure": _configure,
    "ask": lambda history: compare_answer(
        history.store, history.world, history.now, history.choose
    ),
    "search": lambda history: compare_search(
        history.store, history.world, history.now, history.choose(WORDS)
    ),
    "compare": lambda history: compare(history.store, history.world),
    "reopen": lambda history: history.reopen(),
    "mark": crossing.mark,
    "look back": crossing.look_back,
    "listen": crossing.listen,
    "elsewhere": _elsewhere,
    "crash": _crash,
}
