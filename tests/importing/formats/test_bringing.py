"""Memories of other tools become records that recall finds, each once."""

import json
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Memory
from lamina.core.record import Record, Trust
from lamina.errors import ForbiddenError, InvalidInputError
from lamina.importing import Brought, Fate, bring
from tests.importing.formats.samples import BREAD, GRAPH, MEM0, TRIP, chatgpt, node, written
from tests.places import plain as plain
from tests.surfaces.shell import clean_environment

CSV = 'id;note;created_at;tags\n1;Tea is green;2020-02-01;a, b\n2;"two\nlines";;\n'


def counted(report: Brought) -> dict[str, int]:
    return {fate.value: number for fate, number in report.counts.items()}


def everything(mem: Memory) -> list[Record]:
    states = {"state": {"$in": ["current", "proposed", "forgotten"]}}
    return sorted(mem.query(states, limit=1000), key=lambda one: one.created_at)


@pytest.mark.parametrize(
    ("content", "told", "counts"),
    [
        ([BREAD], "chatgpt", {"added": 2, "left": 1}),
        ([TRIP], "claude", {"added": 5}),
        (GRAPH, "server-memory", {"added": 3}),
        (MEM0, "mem0", {"added": 2}),
        (MEM0["results"], "mem0", {"added": 2}),
        ("\n".join(map(json.dumps, MEM0["results"])), "mem0", {"added": 2}),
        ('{"text": "one", "colour": "red"}\n{"content": "two"}\n', "jsonl", {"added": 2}),
        (CSV, "csv", {"added": 2}),
    ],
)
def test_the_content_tells_the_format_and_nothing_comes_in_twice(
    plain: Memory, tmp_path: Path, content: Any, told: str, counts: dict[str, int]
) -> None:
    file = written(tmp_path, "export", content)
    would = bring(plain, file, dry_run=True)
    assert (would.format, counted(would), would.applied) == (told, counts, False)
    assert everything(plain) == []
    assert counted(bring(plain, file)) == counts
    before = everything(plain)
    assert len(before) == counts["added"]
    again = counted(bring(plain, file))
    assert again == {"unchanged": counts["added"]} | ({"left": 1} if "left" in counts else {})
    assert everything(plain) == before


def test_conversations_are_sessions_with_titles_and_times(plain: Memory, tmp_path: Path) -> None:
    bring(plain, written(tmp_path, "a", [BREAD]), scope="project/web")
    bring(plain, written(tmp_path, "b", [TRIP]), scope="project/web")
    web = plain.project("web")
    assert web.session.names() == ["claude-t1", "chatgpt-c1"]
    asked, answered = web.session("chatgpt-c1").read()
    assert asked.created_at == datetime.fromtimestamp(1_700_000_001.5, UTC)
    assert (asked.kind, asked.trust, asked.source) == ("user", Trust.USER, "user")
    assert (answered.kind, answered.trust) == ("assistant", Trust.AGENT)
    assert answered.data["title"] == "Bread"
    said = [(one.kind, one.trust.value, one.text) for one in web.session("claude-t1").read()]
    assert said == [
        ("tool_result", "file", "Passport, umbrella"),
        ("user", "user", "Plan a trip to Oslo"),
        ("tool_call", "agent", 'trains {"to":"Oslo"}'),
        ("tool_result", "tool", "22:03"),
        ("assistant", "agent", "Take the night train."),
    ]
    [hit] = web.recall("feeding my sourdough", layers=["session"]).hits
    assert hit.record.text == asked.text


def test_memories_are_knowledge_with_their_times_ids_and_people(
    plain: Memory, tmp_path: Path
) -> None:
    bring(plain, written(tmp_path, "a", MEM0))
    bring(plain, written(tmp_path, "b", GRAPH))
    best = plain.recall("hiking").hits[0].record
    assert best.created_at == datetime.fromisoformat("2024-07-20T08:30:36.275141Z")
    assert best.updated_at == datetime(2024, 8, 1, tzinfo=UTC)
    assert (best.source, best.trust, best.tags) == ("alice", Trust.FILE, ("hobbies",))
    assert best.data["id"] == "892db2ae"
    assert best.data["metadata"] == {"season": "summer"}
    texts = {one.text for one in plain.query({"data.origin.format": "server-memory"})}
    assert texts == {
        "Ann (person)\n- drinks tea\n- Ann is tall", "Acme (organisation)", "Ann works_at Acme"
    }  # fmt: skip
    assert plain.get("Ann").data["observations"] == ["drinks tea", "Ann is tall"]
    assert plain.get("Ann | works_at | Acme").data["to"] == "Acme"


def test_a_newer_export_adds_and_revises_but_never_overwrites(
    plain: Memory, tmp_path: Path
) -> None:
    rows = [{"id": n, "text": f"row {n}", "date": "2024-01-01"} for n in range(4)]
    bring(plain, written(tmp_path, "rows.json", rows))
    ids = {one.text: one.id for one in everything(plain)}
    plain.edit(ids["row 1"], "mine")
    plain.forget(ids["row 2"])
    plain.erase(ids["row 3"])
    newer = [{**row, "text": f"new {row['id']}", "date": "2025-01-01"} for row in rows]
    file = written(tmp_path, "rows.json", [*newer, {"id": 9, "text": "late"}])
    would, report = bring(plain, file, dry_run=True), bring(plain, file)
    assert counted(would) == counted(report)
    assert counted(report) == {"revised": 1, "conflict": 1, "hidden": 1, "erased": 1, "added": 1}
    assert {one.text for one in plain.query()} == {"new 0", "mine", "late"}
    assert counted(bring(plain, file, again=True))["added"] == 1
    assert "row 2" in {one.text for one in plain.query()}


