"""What leaves is readable, holds what was chosen, and comes back without doubling."""

import json
from pathlib import Path

import pytest

from lamina import Memory
from lamina.core.layers import LAYERS
from lamina.errors import InvalidInputError
from lamina.exchange import export_lines
from lamina.exporting import Chosen, markdown_pages, mem0_lines, server_memory_lines
from lamina.importing import bring, markdown
from lamina.tokens import Keys
from tests.importing.formats.samples import BREAD, GRAPH, written
from tests.places import plain as plain
from tests.surfaces.conftest import lamina as lamina
from tests.surfaces.shell import Call


@pytest.fixture
def full(plain: Memory) -> Memory:
    web = plain.project("web")
    web.remember("We chose SQLite\n\nbecause it is small", kind="decision")
    web.remember("Fastify", key="server")
    web.remember("Rumours of a release", via="web")
    web.session("s1").append("user", "Good morning")
    plain.fact.save("tea", "green")
    plain.forget(web.remember("old news").id)
    return plain


def pages(mem: Memory, chosen: Chosen | None = None) -> dict[str, str]:
    return {name: "".join(page) for name, page in markdown_pages(mem, chosen)}


def test_pages_by_scope_and_layer_with_ids_and_days(full: Memory) -> None:
    found = pages(full)
    assert sorted(found) == [
        "global/fact.md", "project/web/knowledge-heard.md", "project/web/knowledge.md",
        "project/web/session/s1/session.md",
    ]  # fmt: skip
    record = full.project("web").get("server")
    page = found["project/web/knowledge.md"]
    assert f"- **server**: Fastify ^{record.id}\n" in page
    assert f"### {record.created_at:%Y-%m-%d}\n" in page
    assert "because it is small" in page
    assert "old news" not in "".join(found.values())
    assert "Good morning" in found["project/web/session/s1/session.md"]
    assert list(pages(full, Chosen(("fact",)))) == ["global/fact.md"]
    assert list(pages(full, Chosen(kinds=("decision",)))) == ["project/web/knowledge.md"]


def test_pages_come_back_without_doubling(full: Memory, tmp_path: Path) -> None:
    for name, page in pages(full).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(page)
    before = full.count()
    report = markdown(full, tmp_path, scope="project/web")
    assert {one.fate.value for one in report.entries} == {"unchanged"}
    assert len(report.entries) == 3
    assert len(report.skipped) == 2
    assert full.count() == before
    full.erase(full.project("web").get("server").id)
    fates = {one.fate.value for one in markdown(full, tmp_path, scope="project/web").entries}
    assert fates == {"unchanged", "erased"}


ODD = [
    "---\nproject: x\n---\n# Head\n- another entry [[link]]",
    "```\ncode\n```", "Run:\n```sh\n# not a heading\nmake\n```\nand wait",
    "````\n```\nnever closed", "A title\n===", "Half\n<!-- begun", "and -->\nended",
    "<!-- whole -->\nseen", "%% begun\nx", "y\n%%", "- a\n- b", "> quote\n---\n- x",
    "```\nonce more\n```", "~~~\nalso\n~~~", "plain",
]  # fmt: skip


def test_one_memory_is_one_entry_whatever_it_says(plain: Memory, tmp_path: Path) -> None:
    project = plain.project("web")
    for number, text in enumerate(ODD):
        project.remember(text, key=f"k{number}" if number % 2 else None)
    [page] = pages(plain).values()
    (tmp_path / "page.md").write_text(page)
    report = markdown(plain, tmp_path, scope="project/web")
    # What never ends is shown as it is written, and so no longer says quite the same.
    assert [one.fate.value for one in report.entries].count("conflict") == 4
    assert {one.fate.value for one in report.entries} == {"unchanged", "conflict"}
    assert len(report.entries) == len(ODD)
    assert {one.id for one in report.entries} == {one.id for one in project.query()}


def test_the_reference_server_gets_its_file_back(plain: Memory, tmp_path: Path) -> None:
    bring(plain, written(tmp_path, "memory.jsonl", GRAPH))
    plain.remember("Tea is green", key="tea")
    lines = [json.loads(line) for line in server_memory_lines(plain)]
    assert lines[:3] == [json.loads(line) for line in GRAPH.splitlines()]
    assert lines[3] == {
        "type": "entity", "name": "tea", "entityType": "fact", "observations": ["Tea is green"]
    }  # fmt: skip


def test_mem0_gets_a_list(full: Memory, tmp_path: Path) -> None:
    found = json.loads("".join(mem0_lines(full)))
    assert {one["memory"] for one in found} >= {"server: Fastify", "tea: green"}
    assert json.loads("".join(mem0_lines(full, Chosen(("task",))))) == []
    report = bring(full, written(tmp_path, "m.json", found), scope="project/b")
    assert report.format == "mem0"


def test_a_layer_that_does_not_exist_is_refused(full: Memory) -> None:
    with pytest.raises(InvalidInputError, match="layer"):
        pages(full, Chosen(("nonsense",)))


def test_on_the_command_line(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "Fastify", "--key", "server", "--kind", "decision")
    lamina("fact", "set", "tea", "green")
    lamina("import", str(written(tmp_path, "c.json", [BREAD])))
    folder = tmp_path / "pages"
    told = lamina("export", str(folder), "--format", "markdown", "--json").json
    assert (told["file"], told["written"]) == (str(folder), 3)
    assert (folder / "global" / "knowledge.md").stat().st_mode & 0o077 == 0
    assert lamina("export", str(folder), "--format", "markdown").status == 2
    one = tmp_path / "one.md"
    assert lamina("export", str(one), "--format", "markdown", "--layer", "knowledge").status == 0
    assert "**server**: Fastify" in one.read_text()
    assert "tea" not in one.read_text()
    assert "Fastify" in lamina("export", "--format", "markdown").out
    assert lamina("export", "--layer", "fact").out.count("\n") == 1
    assert lamina("export", "--kind", "decision").out.count("\n") == 1
    for wrong in (["--layer", "nonsense"], ["--history", "--format", "mem0"]):
        assert lamina("export", str(tmp_path / "x"), *wrong).status == 2
    assert not (tmp_path / "x").exists()
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_keys_never_leave(full: Memory) -> None:
    key = Keys(full).create("ann", "admin").key
    everything = [*pages(full).values(), *server_memory_lines(full), *mem0_lines(full)]
    everything += [*server_memory_lines(full, Chosen(tuple(LAYERS))), *export_lines(full)]
    assert key.id not in "".join(everything)
