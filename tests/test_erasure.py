"""Erase means gone: canaries everywhere a value can be, then a search through the bytes."""

import random
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import apsw
import pytest

import lamina
from lamina import Memory
from lamina.exchange import export_lines, import_lines
from lamina.testing import FakeEmbedder
from tests.places import where

SCAN = """
import pathlib, re, sys
# The end of it is in it, however the beginning is written.
needles = sys.stdin.read().split()
forms = {form.encode() for needle in needles for form in (needle[6:], needle[6:].lower())}
# Wherever one of them lies, all around it are bytes of which they are made.
made_of = re.escape(bytes({byte for form in forms for byte in form}))
runs = re.compile(b"[%b]{%d,}" % (made_of, min(map(len, forms))))
for path in pathlib.Path(sys.argv[1]).rglob("*"):
    if path.is_file():
        held = b" ".join(runs.findall(path.read_bytes()))
        for form in forms:
            if form in held:
                print(path.name, form.decode())
"""


def residue(folder: Path, needles: list[str]) -> list[str]:
    """Every trace of the needles, found by a process that knows nothing of the store."""
    done = subprocess.run(
        [sys.executable, "-c", SCAN, str(folder)],
        input="\n".join(needles), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def plant(mem: Memory, rng: random.Random) -> tuple[list[str], list[str]]:
    """Hide 100 records' worth of canaries among ordinary ones; return ids and canaries."""
    words = [f"word{n}" for n in range(2_000)]
    ids: list[str] = []
    canaries: list[str] = []
    for _ in range(100):
        made = [f"CANARY{rng.randrange(10**14):014d}" for _ in range(7)]
        first = mem.remember(
            f"first {made[0]} {' '.join(rng.choices(words, k=12))}",
            key=f"key-{made[1]}", tags=[made[2]], data={"list": [{made[3]: made[4]}]},
        )  # fmt: skip
        mem.remember(
            f"then {made[5]} {'padding ' * rng.randrange(900)}",
            key=f"key-{made[1]}", tags=[made[2]], idempotency_key=made[6],
        )  # fmt: skip
        mem.remember_many([{"text": " ".join(rng.choices(words, k=25))} for _ in range(10)])
        ids.append(first.id)
        canaries += made
    return ids, canaries


@pytest.mark.parametrize("kind", ["json", "sqlite"])
def test_a_hundred_canaries_leave_no_byte(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    # Vectors are made and erased too; what they mean is of no account here.
    embedder = FakeEmbedder()
    with lamina.open(where(kind, folder), embedder=embedder) as mem:
        ids, canaries = plant(mem, random.Random(7))
        mem.store.flush()
        exported = list(export_lines(mem, history=True))
        assert residue(folder, canaries)
        report = mem.erase(*ids)
        assert report.complete
        assert (len(report.records), report.versions) == (100, 200)
        assert report.files > 0
        assert residue(folder, canaries) == []
        assert all(finding.severity == "ok" for finding in mem.store.check())
        back = import_lines(mem, exported)
        assert (back.erased, back.added) == (200, 0)
        mem.store.flush()
        assert residue(folder, canaries) == []
        assert mem.count() == 1_000
    with lamina.open(where(kind, folder), embedder=embedder) as mem:
        assert mem.recall(canaries[0]).abstained
        assert mem.count() == 1_000
    assert residue(folder, canaries) == []


def test_a_sealed_value_goes_with_its_record(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        kept = mem.remember("the password is " + "correct-horse-77-staple")
        [box] = mem.store.sealed(kept.id)
        assert mem.erase(kept.id).sealed == 1
        assert residue(tmp_path, [box.ref]) == []


@pytest.mark.parametrize("kind", ["json", "sqlite"])
def test_what_was_searched_for_goes_with_what_was_erased(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with lamina.open(where(kind, folder)) as mem, ExitStack() as opened:
        mem.configure("events.reads", "on")
        kept = mem.remember("CANARY-marmalade-sky-1234", key="CANARY-key-of-it-5678")
        other = opened.enter_context(lamina.open(folder)) if kind == "sqlite" else mem
        for reader in (mem, other):
            reader.recall("who said CANARY-marmalade-sky-1234?")
            reader.get("CANARY-key-of-it-5678")
            assert len(list(reader.events(names=["memory:search", "memory:read"]))) >= 2
        mem.store.flush()
        # Not written yet when the erase comes: it must not be written afterwards either.
        other.recall("CANARY-marmalade-sky-1234 again")
        assert mem.erase(kept.id).complete
        other.store.flush()
        assert list(mem.events(names=["memory:search", "memory:read"])) == []
        assert residue(folder, ["CANARY-marmalade-sky-1234", "CANARY-key-of-it-5678"]) == []
        other.recall("something else")
        other.store.flush()
        assert len(list(mem.events(names=["memory:search"]))) == 1


def test_words_that_another_record_still_says_are_not_residue(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        gone = mem.remember("the marmalade-sky codeword", key="a")
        mem.remember("the marmalade-sky codeword", key="b")
        report = mem.erase(gone.id)
        assert report.complete
        assert len(report.mentions) == 1


@pytest.mark.parametrize("kind", ["memory", "json", "sqlite"])
def test_who_else_says_it_in_text_or_data_is_named(kind: str, tmp_path: Path) -> None:
    where_it_is = ":memory:" if kind == "memory" else where(kind, tmp_path / "store")
    with lamina.open(where_it_is) as mem:
        data = {"account": "DE89 3704 0044 0532", "state": "in-progress", "step 1 of 2": "new"}
        gone = mem.remember("the marmalade-sky codeword", data=data)
        others = [
            mem.remember("a note", data={"quotes": ["he said: the marmalade-sky codeword"]}),
            mem.remember("she pays from DE89 3704 0044 0532 as ever"),
            mem.remember("another account", data={"other": [{"account": data["account"]}]}),
        ]
        mem.remember("on its way", data={"state": "in-progress", "step 1 of 2": "new"})
        report = mem.erase(gone.id)
        assert report.complete
        assert report.mentions == tuple(one.id for one in others)


def test_a_secret_never_reaches_the_disk_in_plain(tmp_path: Path) -> None:
    value = "Sesame" + "-open-4711-now"
    with lamina.open(tmp_path) as mem:
        mem.remember(f"the vault password is {value}", data={"password": value, "n": 1})
        mem.store.flush()
        assert residue(tmp_path, [value]) == []


def test_a_reader_in_the_way_is_reported_and_a_later_erase_finishes(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        kept = mem.remember("CANARY-marmalade-sky-1234")
        reader = apsw.Connection(str(tmp_path / "lamina.db"))
        reader.execute("begin; select count(*) from record").fetchall()
        report = mem.erase(kept.id)
        assert not report.complete
        assert report.residue == ("lamina.db-wal",)
        assert mem.recall("marmalade").abstained
        reader.close()
        other = mem.remember("something else")
        assert mem.erase(other.id).complete
        assert residue(tmp_path, ["CANARY-marmalade-sky-1234"]) == []


@pytest.mark.parametrize("line", ['{"erased": "01', "[" * 100_000, "7", '{"erased"', "\udcff"])
def test_a_line_that_cannot_be_read_does_not_swallow_the_next_tombstone(
    line: str, tmp_path: Path
) -> None:
    (tmp_path / "erased.jsonl").write_bytes(line.encode(errors="surrogateescape"))
    with lamina.open(tmp_path) as mem:
        old = [mem.remember(f"heron {number}").id for number in range(2)]
        for one in old:
            assert mem.erase(one).complete
        assert mem.store.tombstones(old) == {*old}
    assert len((tmp_path / "erased.jsonl").read_bytes().splitlines()) == 3
