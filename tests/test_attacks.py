"""Things someone tried, so that they stay tried: rights, erasure, interrupts, moved stores."""

import os
import shutil
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

import apsw
import pytest

import lamina
from lamina import ForbiddenError, InvalidInputError, Memory, NotFoundError, StoreError, Trust
from lamina.core.filters import Condition, Op
from lamina.core.principal import Surface
from lamina.exchange import export_lines, import_lines
from lamina.stores.sql.driver import one
from lamina.stores.sqlite.connections import Connections
from lamina.stores.sqlite.driver import connect
from lamina.stores.sqlite.pool import Pool
from lamina.stores.together import Together
from tests.places import mem

__all__ = ["mem"]

COMMON = "project/web"
SECRET = "the deploy password is " + "tangerine-42-Lagoon"


def test_editing_a_record_does_not_open_its_secrets(mem: Memory) -> None:
    web, bob = mem.project("web"), mem.agent("bob", project="web")
    kept = web.remember(SECRET, key="dp")
    bob.edit(kept.id, tags=["x"], expect=1)
    with pytest.raises(ForbiddenError):
        bob.reveal(kept.id, kept.sealed[0])


def test_an_agent_cannot_take_the_persons_name(mem: Memory) -> None:
    with pytest.raises(InvalidInputError, match="own name"):
        mem.agent("user", project="web")


@pytest.mark.parametrize("accept", ["auto", "review"])
def test_an_agent_can_oppose_a_person_but_not_silence_him(mem: Memory, accept: str) -> None:
    mem.configure("knowledge.accept", accept)
    web, bob = mem.project("web"), mem.agent("bob", project="web")
    said = web.remember("limit is 5", key="limit")
    corrected = web.remember("limit is 6", key="limit")
    assert bob.remember("limit is 500", key="limit", scope=COMMON).action == "proposed"
    for attempt in (
        lambda: bob.forget(said.id),
        lambda: bob.erase(said.id),
        lambda: bob.undo(corrected.tx),
    ):
        with pytest.raises(ForbiddenError):
            attempt()
    assert web.get("limit").text == "limit is 6"


def test_an_agent_cannot_settle_its_own_proposal_by_undoing(mem: Memory) -> None:
    mem.configure("knowledge.accept", "review")
    web, bob = mem.project("web"), mem.agent("bob", project="web")
    proposal = bob.remember("mine", key="k", scope=COMMON)
    accepted = web.accept(proposal.id)
    taken_back = web.undo(accepted.tx)
    with pytest.raises(ForbiddenError):
        bob.undo(taken_back.tx)
    assert web.get(proposal.id).state == "proposed"


def test_words_beyond_reach_leave_no_trace_in_recall(mem: Memory) -> None:
    ann, bob = mem.agent("ann", project="web"), mem.agent("bob", project="web")
    ann.remember("zzhunterzz in the reeds", layer="notebook")
    before = [(hit.record.text, hit.terms) for hit in ann.recall("hunter").hits]
    assert before
    bob.remember("hunter hunting hunters", layer="notebook")
    bob.remember("hunter", layer="working", key="x")
    assert [(hit.record.text, hit.terms) for hit in ann.recall("hunter").hits] == before


def test_filing_something_differently_does_not_make_it_more_believable(mem: Memory) -> None:
    kept = mem.remember("buy now", via="web")
    mem.edit(kept.id, tags=["seen"], importance=0.9)
    assert mem.get(kept.id).trust is Trust.WEB
    mem.edit(kept.id, "it says: buy now")
    assert mem.get(kept.id).trust is Trust.USER


def test_a_persons_confirmation_counts(mem: Memory) -> None:
    web, bob = mem.project("web"), mem.agent("bob", project="web")
    bob.remember("port is 8080", key="port", scope=COMMON)
    assert web.remember("port is 8080", key="port").action == "revised"
    other = mem.agent("carla", project="web")
    assert other.remember("port is 9999", key="port", scope=COMMON).action == "proposed"


def test_an_accepted_secret_can_still_be_read(mem: Memory) -> None:
    web, bob = mem.project("web"), mem.agent("bob", project="web")
    web.remember("no password yet", key="dp", kind="fact")
    proposal = bob.remember(SECRET, key="dp", kind="fact", scope=COMMON)
    web.accept(proposal.id)
    assert web.reveal("dp", proposal.sealed[0]) == "tangerine-42-Lagoon"
    report = web.erase("dp")
    assert proposal.id in report.records
    assert report.mentions == ()


