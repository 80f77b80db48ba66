"""A folder of notes, an Obsidian vault, and what in it is no note."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lamina import Memory
from lamina.core.record import Record
from lamina.importing import Fate, markdown
from tests.places import mem

__all__ = ["mem"]


@pytest.fixture
def vault(tmp_path: Path, mem: Memory) -> Path:
    mem.configure("recall.embedder", "off")
    folder = tmp_path / "vault"
    for name, text in {
        ".obsidian/app.json": "{}",
        ".obsidian/templates.json": '{"folder": "Forms"}',
        ".obsidian/plugins/readme.md": "a plugin\n",
        ".trash/old.md": "thrown away\n",
        "Forms/meeting.md": "- {{date}} who was there\n",
        "Projects/Web/Stores.md": "---\ntags: [db, design]\ncreated: 2026-01-05\n---\n"
        "# Stores\n## Decisions\n- SQLite, see [[Engines|why]] #fast ^store-1\n",
        "2026-02-03.md": "- met the team\n",
        "Drawing.excalidraw.md": "drawn\n",
        "picture.png": "\x89PNG",
        "attached.pdf": "%PDF",
    }.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def known(mem: Memory) -> dict[str, Record]:
    return {record.text: record for record in mem.query({"layer": "knowledge"}, limit=1000)}


def test_a_vault_comes_along(mem: Memory, vault: Path) -> None:
    report = markdown(mem, vault)
    assert (report.files, report.count(Fate.ADDED)) == (2, 2)
    found = known(mem)
    assert set(found) == {"SQLite, see [[Engines|why]] #fast", "met the team"}
    store = found["SQLite, see [[Engines|why]] #fast"]
    assert store.tags == ("db", "design", "fast")
    assert store.kind == "decision"
    assert store.valid_from == datetime(2026, 1, 5, tzinfo=UTC)
    assert store.data["file"] == "Projects/Web/Stores.md"
    assert (store.data["block"], store.data["links"]) == ("store-1", ["Engines"])
    assert found["met the team"].valid_from == datetime(2026, 2, 3, tzinfo=UTC)
    assert dict(report.skipped) == {
        "Forms/meeting.md": "a template", "Drawing.excalidraw.md": "a drawing",
    }  # fmt: skip


def test_a_part_of_a_vault_is_named_like_the_whole(mem: Memory, vault: Path) -> None:
    markdown(mem, vault / "Projects")
    markdown(mem, vault / "Projects" / "Web" / "Stores.md")
    assert mem.count() == 1
    assert markdown(mem, vault).count(Fate.UNCHANGED) == 1


def test_a_block_id_tells_an_entry_whatever_it_says(mem: Memory, vault: Path) -> None:
    markdown(mem, vault)
    was = known(mem)["SQLite, see [[Engines|why]] #fast"].id
    (vault / "Projects/Web/Stores.md").write_text("- Rather a plain file ^store-1\n")
    markdown(mem, vault)
    assert known(mem)["Rather a plain file"].id == was


def test_a_note_that_is_gone_is_forgotten(mem: Memory, vault: Path) -> None:
    (vault / "kept.md").write_text("- this one was edited\n")
    markdown(mem, vault)
    mem.edit(known(mem)["this one was edited"].id, "by hand")
    for name in ("2026-02-03.md", "kept.md"):
        (vault / name).unlink()
    assert markdown(mem, vault / "Projects").count(Fate.FORGOTTEN) == 0
    report = markdown(mem, vault)
    assert (report.count(Fate.FORGOTTEN), report.count(Fate.KEPT)) == (1, 1)
    assert set(known(mem)) == {"SQLite, see [[Engines|why]] #fast", "by hand"}


def test_an_emptied_vault_is_no_mistake(mem: Memory, vault: Path) -> None:
    markdown(mem, vault)
    for note in vault.rglob("*.md"):
        note.unlink()
    assert markdown(mem, vault).count(Fate.FORGOTTEN) == 2


def test_links_and_pipes_are_not_followed(mem: Memory, vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("outside\n")
    (vault / "link.md").symlink_to(outside / "secret.md")
    (vault / "away").symlink_to(outside)
    os.mkfifo(vault / "pipe.md")
    (vault / "folder.md").mkdir()
    (vault / "folder.md" / "inside.md").write_text("inside\n")
    report = markdown(mem, vault)
    assert "outside" not in known(mem)
    assert "inside" in known(mem)
    assert dict(report.skipped)["link.md"] == "a symbolic link"
    assert dict(report.skipped)["pipe.md"] == "not a regular file"
    assert markdown(mem, vault / "folder.md").count(Fate.UNCHANGED) == 1


def test_a_link_that_is_named_is_the_file_it_leads_to(mem: Memory, vault: Path) -> None:
    (vault / "CLAUDE.md").symlink_to("2026-02-03.md")
    markdown(mem, vault / "CLAUDE.md")
    assert known(mem)["met the team"].data["file"] == "2026-02-03.md"


def test_what_git_ignores_is_left_out_unless_it_is_named(mem: Memory, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    repo = tmp_path / "repo" / "docs"
    repo.mkdir()
    (repo / ".gitignore").write_text("CLAUDE.local.md\n")
    (repo / "CLAUDE.local.md").write_text("mine alone\n")
    (repo / "AGENTS.md").write_text("for all\n")
    markdown(mem, repo)
    assert {text: record.data["file"] for text, record in known(mem).items()} == {
        "for all": "docs/AGENTS.md"
    }
    markdown(mem, repo / "CLAUDE.local.md")
    assert markdown(mem, repo).count(Fate.FORGOTTEN) == 0
    assert "mine alone" in known(mem)


def test_what_lamina_keeps_itself_is_not_imported(mem: Memory, vault: Path) -> None:
    (vault / "MEMORY.md").write_text("---\nlamina: memory\nrevision: 3\n---\n# Memory\n\n- one\n")
    report = markdown(mem, vault)
    assert "lamina sync" in dict(report.skipped)["MEMORY.md"]
    assert "one" not in known(mem)
