"""Clauses on notices: what is announced beside the log, who hears it, and when it goes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lamina.core.access import EVERYTHING, Grant, Reach
from lamina.core.announcements import (
    MOST_NOTICES,
    Announcement,
    Audience,
    MemoryCompact,
    MemoryFlush,
    MemorySearch,
    Notice,
    read,
)
from lamina.core.changes import Erase
from lamina.core.record import Record
from lamina.stores.base import Store
from lamina.testing.builders import NOON, WEB, home, picture, sight_of, write, written

_ALL = Audience(EVERYTHING)
_OTHER = "project/other"


def _read(record: Record, **fields: Any) -> Notice:
    said = read(record, NOON, "finn")
    about = {"scope": record.scope, "layer": record.layer, "records": (record.id,)}
    return Notice(said=said, **{"by": "agent:finn@project/web", "root": WEB, **about, **fields})


def _search(query: str, *records: Record, **fields: Any) -> Notice:
    ids = tuple(record.id for record in records)
    said = MemorySearch(at=NOON, actor="finn", query=query, results=ids)
    return Notice(said=said, **{"by": "finn", "root": WEB, "scope": WEB, "records": ids, **fields})


def _flush(session: str = "s-1", scope: str = WEB) -> Notice:
    said = MemoryFlush(at=NOON, actor="finn", session_id=session)
    return Notice(said=said, by="finn", scope=scope, layer="session")


def _heard(store: Store, audience: Audience = _ALL, after: int = 0) -> list[Announcement]:
    return [notice.said for notice in store.noted(audience, after, 2**31).notices]


class NotingClauses:
    """Notices are kept in order, outside the log, for those who may hear them."""

    def test_notices_come_back_as_they_were_and_change_nothing(self, store: Store) -> None:
        record = written(store, "the kettle", key='a "quoted" key')
        before = picture(store)
        compact = MemoryCompact(at=NOON, actor="finn", session_id="s", before=9, after=0)
        given = [
            _read(record), _search("kettle \N{SNOWMAN}\0", record), _flush(),
            Notice(said=compact, by="ann", scope=f"{WEB}/task/t", layer="session"),
        ]  # fmt: skip
        store.note(given[:3])
        store.note(given[3:])
        kept = store.noted(_ALL, 0, 100)
        assert [replace(notice, number=0) for notice in kept.notices] == given
        assert kept.last == kept.notices[-1].number
        assert picture(store) == before

    def test_notices_are_paged_by_growing_numbers(self, store: Store) -> None:
        for number in range(5):
            store.note([_flush(f"s-{number}")])
        numbers = [notice.number for notice in store.noted(_ALL, 0, 100).notices]
        assert numbers == sorted(set(numbers))
        assert len(numbers) == 5
        page = store.noted(_ALL, numbers[1], 2)
        assert [notice.number for notice in page.notices] == numbers[2:4]
        assert page.last == numbers[3]
        end = store.noted(_ALL, numbers[4], 2)
        assert (end.notices, end.last) == ((), numbers[4])

    def test_only_the_newest_notices_stay(self, store: Store) -> None:
        store.note([_flush("first"), _flush("second")])
        assert len(_heard(store)) == 2
        store.note([_flush()] * (MOST_NOTICES - 1))
        heard = _heard(store)
        assert len(heard) == MOST_NOTICES
        assert heard[0] == _flush("second").said

    def test_a_notice_on_a_record_is_heard_by_those_who_see_the_record(self, store: Store) -> None:
        own, common = f"{WEB}/agent/finn", WEB
        notices = [_read(written(store, scope=scope)) for scope in (own, common)]
        notices.append(
            _read(written(store, "a note", scope=common, layer="blackboard", kind="note"))
        )
        store.note(notices)
        said = [notice.said for notice in notices]
        assert _heard(store) == said
        assert _heard(store, Audience(sight_of(WEB))) == said
        assert _heard(store, Audience(sight_of(WEB, subtree=False))) == said[1:]
        at_home = Reach((Grant(frozenset((home().name,)), WEB),))
        assert _heard(store, Audience(at_home)) == said[:2]
        assert _heard(store, Audience(sight_of(_OTHER))) == []

    def test_who_reads_what_is_global_is_not_heard_in_other_projects(self, store: Store) -> None:
        record = written(store, "for everyone", scope="global")
        finn, ann = _read(record), _read(record, by="admin:ann@*", root="")
        store.note([finn, ann])
        assert _heard(store, Audience(sight_of(WEB, "global"))) == [finn.said, ann.said]
        assert _heard(store, Audience(sight_of(_OTHER, "global"))) == [ann.said]

    def test_a_search_is_heard_by_the_searcher_and_by_those_who_see_the_stream(
        self, store: Store
    ) -> None:
        home = f"{WEB}/agent/finn"
        search = _search("where is the kettle", by="agent:finn@project/web", scope=home)
        store.note([search])
        parts = (
            sight_of(WEB, subtree=False),
            sight_of(home),
            sight_of(_OTHER, "global"),
            Reach(()),
        )
        for part in parts:
            assert _heard(store, Audience(part, "agent:gwen@project/web")) == []
            assert _heard(store, Audience(part, search.by)) == [search.said]
        assert _heard(store, Audience(sight_of(WEB))) == [search.said]
        assert _heard(store, _ALL) == [search.said]

    def test_what_is_not_heard_is_passed(self, store: Store) -> None:
        store.note([_flush("hidden", _OTHER)] * 3 + [_flush("heard")])
        listener = Audience(sight_of(WEB))
        first = store.noted(listener, 0, 3)
        assert first.notices == ()
        [notice] = store.noted(listener, first.last, 3).notices
        assert notice.said == _flush("heard").said

    def test_every_erase_takes_the_notices_along(self, store: Store) -> None:
        gone, stays = written(store, "gone"), written(store, "stays", scope="user/ann")
        store.note([_search("quotes what is gone"), _read(stays), _flush()])
        last = store.noted(_ALL, 0, 100).last
        write(store, Erase(id=gone.id))
        assert _heard(store) == []
        store.note([_flush("later")])
        assert _heard(store, after=last) == [_flush("later").said]

    def test_a_notice_on_what_is_gone_is_not_kept(self, store: Store) -> None:
        gone, stays = written(store, "gone"), written(store, "stays")
        write(store, Erase(id=gone.id))
        store.note([_read(gone), _search("both", gone, stays), _search("one", stays)])
        assert _heard(store) == [_search("one", stays).said]

    def test_who_waits_for_a_change_is_woken_by_a_notice(self, store: Store) -> None:
        pulse = store.pulse()
        store.note([_flush()])
        store.flush()
        assert store.wait(pulse, 0)


class SharedNotingClauses:
    """What holds for notices when several stores are open on one place."""

    def test_notices_reach_the_others(self, store: Store, another: Callable[[], Store]) -> None:
        other = another()
        pulse = other.pulse()
        store.note([_flush("one"), _flush("two")])
        store.flush()
        assert other.wait(pulse, 10)
        assert _heard(other) == [_flush("one").said, _flush("two").said]
        assert _heard(other) == _heard(store)

    def test_what_was_told_before_an_erase_does_not_come_after_it(
        self, store: Store, another: Callable[[], Store]
    ) -> None:
        record = written(store, "gone")
        store.note([_search("quotes what is gone")])
        write(another(), Erase(id=record.id))
        assert _heard(store) == []
        store.note([_flush()])
        assert _heard(store) == [_flush().said]
