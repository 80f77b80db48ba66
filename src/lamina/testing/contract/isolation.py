"""Clauses on reach: what lies beyond it does not exist."""

from typing import Any

from lamina.core.access import Grant, Reach
from lamina.core.layers import LAYERS
from lamina.core.record import Record
from lamina.stores.base import Capability, Store
from lamina.stores.questions import Query
from lamina.testing.builders import (
    WEB,
    a_put,
    ask,
    home,
    layers_of,
    look_for,
    place_at,
    search,
    sight_of,
    write,
    written,
)

# Names that a careless prefix, `like` or sort order would let in.
NEIGHBOURS = (
    "project/team", "project/team2", "project/team-2", "project/team_2", "project/teamx2",
    "project/tea", "project/zz", "project/team/task/t", "project/team/agent/a",
    "project/team/agent/a_b", "project/team/agent/a_b/task/t", "project/team/agent/a_b2",
    "project/team/agent/axb", "project/team/agent/axb/task/t", "user/team", "agent/team",
    "global", "global/task/team",
)  # fmt: skip


def _fill(store: Store) -> list[Record]:
    return [written(store, f"kettle in {scope}", scope=scope, key="k") for scope in NEIGHBOURS]


def _seen(store: Store, reach: Reach, records: list[Record]) -> dict[str, list[Any]]:
    """The scopes that each way of reading shows."""
    ids = [record.id for record in records]
    return {
        "get": [record.scope for record in store.get(reach, ids)],
        "find": [
            record.scope for record in records
            if store.find(reach, place_at("k", record.scope)) is not None
        ],
        "query": [record.scope for record in reversed(store.query(Query(reach=reach)))],
        "search": [r.scope for r in _searched(store, reach, records)],
        "versions": [record.scope for record in records if store.versions(reach, record.id)],
    }  # fmt: skip


def _searched(store: Store, reach: Reach, records: list[Record]) -> list[Record]:
    hits = {match.record.id for match in look_for(store, "kettle", reach=reach, limit=99)}
    return [record for record in records if record.id in hits]


class IsolationClauses:
    """A reach is a union of exact scopes and subtrees, each for some layers."""

    def test_a_subtree_shows_all_of_itself_and_nothing_else(self, store: Store) -> None:
        records = _fill(store)
        for scope in NEIGHBOURS:
            expected = [s for s in NEIGHBOURS if s == scope or s.startswith(f"{scope}/")]
            for way, seen in _seen(store, sight_of(scope), records).items():
                assert seen == expected, (way, scope)
            assert store.count(Query(reach=sight_of(scope))) == len(expected)

    def test_an_exact_scope_shows_nothing_below_it(self, store: Store) -> None:
        records = _fill(store)
        for scope in NEIGHBOURS:
            reach = sight_of(scope, subtree=False)
            for way, seen in _seen(store, reach, records).items():
                assert seen == [scope], (way, scope)
            assert store.count(Query(reach=reach)) == 1

    def test_several_grants_show_their_union_once(self, store: Store) -> None:
        records = _fill(store)
        reach = Reach(
            (*sight_of("project/team", "project/team/agent/a_b").grants,
             *sight_of("project/team2", subtree=False).grants)
        )  # fmt: skip
        expected = [
            s for s in NEIGHBOURS if f"{s}/".startswith(("project/team/", "project/team2/"))
        ]
        for way, seen in _seen(store, reach, records).items():
            assert seen == expected, way
        assert store.count(Query(reach=reach)) == len(expected)

    def test_a_filter_cannot_widen_a_reach(self, store: Store) -> None:
        _fill(store)
        reach = sight_of("project/team2")
        for where in ({"scope": "project/team"}, {"scope": {"$ne": "x"}, "text": {"$prefix": ""}}):
            assert {one.scope for one in ask(store, where, reach=reach)} <= {"project/team2"}

    def test_words_beyond_reach_do_not_exist(self, store: Store) -> None:
        own, other = f"{WEB}/agent/ann", f"{WEB}/agent/bob"
        written(store, "zzhunterzz in the reeds", scope=own)
        before = [(m.record.text, m.terms) for m in look_for(store, "hunter", reach=sight_of(own))]
        assert len(before) == 1
        written(store, "hunter hunters hunting", scope=other)
        after = [(m.record.text, m.terms) for m in look_for(store, "hunter", reach=sight_of(own))]
        assert after == before

    def test_what_cannot_be_seen_moves_no_score(self, store: Store) -> None:
        own, shared = f"{WEB}/agent/ann", frozenset((home().name,))
        reach = Reach((*sight_of(own).grants, Grant(shared, WEB, subtree=False),
                       Grant(shared, "global", subtree=False)))  # fmt: skip
        for text in ("a kettle", "a cup and a kettle on the stove", "tea"):
            write(store, a_put(text, scope=own))
        write(store, a_put("the stove", scope=WEB), a_put("a red cup", scope="global"))
        place = {name: head.seq for name, head in store.position().items()}
        asked = ("kettle", "red cup stove", "ett", "nothing of this")
        before = [search(store, words, reach=reach) for words in asked]
        assert [one.documents for one in before] == [4] * len(asked)
        for number in range(30):
            write(
                store,
                a_put(f"a long private note {number} on every kettle", scope=f"{WEB}/agent/bob"),
                a_put(f"{number}", scope="global", layer="blackboard"),
                a_put(f"stove {number}", scope="user/cyd"),
            )
        later = {name: head.seq for name, head in store.position().items()}
        past = (place, later) if Capability.PAST in store.capabilities else ()
        for as_of in (None, *past):
            assert [search(store, words, reach=reach, as_of=as_of) for words in asked] == before
        write(store, a_put("one more", scope=own))
        assert search(store, "kettle", reach=reach) != before[0]
        for as_of in past:
            assert [search(store, words, reach=reach, as_of=as_of) for words in asked] == before

    def test_a_stream_of_which_nothing_can_be_seen_does_not_exist(self, store: Store) -> None:
        reach = sight_of(f"{WEB}/agent/ann")
        before = search(store, "kettle", reach=reach)
        write(store, a_put("a kettle", scope=f"{WEB}/agent/bob"))
        assert search(store, "kettle", reach=reach) == before

    def test_layers_beyond_reach_do_not_exist(self, store: Store) -> None:
        records = [
            written(store, f"kettle {layer}", layer=layer, kind=LAYERS[layer].kinds[0], scope=WEB)
            for layer in layers_of(store)
        ]
        for layer in layers_of(store):
            reach = Reach((Grant(frozenset((layer,)), WEB),))
            [only] = ask(store, reach=reach)
            assert only.layer == layer
            found = [match.record for match in look_for(store, "kettle", reach=reach, limit=99)]
            assert found == ([only] if LAYERS[layer].indexed else [])
            assert store.get(reach, [record.id for record in records]) == [only]
            assert [r for r in records if store.versions(reach, r.id)] == [only]
            assert store.count(Query(reach=reach)) == 1

    def test_without_a_grant_nothing_exists(self, store: Store) -> None:
        records = _fill(store)
        assert set(map(len, _seen(store, Reach(()), records).values())) == {0}
        assert store.count(Query(reach=Reach(()))) == 0
