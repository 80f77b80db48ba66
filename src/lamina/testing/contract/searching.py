"""Clauses on search: order, statistics, pieces, and what a query may hold."""

import math
from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lamina.core.access import EVERYTHING
from lamina.core.changes import Move
from lamina.core.filters import parse
from lamina.core.indexing import index_terms
from lamina.core.record import State
from lamina.core.text import Term, query_terms
from lamina.stores.base import Store
from lamina.stores.ephemeral import EphemeralStore
from lamina.stores.questions import Match, Search
from lamina.testing.builders import (
    a_put,
    after_noon,
    an_id,
    found,
    look_for,
    picture,
    sight_of,
    write,
    written,
)

HOSTILE = [
    "", " ", '"', "'", "a AND (", "NEAR(", "NOT", "OR OR", "col:val", "word : x", "%_'; --", "-x",
    "*", "kettle*", "^kettle", "{kettle}", "(((((", "\x00", "\ud800", "kettle\x00cup", "\u202e",
    "1:kettle", "0:", "^*:()\"'", "a" * 100_000, "x " * 5_000, "'; drop table record; --", "\\",
    "\U0010ffff", "..", "../../etc/passwd", "'' or 1=1", "kettle OR 1=1", "NEAR(kettle cup, 5)",
    "?", "$1", "🫖", "o'clock", "rock'n'roll", "a_b", "100%",
]  # fmt: skip
WORDS = (
    "kettle cup tea teapot Teapots green-tea ProcessEvent process_event C++ /etc/hosts naïve"
    " 記憶 記憶装置 Straße 3.14 v1.2.3 don't e\u0301te 🫖 foo@bar.org --no-verify x kettles"
    " \x1c \x0b \x85 \u00a0 \u3000 \x01ctl a\x02b \u200bzero \ufeffbom ａｂｃ İstanbul ſ"
)
TEXTS = st.lists(st.sampled_from([*WORDS.split(" "), "the", "and"]), max_size=8).map(" ".join)