def test_the_branch_shown_last_may_grow(plain: Memory, tmp_path: Path) -> None:
    bring(plain, written(tmp_path, "a", [BREAD]))
    longer = json.loads(json.dumps(BREAD))
    longer["mapping"]["n4"] = node("n4", "user", "Thanks!", "n3", 1_700_000_009)
    longer["current_node"] = "n4"
    assert counted(bring(plain, written(tmp_path, "a", [longer])))["added"] == 1
    texts = [one.text for one in plain.session("chatgpt-c1").read()]
    assert texts[-1] == "Thanks!"
    assert len(texts) == 3


def test_messages_without_times_keep_their_order(plain: Memory, tmp_path: Path) -> None:
    nodes = [node("n0", "user", "0", "root")]
    nodes += [node(f"n{n}", "user", str(n), f"n{n - 1}") for n in range(1, 300)]
    bring(plain, written(tmp_path, "a", [chatgpt(*nodes)]))
    bring(plain, written(tmp_path, "b", [chatgpt(*nodes, name="c2", create_time=None)]))
    for name in ("chatgpt-c1", "chatgpt-c2"):
        assert [one.text for one in plain.session(name).read()] == [str(n) for n in range(300)]


def test_rows_are_mapped_by_name(plain: Memory, tmp_path: Path) -> None:
    file = written(tmp_path, "notes.csv", "what,who,slug\nTea is green,Ann Lee,tea\n")
    with pytest.raises(InvalidInputError, match=r"what, who, slug"):
        bring(plain, file)
    report = bring(plain, file, mapping={"text": "what", "source": "who", "key": "slug"})
    assert report.format == "csv"
    kept = plain.get("tea")
    assert (kept.text, kept.source) == ("Tea is green", "ann-lee")
    other = written(tmp_path, "b.csv", "what,slug\nTea is black,tea\n")
    mapped = {"text": "what", "key": "slug"}
    assert counted(bring(plain, other, mapping=mapped, dry_run=True)) == {"proposed": 1}
    assert counted(bring(plain, other, mapping=mapped)) == {"proposed": 1}
    assert plain.get("tea").text == "Tea is green"
    with pytest.raises(InvalidInputError, match="map"):
        bring(plain, other, mapping={"colour": "what"})


def test_secrets_are_sealed_and_not_told(plain: Memory, tmp_path: Path) -> None:
    secret = "ghp_" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"
    rows = [{"memory": f"The token is {secret}", "id": "1", "metadata": {"password": "hunter22x"}}]
    report = bring(plain, written(tmp_path, "a", rows))
    assert report.sealed == 2
    assert secret not in repr(report)
    assert secret not in repr(everything(plain))
    assert "hunter22x" not in repr(everything(plain))


def test_archives_are_read_in_place(plain: Memory, tmp_path: Path) -> None:
    file = tmp_path / "export.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("chat.html", "<html>")
        archive.writestr("../../conversations-000.json", json.dumps([BREAD]))
        archive.writestr(
            "x/conversations-001.json", json.dumps([{**BREAD, "conversation_id": "c2"}])
        )
    report = bring(plain, file)
    assert (report.format, report.sessions, report.count(Fate.ADDED)) == ("chatgpt", 2, 4)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["export.zip"]


def test_what_claude_noted_about_its_user_is_knowledge(plain: Memory, tmp_path: Path) -> None:
    noted = "**Work context**\n\nAnn keeps bees.\n\nShe sells honey.\n\n**History**\nMoved in May."
    told: dict[str, Any] = {"conversations_memory": noted, "project_memories": {"p-1": "Roof."}}
    for number, last in enumerate(["Moved in May.", "Moved in June."]):
        with zipfile.ZipFile(tmp_path / f"{number}.zip", "w") as archive:
            archive.writestr("conversations.json", "[]")
            changed = {**told, "conversations_memory": noted.replace("Moved in May.", last)}
            archive.writestr("memories/me.json", json.dumps({**changed, "account_uuid": "a-1"}))
        report = bring(plain, tmp_path / f"{number}.zip")
    assert counted(report) == {"revised": 1, "unchanged": 3}
    found = [(one.text, one.data.get("heading"), one.trust) for one in everything(plain)]
    assert sorted(found, key=str) == [
        ("Ann keeps bees.", "Work context", Trust.AGENT),
        ("Moved in June.", "History", Trust.AGENT),
        ("Roof.", None, Trust.AGENT),
        ("She sells honey.", "Work context", Trust.AGENT),
    ]


def test_only_an_admin_brings_things(plain: Memory, tmp_path: Path) -> None:
    file = written(tmp_path, "a", MEM0)
    with pytest.raises(ForbiddenError):
        bring(plain.agent("finn", project="web"), file)


_CUT_OFF = """
import os, sys, lamina
from lamina.importing import bring
seen = []
def tell(share):
    seen.append(share)
    if len(seen) == 2:
        os.kill(os.getpid(), 9)
mem = lamina.open(sys.argv[1])
bring(mem, sys.argv[2], on_progress=tell)
"""


def test_an_import_that_was_killed_goes_on(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"id": n, "text": f"row {n}"}) + "\n" for n in range(700))
    file = written(tmp_path, "rows.jsonl", rows)
    place = tmp_path / "store"
    with lamina.open(place) as mem:
        mem.configure("recall.embedder", "off")
    done = subprocess.run(
        [sys.executable, "-c", _CUT_OFF, str(place), str(file)],
        env=clean_environment(tmp_path), timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode == -9
    with lamina.open(place) as mem:
        before = mem.count()
        assert 0 < before < 700
        assert counted(bring(mem, file)) == {"unchanged": before, "added": 700 - before}
        assert sorted(one.data["id"] for one in mem.query(limit=2000)) == sorted(
            str(n) for n in range(700)
        )
