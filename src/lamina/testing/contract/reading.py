"""Clauses on reading: by id, by slot, by query, in order and one by one."""

from dataclasses import replace

import pytest

from lamina.core.access import EVERYTHING, Reach
from lamina.core.changes import Erase, Move
from lamina.core.filters import INSTANTS, NUMBERS, ORDERABLE, order_key, parse
from lamina.core.record import State, Trust
from lamina.errors import InvalidInputError
from lamina.stores.base import Store
from lamina.stores.questions import Query, in_lots
from lamina.testing.builders import (
    NOON,
    WEB,
    a_put,
    after_noon,
    an_id,
    ask,
    home,
    look_for,
    place_at,
    sight_of,
    someday,
    texts,
    write,
    written,
)


class ReadingClauses:
    """What a question is answered with, and in which order."""

    def test_get_keeps_the_order_asked_for_and_skips_the_missing(self, store: Store) -> None:
        first, second = written(store, "first"), written(store, "second")
        asked = [second.id, an_id(1), first.id, second.id]
        assert store.get(EVERYTHING, asked) == [second, first, second]
        assert store.get(EVERYTHING, []) == []

    def test_find_answers_with_the_current_holder(self, store: Store) -> None:
        place = place_at("k")
        assert store.find(EVERYTHING, place) is None
        written(store, "one", key="k")
        record = written(store, "two", key="k")
        assert store.find(EVERYTHING, place) == record
        assert store.find(EVERYTHING, place_at("other")) is None
        write(store, Move(id=record.id, state=State.SUPERSEDED))
        assert store.find(EVERYTHING, place) is None

    def test_order_is_that_of_creation_not_of_the_clock(self, store: Store) -> None:
        old, older = an_id(2), an_id(1)
        write(store, a_put("first", id=old, scope="user/ann"), at=after_noon(9))
        write(store, a_put("second", id=older, scope="user/bob"), at=after_noon(5))
        write(store, a_put("third", key="k"), at=after_noon(7))
        write(store, a_put("first, revised", revises=old, expect=1), at=after_noon(99))
        assert texts(ask(store)) == ["third", "second", "first, revised"]
        assert texts(ask(store, order_by=(None, False))) == ["first, revised", "second", "third"]

    def test_ordering_puts_nulls_least_and_the_newest_first_among_equals(
        self, store: Store
    ) -> None:
        for number in range(12):
            write(
                store,
                a_put(
                    f"t{number % 5}", kind=("fact", "Fact", "décision")[number % 3],
                    key=None if number % 4 else f"k{number % 3}é", tags=(str(number),),
                    importance=(0.5, 0.25, 1.0)[number % 3], confidence=number % 2 / 3,
                    trust=(Trust.WEB, Trust.USER)[number % 2], source=f"s{number % 2}",
                    scope=(WEB, "global", "user/a")[number % 3],
                    valid_from=None if number % 2 else after_noon(-number),
                    expires_at=someday(number % 3) if number % 5 else None,
                    supersedes=an_id(9) if number % 2 else None,
                ),
                at=after_noon(number % 4),
            )  # fmt: skip
        newest_first = ask(store)
        for field in sorted(ORDERABLE):
            for descending in (True, False):
                expected = sorted(
                    newest_first, key=lambda r: order_key(r, field), reverse=descending
                )
                assert ask(store, order_by=(field, descending)) == expected, (field, descending)
        assert ask(store, order_by=("key", False))[0].key is None
        assert ask(store, order_by=("key", True))[0].key is not None

    def test_a_limit_counts_what_matched(self, store: Store) -> None:
        for number in range(9):
            write(store, a_put(f"{number}", tags=("odd",) if number % 2 else ()))
        wanted = {"tags": "odd"}
        assert texts(ask(store, wanted, limit=2)) == ["7", "5"]
        assert texts(ask(store, wanted, limit=2, order_by=("text", False))) == ["1", "3"]
        assert texts(ask(store, wanted, limit=99)) == ["7", "5", "3", "1"]
        assert ask(store, wanted, limit=0) == []

    def test_a_walk_meets_every_record_of_a_stream_once(self, store: Store) -> None:
        scopes = ("user/ann", WEB)
        write(store, *[a_put(f"{number}", scope=scopes[number % 2]) for number in range(1_200)])
        walked = texts(list(store.walk(EVERYTHING, WEB)))
        assert walked == [str(number) for number in range(1, 1_200, 2)]
        assert list(store.walk(sight_of("user/ann"), WEB)) == []

    def test_a_walk_goes_on_while_records_are_erased_and_added(self, store: Store) -> None:
        puts = [a_put(f"{number}") for number in range(1_100)]
        write(store, *puts)
        walk = store.walk(EVERYTHING, WEB)
        met = [next(walk) for _ in range(500)]
        write(store, *[Erase(id=put.id) for put in puts[495:505]])
        written(store, "late")
        met += list(walk)
        stayed = [str(number) for number in range(1_100) if not 495 <= number < 505]
        seen = texts(met)
        assert len(seen) == len(set(seen))
        assert [text for text in seen if text in set(stayed)] == stayed

    def test_a_negative_limit_is_refused(self, store: Store) -> None:
        for limits in ({"limit": -1}, {"after": -1}):
            with pytest.raises(InvalidInputError):
                store.events(WEB, **limits)
        with pytest.raises(InvalidInputError):
            ask(store, limit=-1)
        with pytest.raises(InvalidInputError):
            look_for(store, "kettle", limit=-1)

    def test_what_any_kept_version_says_is_found_by_its_text(self, store: Store) -> None:
        first = written(store, "it said: the codeword is kettle", key="a")
        write(store, a_put("nothing of the sort", key="a"))
        hidden = written(store, "the codeword is kettle, hidden", scope="user/ann")
        write(store, Move(id=hidden.id, state=State.FORGOTTEN))
        written(store, "the codeword is cup")
        said = ["the codeword is kettle", "no such thing"]
        assert store.saying(EVERYTHING, said) == [first.id, hidden.id]
        assert store.saying(sight_of("user/ann"), said) == [hidden.id]
        assert store.saying(EVERYTHING, []) == []

    def test_what_a_record_says_is_found_wherever_it_says_so(self, store: Store) -> None:
        said = 'the "codeword"\nis kêttle'
        deep = written(store, "deep", data={"list": [1, {"told": f"namely {said}, so"}]})
        write(store, a_put("named", key="a", data={said: True}))
        named = written(store, "named again", key="a")
        tagged = written(store, "tagged", tags=("codeword-is-kettle",))
        keyed = written(store, "keyed", key="of codeword-is-kettle")
        written(store, "other", key="b", tags=("codeword",), data={"list": ["kêttle"]})
        assert store.saying(EVERYTHING, [said]) == [deep.id, named.id]
        assert store.saying(EVERYTHING, ["codeword-is-kettle"]) == [tagged.id, keyed.id]

    def test_counting_agrees_with_querying(self, store: Store) -> None:
        for number in range(8):
            write(store, a_put(str(number), expires_at=someday(number) if number % 2 else None))
        for where in ({}, {"text": "3"}, {"text": {"$gt": "4"}}, {"kind": "none"}):
            for live_at in (None, someday(4)):
                query = Query(reach=EVERYTHING, where=parse(where), live_at=live_at, limit=2)
                assert store.count(query) == len(ask(store, where, live_at=live_at))

    def test_a_census_agrees_with_querying(self, store: Store) -> None:
        for number in range(8):
            state = State.PROPOSED if number > 5 else State.CURRENT
            scope, layer = ("global", WEB)[number % 2], ("blackboard", home().name)[number % 3 > 1]
            runs_out = someday(number) if number % 2 else None
            put = a_put("word " * number, scope=scope, layer=layer, state=state,
                        expires_at=runs_out)  # fmt: skip
            write(store, put)
        for reach in (EVERYTHING, sight_of(WEB), Reach(())):
            for live_at in (None, someday(4)):
                query = Query(reach=reach, live_at=live_at)
                assert store.census(replace(query, limit=2)) == in_lots(store.query(query))

    def test_only_the_newest_version_is_asked(self, store: Store) -> None:
        record = written(store, "the old text", key="k", tags=("old",), data={"n": 1})
        write(store, a_put("the new text", key="k", tags=("new",), data={"n": 2}))
        for old in ({"text": "the old text"}, {"tags": "old"}, {"data.n": 1}, {"rev": 1}):
            assert ask(store, old) == []
        write(store, Erase(id=record.id))
        assert ask(store) == []

    def test_every_field_can_be_asked_for(self, store: Store) -> None:
        record = written(
            store, "asked for", key="k", valid_from=NOON, expires_at=someday(1),
            supersedes=an_id(3), importance=0.25, data={"status": "open"},
        )  # fmt: skip
        written(store, "a bystander", kind="decision", importance=0.75)
        for field in sorted(ORDERABLE):
            value = getattr(record, field)
            matching = [one for one in ask(store) if getattr(one, field) == value]
            assert ask(store, {field: value}) == matching, field
            assert record in matching
            if field in NUMBERS | INSTANTS:
                assert record in ask(store, {field: {"$gte": value, "$lte": value}}), field
        assert ask(store, {"data.status": "open", "text": {"$prefix": "asked"}}) == [record]


class LastingReadingClauses:
    """What has run out, in a store that keeps it."""

    def test_what_is_not_live_is_left_out(self, store: Store) -> None:
        for state in State:
            write(store, a_put(f"{state}", state=state))
        write(store, a_put("ran out", expires_at=NOON))
        write(store, a_put("runs out later", expires_at=after_noon(0.001)))
        live = ask(store, live_at=NOON)
        assert texts(live) == ["runs out later", "current"]
        assert store.count(Query(reach=EVERYTHING, live_at=NOON)) == 2
        assert len(ask(store)) == len(State) + 2