class SearchingClauses:
    """Keyword search by BM25, with the statistics of each record's stream."""

    def test_the_better_match_comes_first(self, store: Store) -> None:
        padding = " and a few more words about nothing in particular"
        for text in (
            "drum" + padding,
            "lamp" + padding * 3,
            "lamp lamp drum" + padding,
            "lamp" + padding,
            "nothing of the sort",
        ):
            write(store, a_put(text))
        # More often, in less text, and all words rather than one.
        hits = found(store, "lamp drum")
        assert hits[0] == "lamp lamp drum" + padding
        assert len(hits) == 4
        assert hits.index("lamp" + padding) < hits.index("lamp" + padding * 3)
        # The rarer word tells more.
        assert found(store, "drum lamp")[1] == "drum" + padding

    def test_equal_matches_come_newest_first(self, store: Store) -> None:
        for number in range(5):
            write(store, a_put("the same kettle", tags=()), at=after_noon(-number))
        ids = [match.record.id for match in look_for(store, "kettle")]
        assert ids == sorted(ids, reverse=True)
        assert [match.record.id for match in look_for(store, "kettle", limit=2)] == ids[:2]

    def test_another_streams_documents_move_no_score(self, store: Store) -> None:
        for text in ("a kettle", "a cup and a kettle", "tea"):
            write(store, a_put(text, scope="project/mine"))
        mine = sight_of("project/mine")
        asked = ("kettle cup te", "ett", "kettle")
        before = [look_for(store, words, reach=mine) for words in asked]
        assert all(before)
        write(
            store,
            *(
                a_put(f"kettle cup teapot {n}", scope=f"project/{'mine2' if n % 2 else 'theirs'}")
                for n in range(500)
            ),
        )
        assert [look_for(store, words, reach=mine) for words in asked] == before

    def test_a_piece_of_a_word_finds_the_word(self, store: Store) -> None:
        written(store, "the dishwasher")
        written(store, "a wash")
        assert found(store, "dishw") == ["the dishwasher"]
        assert found(store, "ishwash") == ["the dishwasher"]
        assert found(store, "was")[0] == "a wash"
        [whole] = look_for(store, "dishwasher")
        [start] = look_for(store, "dishw")
        [inside] = look_for(store, "ishwash")
        assert whole.score > start.score > inside.score > 0

    def test_query_text_is_data(self, store: Store) -> None:
        write(store, a_put("kettle"), a_put("cup"))
        # So much that no store reads all of it to answer; nothing hostile is a piece of it.
        write(store, a_put(" ".join(map("".join, product("gjmq", repeat=6)))))
        before = picture(store)
        for hostile in HOSTILE:
            hits = look_for(store, hostile)
            assert all(match.record.text in ("kettle", "cup") for match in hits), hostile
        for token in ("'", '"', "o'clock", "%", "_", "*", "?", "') or 1=1 --", "e%", "k*"):
            # No analyser of ours gives these; the store must not rely on that.
            terms = (Term(token, 1.0, expand=True),)
            assert store.search(Search(reach=EVERYTHING, terms=terms)).matches == (), token
        assert picture(store) == before
        assert found(store, "kettle* AND zzz") == ["kettle"]

    def test_filters_apply_before_the_best_are_taken(self, store: Store) -> None:
        for number in range(30):
            write(store, a_put("kettle kettle kettle", kind="decision", tags=(f"t{number}",)))
        write(store, a_put("one kettle among a good many other words", tags=("wanted",)))
        write(store, a_put("a kettle that ran out", expires_at=after_noon(-1), tags=("wanted",)))
        reach = sight_of("project/web")
        for where in ({"tags": "wanted"}, {"kind": "fact"}, {"data.x": None, "tags": ["wanted"]}):
            hits = found(store, "kettle", limit=1, where=parse(where), live_at=after_noon(0))
            assert hits == ["one kettle among a good many other words"]
        assert len(found(store, "kettle", limit=31, reach=reach, live_at=after_noon(0))) == 31

    def test_a_match_names_the_tokens_it_holds(self, store: Store) -> None:
        written(store, "kettle on a stove", key="cup-board", tags=("tea",))
        [match] = look_for(store, "kettle cup tea saucer")
        assert {term.token for term in query_terms("kettle cup tea")} <= set(match.terms)
        assert match.terms == tuple(sorted(match.terms))
        assert "saucer" not in match.terms

    def test_a_new_version_is_found_by_its_own_words_only(self, store: Store) -> None:
        record = written(store, "kettle", key="k")
        write(store, a_put("cup", key="k"))
        assert found(store, "kettle") == []
        assert found(store, "cup") == ["cup"]
        write(store, Move(id=record.id, state=State.FORGOTTEN))
        assert found(store, "cup") == []

    def test_a_record_without_words_is_no_document(self, store: Store) -> None:
        written(store, "kettle and cup")
        before = look_for(store, "kettle")
        write(store, *(a_put("", data={"n": n}) for n in range(20)))
        assert look_for(store, "kettle") == before

    def test_indexing_anew_changes_no_answer(self, store: Store) -> None:
        kept = [written(store, text, key=text) for text in ("kettle", "cup and kettle", "tea")]
        write(store, Move(id=kept[2].id, state=State.FORGOTTEN))
        write(store, a_put("kettle far away", scope="user/ann"))
        before = picture(store)
        assert store.reindex(lambda record: index_terms(record, record.key)) == 3
        assert picture(store) == before
        assert store.reindex(lambda record: ("zebra", record.kind)) == 3
        assert len(look_for(store, "zebra")) == 3
        assert look_for(store, "kettle") == []

    @settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=25)
    @given(
        said=st.lists(TEXTS, min_size=1, max_size=8), asked=st.lists(TEXTS, min_size=1, max_size=4)
    )
    def test_scores_equal_those_of_the_reference(
        self, store: Store, said: list[str], asked: list[str]
    ) -> None:
        reference = EphemeralStore()
        # Each example has a stream of its own, so that one store serves them all.
        scope = f"project/{an_id()}"
        puts = [a_put(text, scope=scope, tags=(f"n{n}",)) for n, text in enumerate(said)]
        forgotten = Move(id=puts[0].id, state=State.FORGOTTEN)
        for one in (store, reference):
            write(one, *puts)
            write(one, a_put("kettle", revises=puts[-1].id, expect=1), forgotten)
        for words in (*asked, "te", "event", "n"):
            expected = look_for(reference, words, reach=sight_of(scope), limit=99)
            _check_alike(look_for(store, words, reach=sight_of(scope), limit=99), expected)


def _check_alike(hits: list[Match], expected: list[Match]) -> None:
    assert [(hit.record.id, hit.terms) for hit in hits] == [
        (hit.record.id, hit.terms) for hit in expected
    ]
    for hit, wanted in zip(hits, expected, strict=True):
        assert math.isclose(hit.score, wanted.score, rel_tol=0, abs_tol=1e-6)
