"""Clauses on the past: what a store answers as of an earlier place in its history."""

from lamina.core.access import EVERYTHING, Reach
from lamina.core.changes import Erase, Move, Witness
from lamina.core.record import State
from lamina.stores.base import Store
from lamina.stores.questions import Match, Query
from lamina.testing.builders import (
    NOON,
    WEB,
    a_put,
    after_noon,
    ask,
    look_for,
    sight_of,
    texts,
    write,
    written,
)

_WORDS = ("kettle", "red kettle", "copper", "pan", "ket", "ettl", "lid", "nothing")
_PART = sight_of(f"{WEB}/agent/ann", "global")


def _place(store: Store) -> dict[str, int]:
    return {name: head.seq for name, head in store.position().items()}


def _answers(store: Store, reach: Reach, as_of: dict[str, int] | None) -> list[list[Match]]:
    return [look_for(store, words, reach=reach, as_of=as_of, limit=50) for words in _WORDS]


class PastClauses:
    """`as_of` reads the past; only what was erased is missing from it."""

    def test_a_record_reads_as_it_was(self, store: Store) -> None:
        places = [_place(store)]
        for text in ("one", "two", "three"):
            write(store, a_put(text, key="k"))
            places.append(_place(store))
        [record] = ask(store)
        write(store, Witness(id=record.id))
        write(store, Move(id=record.id, state=State.FORGOTTEN))
        then = [store.get(EVERYTHING, [record.id], as_of=place) for place in places]
        assert [texts(found) for found in then] == [[], ["one"], ["two"], ["three"]]
        assert [found[0].rev for found in then[1:]] == [1, 2, 3]
        assert then[3][0].state is State.CURRENT
        assert store.get(EVERYTHING, [record.id])[0].state is State.FORGOTTEN

    def test_a_query_of_the_past_is_about_what_was_said_then(self, store: Store) -> None:
        first = written(store, "first", key="a", tags=("old",), importance=0.9)
        written(store, "second", key="b", tags=("old",), importance=0.1)
        place = _place(store)
        write(store, a_put("changed", key="a", tags=("new",), importance=0.2))
        write(store, a_put("third", key="c", tags=("old",)))
        write(store, Move(id=first.id, state=State.FORGOTTEN))
        old = {"tags": ["old"]}
        assert texts(ask(store, old, as_of=place)) == ["second", "first"]
        by_importance = ("importance", True)
        assert texts(ask(store, old, as_of=place, order_by=by_importance)) == ["first", "second"]
        assert texts(ask(store, {"tags": ["new"]}, as_of=place)) == []
        live = ask(store, {"text": {"$prefix": "f"}}, as_of=place, live_at=NOON)
        assert texts(live) == ["first"]
        assert texts(ask(store, old)) == ["third", "second"]

    def test_a_count_of_the_past_agrees_with_its_query(self, store: Store) -> None:
        places = []
        for number in range(6):
            write(store, a_put(f"value {number}", key=f"k{number % 4}"))
            places.append(_place(store))
        counted = [store.count(Query(reach=EVERYTHING, as_of=place)) for place in places]
        assert counted == [1, 2, 3, 4, 4, 4]
        assert counted == [len(ask(store, as_of=place)) for place in places]

    def test_each_stream_has_its_own_past(self, store: Store) -> None:
        for scope in (WEB, "user/ann"):
            for text in ("one", "two"):
                write(store, a_put(f"{text} of {scope}", key="k", scope=scope))
        assert texts(ask(store, as_of={WEB: 1, "user/ann": 2})) == [
            "two of user/ann", f"one of {WEB}",
        ]  # fmt: skip
        assert texts(ask(store, as_of={WEB: 2})) == [f"two of {WEB}"]
        assert ask(store, as_of={}) == []

    def test_a_search_of_the_past_answers_as_it_did_then(self, store: Store) -> None:
        kept: list[tuple[dict[str, int], list[list[Match]]]] = []

        def remember_the_answers() -> None:
            kept.append((_place(store), _answers(store, EVERYTHING, None)))

        red = written(store, "a red kettle", key="a")
        written(store, "a copper kettle with a lid", key="b")
        remember_the_answers()
        write(store, a_put("a blue pan", key="a"), a_put("kettles and pans", scope="user/ann"))
        remember_the_answers()
        write(store, Move(id=red.id, state=State.FORGOTTEN), a_put("kettle kettle kettle"))
        remember_the_answers()
        for number in range(8):
            write(store, a_put(f"lid {number} of copper", key=f"l{number}"))
        write(store, a_put("a red kettle again", key="b"))
        write(store, Move(id=red.id, state=State.CURRENT, terms=("a", "blue", "pan")))
        for place, answers in kept:
            assert _answers(store, EVERYTHING, place) == answers

    def test_what_lies_beyond_sight_does_not_move_a_search_of_the_past(self, store: Store) -> None:
        mine = f"{WEB}/agent/ann"
        written(store, "my red kettle", key="a", scope=mine)
        written(store, "their copper kettle", key="b", scope=f"{WEB}/agent/bob")
        place, answers = _place(store), _answers(store, _PART, None)
        write(store, a_put("my pan", key="a", scope=mine))
        write(store, a_put("their kettlement", key="b", scope=f"{WEB}/agent/bob"))
        assert _answers(store, _PART, place) == answers
        assert [len(hits) for hits in answers] == [1, 1, 0, 0, 1, 1, 0, 0]

    def test_a_search_of_the_past_knows_what_was_current_then(self, store: Store) -> None:
        record = written(store, "a kettle", expires_at=after_noon(5))
        other = written(store, "an old kettle", key="k")
        place = _place(store)
        for one in (record, other):
            write(store, Move(id=one.id, state=State.ARCHIVED), at=after_noon(10))
        hits = look_for(store, "kettle", as_of=place, live_at=after_noon(1))
        assert {hit.record.id for hit in hits} == {record.id, other.id}
        later = look_for(store, "kettle", as_of=place, live_at=after_noon(9))
        assert [hit.record.id for hit in later] == [other.id]
        assert look_for(store, "kettle", live_at=after_noon(10)) == []

    def test_what_was_erased_is_gone_from_the_past(self, store: Store) -> None:
        record = written(store, "a kettle")
        place = _place(store)
        write(store, Erase(id=record.id))
        assert store.get(EVERYTHING, [record.id], as_of=place) == []
        assert ask(store, as_of=place) == []
        assert look_for(store, "kettle", as_of=place) == []

    def test_the_past_is_confined_to_the_reach(self, store: Store) -> None:
        beside = f"{WEB}/agent/ann"
        hidden = written(store, "a hidden kettle", key="k", scope=beside)
        written(store, "an open kettle", key="k")
        place = _place(store)
        write(store, a_put("changed", key="k"), a_put("changed too", key="k", scope=beside))
        sight = sight_of(WEB, subtree=False)
        assert store.get(sight, [hidden.id], as_of=place) == []
        assert texts(ask(store, reach=sight, as_of=place)) == ["an open kettle"]
        hits = look_for(store, "kettle", reach=sight, as_of=place)
        assert [hit.record.text for hit in hits] == ["an open kettle"]
