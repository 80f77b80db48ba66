"""Clauses on erasing: content goes, the log stays."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from lamina.core.access import EVERYTHING
from lamina.core.changes import Action, Adopt, Erase
from lamina.core.sealed import Sealed
from lamina.errors import ConflictError, LaminaError, NotFoundError
from lamina.stores.base import Capability, Severity, Store
from lamina.stores.looking import look
from lamina.testing.builders import (
    WEB,
    a_put,
    an_id,
    ask,
    breaks,
    found,
    look_for,
    sight_of,
    the,
    write,
    written,
)

BOX = Sealed("secret://" + "a" * 26, "password", b"n" * 12, b"locked away")


class ErasingClauses:
    """What erase removes and what it leaves."""

    def test_erasing_leaves_no_content(self, store: Store) -> None:
        record = written(store, "the first wording", key="k", sealed=(BOX,))
        write(store, a_put("the second wording", key="k"))
        stays = written(store, "another wording")
        receipt = write(store, Erase(id=record.id))
        assert (receipt.action, receipt.id) == (Action.ERASED, record.id)
        assert store.get(EVERYTHING, [record.id]) == []
        assert ask(store) == [stays]
        assert found(store, "wording second first") == ["another wording"]
        assert {version.record for version in store.versions(EVERYTHING, record.id)} == {None}
        assert store.sealed(record.id) == []
        with pytest.raises(NotFoundError):
            write(store, Erase(id=record.id))

    def test_erasing_leaves_the_events_and_the_chain_holds(self, store: Store) -> None:
        record = written(store, "one", key="k")
        write(store, a_put("two", key="k"))
        before = store.events(WEB)
        write(store, Erase(id=record.id))
        after = store.events(WEB)
        assert after[:2] == before
        assert [event.action for event in after[2:]] == [Action.ERASED]
        assert breaks(store, after) == []
        assert {finding.severity for finding in store.check()} == {Severity.OK}
        assert [v.event for v in store.versions(EVERYTHING, record.id)] == after

    def test_what_was_erased_cannot_be_adopted_again(self, store: Store) -> None:
        record = written(store, "once upon a time")
        write(store, Erase(id=record.id))
        for scope in (WEB, "project/other"):
            with pytest.raises(ConflictError, match="erased"):
                write(store, Adopt(record=replace(record, scope=scope)))
        assert ask(store) == []

    def test_erasing_leaves_a_tombstone(self, store: Store) -> None:
        gone, stays = written(store, "gone"), written(store, "stays")
        assert store.tombstones([gone.id, stays.id]) == frozenset()
        write(store, Erase(id=gone.id))
        assert store.tombstones([gone.id, stays.id, an_id()]) == {gone.id}
        assert store.tombstones([]) == frozenset()

    def test_an_erase_that_failed_leaves_no_tombstone(self, store: Store) -> None:
        record = written(store)
        with pytest.raises(LaminaError):
            write(store, Erase(id=record.id), a_put(revises=an_id(1)))
        assert store.tombstones([record.id]) == frozenset()
        assert the(store, record.id) == record

    def test_erasing_takes_the_receipts_along(self, store: Store) -> None:
        first = write(store, a_put("said once"), idempotency_key="r-1", request="asked")
        other = write(store, a_put("kept"), idempotency_key="r-2", request="asked")
        write(store, Erase(id=first.id))
        assert not write(store, a_put("said"), idempotency_key="r-1", request="new").repeated
        assert write(store, a_put("kept"), idempotency_key="r-2", request="asked").id == other.id

    def test_an_erased_key_is_free_again(self, store: Store) -> None:
        first = written(store, "first", key="k")
        write(store, Erase(id=first.id))
        second = write(store, a_put("second", key="k", expect=0))
        assert (second.action, second.rev) == (Action.CREATED, 1)

    def test_erasing_moves_the_word_counts_back(self, store: Store) -> None:
        written(store, "kettle and cup")
        before = look_for(store, "kettle")
        other = written(store, "a kettle with very many words about a kettle")
        write(store, Erase(id=other.id))
        assert look_for(store, "kettle") == before

    def test_only_sight_of_the_whole_stream_shows_what_was_erased(self, store: Store) -> None:
        record = written(store, "private", scope=f"{WEB}/agent/finn")
        write(store, Erase(id=record.id))
        assert len(store.versions(sight_of(WEB), record.id)) == 2
        for reach in (
            sight_of(f"{WEB}/agent/finn"),
            sight_of(WEB, subtree=False),
            sight_of("project/other"),
            sight_of(),
        ):
            assert store.versions(reach, record.id) == []

    def test_a_commit_does_not_bring_back_what_it_erases(self, store: Store) -> None:
        record = written(store, "stays", key="k")
        back = Adopt(record=replace(record, rev=record.rev + 1))
        with pytest.raises(ConflictError):
            write(store, Erase(id=record.id), back)
        assert the(store, record.id) == record
        assert store.tombstones([record.id]) == frozenset()


class ScrubbedContract:
    """For stores that declare `SCRUBBED`.

    The fixture `files` returns a function that lists the files in which the store keeps its bytes.
    """

    @pytest.fixture
    def files(self) -> Callable[[], Iterable[Path]]:
        """Supplied by the subclass."""
        raise NotImplementedError

    def test_scrubbing_leaves_no_erased_byte(
        self, store: Store, files: Callable[[], Iterable[Path]]
    ) -> None:
        assert Capability.SCRUBBED in store.capabilities
        needles = [b"xylophone-text", b"xylophone-key", b"xylophone-data", b"xylophone-tag"]
        record = written(
            store, "xylophone-text", key="xylophone-key", tags=("xylophone-tag",),
            data={"name": "xylophone-data"}, sealed=(BOX,),
        )  # fmt: skip
        write(store, a_put("xylophone-text again", key="xylophone-key"))
        store.flush()
        assert look(files(), needles).hits
        write(store, Erase(id=record.id))
        report = store.scrub([*needles, BOX.box])
        assert report.residue == ()
        assert report.files
        assert look(files(), [*needles, BOX.box]).hits == {}

    def test_what_a_remaining_record_says_is_no_residue(self, store: Store) -> None:
        written(store, "xylophone in common")
        record = written(store, "xylophone in common", kind="decision")
        write(store, Erase(id=record.id))
        assert store.scrub([b"xylophone in common"]).residue == ()
        assert found(store, "xylophone") == ["xylophone in common"]

    def test_deleted_bytes_do_not_stay_in_free_pages(
        self, store: Store, files: Callable[[], Iterable[Path]]
    ) -> None:
        record = written(store, "xylophone " * 300, key="k")
        write(store, a_put("something else entirely", key="other"), Erase(id=record.id))
        store.close()
        assert look(files(), [b"xylophone"]).hits == {}
        assert look(files(), [b"something else"]).hits
