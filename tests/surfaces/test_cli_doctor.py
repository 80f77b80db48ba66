"""`lamina doctor` on damaged stores: what it says, what it repairs, and how it exits."""

import hashlib
import random
import shutil
from pathlib import Path

import lamina as package
from lamina.stores.sqlite import DATABASE, LEDGER
from tests.faults.damages.of_files import leave_log
from tests.faults.damages.planting import flip, raw
from tests.faults.damages.workload import fill
from tests.surfaces.shell import Answer, Call

DAMAGED = 9


def said(answer: Answer, check: str) -> dict[str, str]:
    """The first finding of a check that is not content."""
    return next(
        one for one in answer.json["findings"]
        if one["check"] == check and one["severity"] != "ok"
    )  # fmt: skip


def digest(folder: Path) -> str:
    return hashlib.sha256((folder / DATABASE).read_bytes()).hexdigest()


def test_quiet_says_only_what_is_wrong(lamina: Call, store: Path) -> None:
    lamina("remember", "three herons", "--key", "birds")
    fine = lamina("doctor", "--quiet")
    assert (fine.status, fine.out, fine.err) == (0, "", "")
    with raw(store) as connection:
        connection.execute("delete from word")
    wrong = lamina("doctor", "--quiet")
    assert wrong.status == DAMAGED
    assert {line.split("\t")[0] for line in wrong.out.splitlines()} == {"index"}


def test_what_is_derived_is_named_and_repaired(lamina: Call, store: Path) -> None:
    lamina("remember", "three herons", "--key", "birds")
    with raw(store) as connection:
        connection.execute("delete from word")
        connection.execute("drop view knowledge")
    found = lamina("doctor", "--json")
    assert (found.status, found.json["ok"], found.json["repaired"]) == (DAMAGED, False, [])
    wrong = said(found, "index")
    assert (wrong["severity"], wrong["truth"]) == ("derived", "the records")
    assert wrong["remedy"] == "Run `lamina doctor --repair`"
    repaired = lamina("doctor", "--repair", "--json")
    assert (repaired.status, repaired.json["ok"], repaired.json["indexed"]) == (0, True, 1)
    assert repaired.json["repaired"] == [
        "the keyword index was built anew, records in it: 1", "the view `knowledge` was made again",
    ]  # fmt: skip
    assert lamina("recall", "herons", "--json").json["hits"]
    assert "index\tok\tnothing wrong" in lamina("doctor").out


def test_damaged_records_are_left_as_they_are_and_can_be_read(lamina: Call, store: Path) -> None:
    lamina("remember", "three herons", "--key", "birds")
    lamina("remember", "a kettle", "--key", "tea")
    with raw(store) as connection:
        connection.execute("update version set text = 'forged' where vid = 1")
    before = digest(store)
    found = lamina("doctor", "--json")
    wrong = said(found, "digests")
    assert (found.status, wrong["severity"], wrong["truth"]) == (DAMAGED, "record", "the log")
    assert "restore from a backup" in wrong["remedy"]
    refused = lamina("doctor", "--repair")
    assert refused.status == DAMAGED
    assert "nothing more should be written" in refused.err
    assert "built anew" not in refused.out
    assert digest(store) == before
    assert lamina("get", "tea", "--json").json["text"] == "a kettle"


def test_both_sides_are_told_apart_for_people(lamina: Call, store: Path) -> None:
    lamina("remember", "three herons")
    with raw(store) as connection:
        connection.execute("update stream set tokens = 77")
        connection.execute("update event set actor = 'mallory'")
    told = lamina("doctor").out
    assert "chain\trecord\tglobal event 1: the event or one before it was altered\t" in told
    assert "statistics\tderived\tstreams whose words are counted wrongly: 1\tthe records\t" in told


def test_a_damaged_log_is_not_opened(lamina: Call, store: Path) -> None:
    """To open the store would drop the very commits that the finding is about."""
    package.open(store).close()
    log = leave_log(store)
    with log.open("r+b") as file:
        file.seek(200)
        file.write(b"\xff\xff\xff")
    before = log.read_bytes()
    for arguments in (("doctor",), ("doctor", "--repair")):
        answer = lamina(*arguments)
        assert answer.status == DAMAGED
        assert "commits lost behind it: " in answer.out
    assert log.read_bytes() == before


def test_a_file_that_is_no_store_is_a_finding(lamina: Call, store: Path) -> None:
    (store / DATABASE).write_bytes(b"not a database at all\n" * 999)
    answer = lamina("doctor", "--repair", "--json")
    assert (answer.status, said(answer, "store")["severity"]) == (DAMAGED, "record")


def test_a_note_is_no_damage(lamina: Call, store: Path) -> None:
    lamina("remember", "three herons")
    with (store / LEDGER).open("a", encoding="utf-8") as file:
        file.write('{"erased": "06')
    answer = lamina("doctor", "--json")
    assert (answer.status, answer.json["ok"]) == (0, True)
    assert said(answer, "ledger")["severity"] == "note"


def test_turned_bits_never_end_in_a_traceback(lamina: Call, tmp_path: Path) -> None:
    fill(tmp_path / "sound", 3, steps=10)
    size = (tmp_path / "sound" / DATABASE).stat().st_size
    chance = random.Random(7)
    for _ in range(25):
        shutil.copytree(tmp_path / "sound", tmp_path / "store")
        for _ in range(40):
            flip(tmp_path / "store" / DATABASE, chance.randrange(size), chance)
        answer = lamina("doctor", "--json")
        assert answer.status in (0, 7, DAMAGED), answer
        assert "something unexpected" not in answer.out + answer.err
        shutil.rmtree(tmp_path / "store")
