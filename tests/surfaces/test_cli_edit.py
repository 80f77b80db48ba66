"""Editing on the command line: fields, an editor, and what goes wrong with one."""

from pathlib import Path

import pytest

from tests.surfaces.shell import Answer, Call, run


@pytest.fixture
def edit(lamina: Call, tmp_path: Path) -> Call:
    """Edits the memory `k` with an editor that does what a shell line says."""
    lamina("remember", "old", "--key", "k", "--tag", "t")

    def call(does: str, *arguments: str) -> Answer:
        editor = tmp_path / "editor.sh"
        # A date of its own tells that the file was saved, however fast the editor was.
        editor.write_text(f'#!/bin/sh\n{does}\ntouch -t 203001010000 "$1"\n')
        editor.chmod(0o700)
        return lamina("edit", "k", "--editor", str(editor), *arguments)

    return call


def test_edit_changes_what_is_named(lamina: Call) -> None:
    lamina("remember", "old", "--key", "k", "--tag", "t")
    assert lamina("edit", "k", "--text", "new", "--expect", "1").status == 0
    record = lamina("get", "k", "--json").json
    assert (record["text"], record["tags"], record["rev"]) == ("new", ["t"], 2)
    assert lamina("edit", "k", "--text", "newer", "--expect", "1").status == 5


def test_the_editor_opens_when_no_field_is_named(lamina: Call, edit: Call) -> None:
    assert edit('printf "edited text\\n" > "$1"').status == 0
    assert lamina("get", "k", "-q").out == "edited text\n"


def test_without_an_editor_and_a_terminal_a_field_is_needed(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "old", "--key", "k")
    refused = run("--dir", "store", "edit", "k", cwd=tmp_path)
    assert refused.status == 2
    assert "--text" in refused.err


@pytest.mark.parametrize("editor", ["false", "/no/such/editor", "'", "rm"])
def test_an_editor_that_fails_changes_nothing(editor: str, lamina: Call) -> None:
    lamina("remember", "old", "--key", "k")
    failed = lamina("edit", "k", "--editor", editor)
    assert failed.status == 2
    complaint, remedy = failed.err.splitlines()
    assert complaint.startswith("Error: the editor failed, nothing changed")
    assert all(word in remedy for word in ("EDITOR", "--editor", "--text"))
    assert lamina("get", "k", "--json").json["rev"] == 1


def test_an_emptied_text_is_not_taken(lamina: Call, edit: Call) -> None:
    emptied = edit('printf "\\n" > "$1"')
    assert emptied.status == 2
    assert "nothing changed" in emptied.err
    assert "`lamina forget`" in emptied.err
    assert lamina("get", "k", "-q").out == "old\n"


def test_an_unchanged_text_is_no_change(lamina: Call, edit: Call) -> None:
    kept = lamina("get", "k", "--json").json["id"]
    assert edit("true").out == f"unchanged {kept} rev 1\n"
    assert edit("true", "--quiet").out == f"{kept}\n"
    document = edit("true", "--json").json
    assert document["tx"] is None
    assert document["outcomes"][0]["action"] == "unchanged"
    assert lamina("edit", "k", "--text", "old").out == f"unchanged {kept} rev 1\n"
    assert edit("true", "--expect", "7").status == 5


def test_looking_at_the_words_of_another_does_not_make_them_ours(lamina: Call) -> None:
    finn = lamina("--project", "web", "--as", "finn", "remember", "his", "--key", "f", "--json")
    name = finn.json["outcomes"][0]["id"]
    assert lamina("edit", name, "--editor", "true").out.startswith("unchanged")
    assert lamina("get", name, "--json").json["source"] == "finn"


def test_a_line_break_at_the_end_stays(lamina: Call) -> None:
    lamina("remember", "two\nlines\n", "--key", "k")
    assert lamina("edit", "k", "--editor", "touch -t 203001010000").out.startswith("unchanged")
    assert lamina("get", "k", "--json").json["text"] == "two\nlines\n"
