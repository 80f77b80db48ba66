"""Clauses on commits: all or nothing, revisions, keys, compare-and-set."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from lamina.core import canonical
from lamina.core.access import EVERYTHING
from lamina.core.changes import Action, Change, Erase, Move
from lamina.core.record import State, Trust
from lamina.errors import ConflictError, InvalidInputError, LaminaError
from lamina.stores.base import Store
from lamina.testing.builders import (
    NOON,
    WEB,
    a_put,
    after_noon,
    an_id,
    ask,
    home,
    look_for,
    picture,
    texts,
    the,
    write,
    written,
)

ODD_DATA = {
    "": "an empty name",
    "None": None,
    "yes": True,
    "one": 1,
    "one and a bit": 1.0000000000000002,
    "least": 5e-324,
    "minus nothing": -0.0,
    "most": 2**63 - 1,
    'quo"te\\': ["'", {"deep": [[], {}]}],
    "zażółć 記憶 🧠": "\u2028 \x7f \x1b",
}


class WritingClauses:
    """What a commit does and does not do."""

    def test_a_commit_is_all_or_nothing(self, store: Store) -> None:
        kept = written(store, "kept words", key="kept")
        gone = written(store, "doomed words", key="doomed")
        before = picture(store)
        wrong: list[Change] = [
            Move(id=an_id(1), state=State.FORGOTTEN),
            Erase(id=an_id(1)),
            a_put("too late", key="kept", expect=kept.rev + 7),
        ]
        good: list[Change] = [
            a_put("other words", key="other", scope="project/new"),
            a_put("kept words rewritten", key="kept"),
            Erase(id=gone.id),
        ]
        for bad in wrong:
            for place in range(len(good) + 1):
                changes = [*good[:place], bad, *good[place:]]
                with pytest.raises(LaminaError):
                    write(store, *changes, idempotency_key="same", request="first")
                assert picture(store) == before
        assert not write(store, a_put(), idempotency_key="same", request="second").repeated

    def test_what_was_written_is_read_back_as_it_was(self, store: Store) -> None:
        east = timezone(timedelta(hours=5, minutes=45))
        put = a_put(
            "tabs\tand\nlines, „quotes“ 'and' \"more\" 記憶 🧠",
            key="ключ 🔑",
            kind="decision",
            data=ODD_DATA,
            tags=("b", "a", "ß"),
            importance=0.1 + 0.2,
            confidence=5e-324,
            trust=Trust.WEB,
            source="somebody",
            valid_from=datetime(1, 1, 1, tzinfo=UTC),
            expires_at=datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=east),
            supersedes=an_id(7),
        )
        record = the(store, write(store, put).id)
        assert record.content == put.content
        # Python holds `True`, `1` and `1.0` to be equal; what was written must not become another.
        assert canonical.dumps(record.data) == canonical.dumps(ODD_DATA)
        assert (record.id, record.scope, record.layer, record.key) == (
            put.id, WEB, home().name, "ключ 🔑",
        )  # fmt: skip
        assert (record.state, record.rev) == (State.CURRENT, 1)
        assert record.created_at == record.updated_at == NOON

    def test_revisions_rise_by_one(self, store: Store) -> None:
        first = written(store, "one", key="count")
        for rev, text in enumerate(("two", "three", "four"), start=2):
            receipt = write(store, a_put(text, key="count"), at=after_noon(rev))
            assert (receipt.id, receipt.rev, receipt.action) == (first.id, rev, Action.REVISED)
            record = the(store, first.id)
            assert (record.rev, record.text) == (rev, text)
            assert (record.created_at, record.updated_at) == (NOON, after_noon(rev))

    def test_only_the_newest_value_of_a_key_is_current(self, store: Store) -> None:
        for text in ("tabs", "spaces", "tabs again"):
            write(store, a_put(text, key="indent"))
        assert texts(ask(store, {"key": "indent"})) == ["tabs again"]
        assert texts(ask(store, {"key": "indent"}, live_at=NOON)) == ["tabs again"]
        assert [match.record.text for match in look_for(store, "indent")] == ["tabs again"]

    def test_a_write_that_says_nothing_new_changes_nothing(self, store: Store) -> None:
        first = written(store, "tabs", key="indent", data={"width": 4}, tags=("style",))
        before = picture(store)
        receipt = write(
            store,
            a_put("tabs", key="indent", data={"width": 4}, tags=("style",), source="bob"),
            at=after_noon(5),
        )
        assert (receipt.id, receipt.rev, receipt.action) == (first.id, 1, Action.UNCHANGED)
        assert receipt.seqs == ()
        assert picture(store) == before

    def test_a_number_and_a_truth_value_are_not_the_same(self, store: Store) -> None:
        for rev, value in enumerate((1, True, 1.0), start=1):
            receipt = write(store, a_put("state", key="done", data={"done": value}))
            assert receipt.rev == rev
            assert repr(the(store, receipt.id).data["done"]) == repr(value)

    def test_compare_and_set_takes_only_the_revision_that_was_seen(self, store: Store) -> None:
        first = write(store, a_put("one", key="k", expect=0))
        for wrong in (0, 2, 99):
            with pytest.raises(ConflictError):
                write(store, a_put("two", key="k", expect=wrong))
            with pytest.raises(ConflictError):
                write(store, a_put("two", revises=first.id, expect=wrong))
            with pytest.raises(ConflictError):
                write(store, Move(id=first.id, state=State.FORGOTTEN, expect=wrong))
        with pytest.raises(ConflictError):
            write(store, a_put("nobody is there", key="unheld", expect=1))
        assert the(store, first.id).text == "one"
        assert write(store, a_put("two", key="k", expect=1)).rev == 2
        assert write(store, a_put("three", revises=first.id, expect=2)).rev == 3

    def test_later_changes_of_a_commit_see_the_earlier_ones(self, store: Store) -> None:
        first = a_put("one", key="k")
        receipt = write(
            store, first, a_put("two", key="k"), Move(id=first.id, state=State.FORGOTTEN),
            a_put("somebody else", key="k"),
        )  # fmt: skip
        assert [outcome.rev for outcome in receipt.outcomes] == [1, 2, 3, 1]
        assert the(store, first.id).state is State.FORGOTTEN
        assert texts(ask(store, {"key": "k", "state": "current"})) == ["somebody else"]
        assert [v.record and v.record.text for v in store.versions(EVERYTHING, first.id)] == [
            "one", "two", "two",
        ]  # fmt: skip

    def test_an_id_names_one_record_only(self, store: Store) -> None:
        first = written(store, "the first", key="a")
        before = picture(store)
        twin = a_put("twins", key="c")
        with pytest.raises(LaminaError):
            write(store, a_put("an impostor", key="b", id=first.id))
        with pytest.raises(LaminaError):
            write(store, twin, a_put("twins again", key="d", id=twin.id))
        assert picture(store) == before

    def test_history_is_kept_as_far_as_the_layer_says(self, store: Store) -> None:
        for layer, kept in (("working", 0), ("blackboard", 19), (home().name, 19)):
            for number in range(20):
                receipt = write(store, a_put(f"value {number}", layer=layer, key="k"))
            versions = store.versions(EVERYTHING, receipt.id)
            assert [version.event.rev for version in versions] == list(range(1, 21))
            said = [version.record and version.record.text for version in versions]
            expected = [f"value {number}" for number in range(19 - kept, 20)]
            assert said == [None] * (19 - kept) + expected
            assert the(store, receipt.id).text == "value 19"

    def test_a_receipt_tells_what_happened(self, store: Store) -> None:
        old = written(store, "old", key="old")
        receipt = write(
            store, a_put("new"), a_put("older", key="old"), a_put("far", scope="user/ann"),
            a_put("older", key="old"), Erase(id=old.id),
        )  # fmt: skip
        assert [outcome.action for outcome in receipt.outcomes] == [
            Action.CREATED, Action.REVISED, Action.CREATED, Action.UNCHANGED, Action.ERASED,
        ]  # fmt: skip
        assert receipt.seqs == ((WEB, 4), ("user/ann", 1))
        assert (receipt.pending, receipt.repeated) == ((), False)


class LayeredWritingClauses:
    """What layers declare of keys and changes, in a store that keeps them all."""

    def test_what_makes_a_key_unique_is_what_its_layer_declares(self, store: Store) -> None:
        for layer, kinds, held in (
            ("knowledge", ("fact", "decision"), 2),
            ("fact", ("general", "config"), 1),
            ("task", ("task", "chore"), 1),
        ):
            for kind in kinds:
                write(store, a_put(f"{layer} {kind}", layer=layer, kind=kind, key="k"))
            assert len(ask(store, {"layer": layer, "state": "current"})) == held
        write(store, a_put("elsewhere", layer="fact", kind="general", key="k", scope="project/b"))
        assert len(ask(store, {"layer": "fact", "state": "current"})) == 2

    def test_an_append_only_layer_never_changes_a_record(self, store: Store) -> None:
        for layer, kind in (("session", "user"), ("log", "ERROR"), ("episode", "failed")):
            first = written(store, "as it was", layer=layer, kind=kind, key="m-1")
            with pytest.raises(InvalidInputError):
                write(store, a_put("rewritten", layer=layer, kind=kind, key="m-1"))
            with pytest.raises(InvalidInputError):
                write(store, a_put("rewritten", layer=layer, kind=kind, revises=first.id, expect=1))
            assert the(store, first.id) == first
            assert write(store, Move(id=first.id, state=State.ARCHIVED)).rev == 2
