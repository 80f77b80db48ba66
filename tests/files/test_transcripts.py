"""Transcripts as files: torn and damaged lines cost nothing but themselves."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

import lamina
from lamina import clock
from lamina.files.rebuilding import rebuild
from lamina.files.transcripts import whole_lines
from tests.files.desk import Desk

FILE = "projects/web/agents/finn/sessions/s-1.jsonl"


def said(desk: Desk) -> None:
    session = desk.finn.session("s-1")
    session.append("user", "hello 🎉", id="m1")
    session.append("assistant", "two\nlines", id="m2")
    session.append("tool_call", "", id="t1", name="read", input={"path": "x"})
    desk.sync()


def test_lines_that_were_added_are_taken_over(desk: Desk) -> None:
    said(desk)
    more = json.dumps({"id": "m3", "role": "user", "content": "and this", "mood": "good"})
    desk.edit(lambda text: text + more + "\n", FILE)
    report = desk.sync()
    assert report.added == 1
    last = desk.finn.session("s-1").read()[-1]
    assert (last.text, last.key, last.data) == ("and this", "m3", {"mood": "good"})
    assert desk.sync().changes == 0


def test_the_transcript_of_an_archived_session_stays(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(desk)
    before, later = desk.read(FILE), clock.now() + timedelta(days=40)
    monkeypatch.setattr(clock, "now", lambda: later)
    [plan] = desk.mem.lifecycle.plans("archiving")
    assert plan.apply() is not None
    desk.sync()
    assert desk.read(FILE) == before
    index = "projects/web/agents/finn/sessions/sessions.json"
    assert [one["archived"] for one in json.loads(desk.read(index))["sessions"]] == [True]
    desk.finn.session("s-1").append("user", "still there?")
    desk.sync()
    assert desk.read(FILE).startswith(before)
    assert "archived" not in desk.read(index)
    assert desk.sync().changes == 0


@pytest.mark.parametrize("where", ["first", "middle", "torn"])
def test_what_was_changed_is_kept_aside(desk: Desk, where: str) -> None:
    said(desk)
    before = desk.read(FILE)
    changes = {
        "first": before.replace("hello", "goodbye"),
        "middle": before.replace("two", "tw\x01o").replace('"assistant"', '"asistant"'),
        "torn": before + '{"id": "m3", "role": "us',
    }
    desk.edit(lambda _: changes[where], FILE)
    report = desk.sync()
    assert [kept.file for kept in report.asides] == [FILE]
    assert desk.read(FILE) == before


def test_no_cut_costs_a_whole_line(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as mem:
        mem.configure("recall.embedder", "off")
        desk = Desk(mem, tmp_path / "files")
        said(desk)
        whole = (desk.root / FILE).read_bytes()
    ends = [number for number, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole)):
        found = [line["id"] for line, _ in whole_lines(whole[:cut])]
        assert len(found) >= sum(end < cut for end in ends)
        damaged = whole[:cut] + b"\x00\xff" + whole[cut + 2 :]
        kept = {line["id"] for line, _ in whole_lines(damaged)}
        lost = {"m1", "m2", "t1"} - kept
        # A line break that is hit joins two lines; everything else costs one.
        assert len(lost) <= (2 if b"\n" in whole[cut : cut + 2] else 1)


def test_a_store_is_made_again_from_what_is_left_of_a_transcript(tmp_path: Path) -> None:
    with lamina.open(":memory:") as mem:
        desk = Desk(mem, tmp_path / "files")
        said(desk)
        whole = (desk.root / FILE).read_bytes()
    for cut in range(0, len(whole), 13):
        (desk.root / FILE).write_bytes(whole[:cut])
        with lamina.open(":memory:") as again:
            again.configure("recall.embedder", "off")
            rebuild(again, desk.root)
            texts = [one.text for one in again.agent("finn", project="web").session("s-1").read()]
        assert texts == ["hello 🎉", "two\nlines", ""][: whole[:cut].count(b"\n")]