def test_a_short_secret_cannot_be_guessed_by_its_reference(mem: Memory) -> None:
    web, bob = mem.project("web"), mem.agent("bob", project="web")
    kept = web.remember("door", data={"password": "4711"})
    guess = bob.remember("guess", data={"password": "4711"}, scope=COMMON)
    assert kept.sealed != guess.sealed


def test_only_an_admin_comes_through_another_door(mem: Memory) -> None:
    with pytest.raises(ForbiddenError):
        mem.agent("bob", project="web").path_for(Surface.PIPELINE)


def test_copies_in_every_state_and_version_are_mentioned(mem: Memory) -> None:
    gone = mem.remember("the codeword is marmalade-sky")
    twins = [mem.remember("so the codeword is marmalade-sky", kind="decision") for _ in range(25)]
    mem.forget(twins[0].id)
    mem.edit(twins[1].id, "something else by now")
    assert set(mem.erase(gone.id).mentions) == {twin.id for twin in twins}


def test_an_erased_record_leaves_no_receipt(mem: Memory) -> None:
    kept = mem.remember("same", key="k")
    assert mem.remember("same", key="k", idempotency_key="r").action == "unchanged"
    mem.erase(kept.id)
    again = mem.remember("same", key="k", idempotency_key="r")
    assert not again.repeated


def test_a_reader_cannot_change_the_store(mem: Memory) -> None:
    kept = mem.remember("x", data={"limit": [1]})
    mem.get(kept.id).data["limit"].append(666)
    mem.query()[0].data["limit"] = 5
    assert mem.get(kept.id).data == {"limit": [1]}


def test_what_was_stored_is_found_by_what_was_typed(mem: Memory) -> None:
    mem.remember("x", key="cle\u0301", tags=["cafe\u0301"])
    assert mem.count({"key": "cle\u0301"}) == mem.count({"tags": ["cafe\u0301"]}) == 1
    assert mem.get("cle\u0301").key == "clé"


def test_naming_the_current_state_does_not_bring_back_the_expired(mem: Memory) -> None:
    mem.remember("over", key="z", expires="2001-01-01T00:00:00Z")
    assert mem.count({"key": "z", "state": "current"}) == 0
    assert mem.recall("over", where={"state": "current"}).abstained


def test_everything_that_may_be_stored_can_be_moved(mem: Memory, tmp_path: Path) -> None:
    deep: Any = "bottom"
    for _ in range(62):
        deep = [deep]
    mem.remember("\n" * 600_000 + "x")
    mem.remember("y" * 700_000, data={"z": "w" * 700_000, "deep": deep})
    lines = list(export_lines(mem))
    with lamina.open(tmp_path / "copy") as copy:
        report = import_lines(copy, lines)
        assert (report.added, report.failed) == (2, ())
        assert list(export_lines(copy)) == lines


def test_an_absurd_revision_is_refused(mem: Memory) -> None:
    mem.remember("x")
    [line] = export_lines(mem)
    report = import_lines(mem, [line.replace('"rev":1', f'"rev":{2**63 - 1}')])
    assert len(report.failed) == 1


def test_a_condition_checks_its_own_field() -> None:
    with pytest.raises(InvalidInputError):
        Condition("rev is not null) or (v.rev", (), Op.NE, None)


def test_short_words_in_a_log_that_cannot_be_emptied_are_reported(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        kept = mem.remember("J. Doe")
        reader = apsw.Connection(str(tmp_path / "lamina.db"))
        reader.execute("begin; select count(*) from record").fetchall()
        assert mem.erase(kept.id).residue == ("lamina.db-wal",)
        reader.close()


def every_use(mem: Memory) -> list[Callable[[], object]]:
    return [
        lambda: mem.remember("into another store"),
        lambda: mem.get("k"),
        lambda: mem.count(),
        lambda: mem.recall("before"),
        lambda: list(mem.changes()),
        lambda: mem.store.pulse(),
    ]


@pytest.mark.parametrize("used", [True, False])
def test_a_moved_removed_or_replaced_store_takes_no_reads_or_writes(
    used: bool, tmp_path: Path
) -> None:
    with lamina.open(tmp_path / "a") as mem:
        mem.remember("before", key="k")
        mem.store.pulse()
        if not used:
            # As after a fork: every connection is opened by name when it is needed.
            mem.store._connections._pool.close()  # type: ignore[attr-defined]  # of this store
        (tmp_path / "a").rename(tmp_path / "b")
        for use in every_use(mem):
            with pytest.raises(StoreError, match="moved"):
                use()
        with lamina.open(tmp_path / "a") as other:
            other.remember("elsewhere", key="k")
            for use in every_use(mem):
                with pytest.raises(StoreError, match="moved"):
                    use()
        shutil.rmtree(tmp_path / "a")
        (tmp_path / "b").rename(tmp_path / "a")
        assert mem.get("k").text == "before"
        assert mem.count() == 1


def test_a_connection_that_led_elsewhere_is_not_kept(tmp_path: Path) -> None:
    real, aside = tmp_path / "lamina.db", tmp_path / "aside.db"
    for path, said in ((aside, "elsewhere"), (real, "here")):
        with closing(connect(path, create=True)) as connection:
            connection.execute(f"create table said as select '{said}' as text")
    looks: list[int] = []

    def check() -> None:
        looks.append(real.stat().st_ino)
        if len(looks) == 1:
            # Between the look and the opening.
            real.rename(tmp_path / "moved.db")
            aside.rename(real)
        elif looks[-1] != looks[0]:
            raise StoreError("moved")

    pool = Pool(real, check)
    with pytest.raises(StoreError, match="moved"), pool.reader():
        pytest.fail("the other file was handed out")
    (tmp_path / "moved.db").rename(real)
    with pool.reader() as connection:
        assert one(connection, "select text from said") == "here"
    pool.close()


def test_a_linked_database_is_refused(tmp_path: Path) -> None:
    lamina.open(tmp_path / "real").close()
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "lamina.db").symlink_to(tmp_path / "real" / "lamina.db")
    with pytest.raises(InvalidInputError, match="symbolic link"):
        lamina.open(tmp_path / "linked")


@pytest.mark.parametrize("place", ["mem", "json:mem.json"])
def test_a_store_stays_where_it_was_opened(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    with lamina.open(place) as mem:
        monkeypatch.chdir(tmp_path / "b")
        kept = mem.remember(SECRET)
        mem.flush()
        mem.erase(kept.id)
    assert list((tmp_path / "b").iterdir()) == []


def test_a_store_of_someone_else_on_the_way_up_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".lamina").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LAMINA_DIR", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(InvalidInputError, match="someone else"):
        lamina.open()


def test_an_interrupt_at_any_step_leaves_the_store_usable(tmp_path: Path) -> None:
    """Every line of the commit is interrupted once, as Ctrl-C would."""
    lines = {Together._commit_next.__code__, Connections._run.__code__}
    for step in range(1, 40):
        seen = 0

        def interrupt(frame: FrameType, event: str, _: object, at: int = step) -> Any:
            nonlocal seen
            if frame.f_code not in lines:
                return interrupt if event == "call" else None
            if event == "line":
                seen += 1
                if seen == at:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return interrupt

        with lamina.open(tmp_path) as mem:
            sys.settrace(interrupt)
            try:
                mem.remember(f"interrupted {step}")
            except (KeyboardInterrupt, StoreError):
                pass
            finally:
                sys.settrace(None)
            kept = mem.remember(f"afterwards {step}")
            assert mem.get(kept.id).text == f"afterwards {step}"
            with lamina.open(tmp_path) as other:
                other.remember(f"from another connection {step}")
        if seen < step:
            return
    pytest.fail("the commit has more lines than this test expects")


def test_erasing_by_an_agent_stays_in_its_own_scope(mem: Memory) -> None:
    bob = mem.agent("bob", project="web")
    own = bob.remember("mine", layer="notebook")
    assert bob.erase(own.id).complete
    with pytest.raises(NotFoundError):
        bob.erase(mem.remember("not his", layer="notebook").id)


def test_a_flood_of_secrets_is_refused(mem: Memory) -> None:
    many = [f"hunter-{number}-Lagoon" for number in range(3_000)]
    with pytest.raises(InvalidInputError, match="more than 100 secrets"):
        mem.remember("x", data={"password": many, "notes": [str(n) for n in range(3_000)]})
    with pytest.raises(InvalidInputError, match="more than 100 secrets"):
        mem.remember("\n".join(f"password={value}" for value in many))
    assert mem.count() == 0


def test_a_credential_is_no_kind(mem: Memory) -> None:
    with pytest.raises(InvalidInputError, match="`kind`"):
        mem.remember("x", kind="ghp_" + "k3jQz81mVtR7xYbN20aLwPdE5sHcUf946TgO")
