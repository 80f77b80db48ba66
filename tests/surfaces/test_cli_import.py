"""`lamina import` of Markdown, as a person and a program meet it."""

from pathlib import Path

import pytest

from tests.surfaces.shell import Call, on_terminal, run

PAGE = "## Key Decisions\n- 2026-02-01: Chose SQLite\n- **Server**: Fastify\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "notes" / "CLAUDE.md"
    file.parent.mkdir()
    file.write_text(PAGE)
    return file


def test_a_dry_run_shows_what_would_become_what(lamina: Call, store: Path, page: Path) -> None:
    answer = lamina("import", str(page), "--dry-run")
    assert answer.out.splitlines() == [
        "CLAUDE.md:2\tadded\tdecision\t-\t2026-02-01: Chose SQLite",
        "CLAUDE.md:3\tadded\tdecision\tServer\tFastify",
    ]
    assert lamina("list").out == ""


def test_an_import_tells_what_became_of_it(lamina: Call, page: Path) -> None:
    answer = lamina("import", str(page), "--project", "web")
    assert answer.status == 0
    assert answer.out == "files\t1\nadded\t2\nscope\tproject/web\n"
    assert "A new store" in answer.err
    page.write_text(PAGE.replace("Fastify", "Koa"))
    told = lamina("import", str(page.parent), "--project", "web", "--json").json
    assert told["counts"] == {"unchanged": 1, "revised": 1}
    assert told["entries"][1]["key"] == "Server"
    assert told["entries"][1]["text"] == "Koa"
    assert lamina("get", "Server", "--project", "web", "-q").out == "Koa\n"


def test_scopes_and_agents_as_elsewhere(lamina: Call, page: Path) -> None:
    for flags, scope in [
        ((), "global"), (("--scope", "project/a/task/t-1"), "project/a/task/t-1"),
        (("--as", "finn", "--project", "web"), "project/web/agent/finn"),
        (("--global", "--project", "web"), "global"),
    ]:  # fmt: skip
        assert lamina("import", str(page), "--json", *flags).json["scope"] == scope


def test_what_needs_a_look_is_named(lamina: Call, page: Path) -> None:
    lamina("import", str(page))
    lamina("edit", "Server", "--text", "Koa")
    forgotten = lamina("import", str(page), "--json").json["entries"][0]["id"]
    lamina("forget", forgotten)
    page.write_text(PAGE.replace("Fastify", "Hono"))
    answer = lamina("import", str(page))
    assert answer.status == 0
    assert "conflict CLAUDE.md:3" in answer.err
    assert "changed here and in the file: Hono" in answer.err
    assert "--all brings back" in answer.err
    assert lamina("import", str(page), "--quiet").err == ""
    assert lamina("import", str(page), "--all", "--json").json["counts"]["added"] == 1


def test_entries_that_are_refused_are_an_error(lamina: Call, page: Path) -> None:
    lamina("remember", "x")
    assert lamina("config", "set", "index.max_bytes", "3000000").status == 0
    page.write_text(f"- good\n- {'x' * 1_100_000}\n")
    answer = lamina("import", str(page))
    assert answer.status == 2
    assert "failed CLAUDE.md:2" in answer.err
    assert "added\t1\n" in answer.out


@pytest.mark.parametrize("flag", [["--all"], ["--scope", "global"]])
def test_what_is_for_markdown_is_refused_for_lines(
    lamina: Call, store: Path, tmp_path: Path, flag: list[str]
) -> None:
    (tmp_path / "out.jsonl").write_text("")
    answer = lamina("import", str(tmp_path / "out.jsonl"), *flag)
    assert answer.status == 2
    assert flag[0] in answer.err


@pytest.mark.parametrize("name", ["plain.txt", "empty", "missing.md", "nul\0.md"])
def test_what_is_neither_is_refused(lamina: Call, tmp_path: Path, name: str) -> None:
    (tmp_path / "plain.txt").write_text("just text\n")
    (tmp_path / "empty").mkdir()
    answer = lamina("import", str(tmp_path / name))
    assert answer.status == 2
    assert answer.err.startswith("Error: ")
    assert "Try: " in answer.err


def test_lines_may_come_through_a_pipe(tmp_path: Path) -> None:
    assert run("--dir", "a", "remember", "one", cwd=tmp_path).status == 0
    lines = run("--dir", "a", "export", cwd=tmp_path).out.encode()
    answer = run("--dir", "b", "import", "/dev/stdin", cwd=tmp_path, stdin=lines)
    assert (answer.status, "added\t1\n" in answer.out) == (0, True), answer.err


def test_on_a_terminal_it_is_a_table(page: Path) -> None:
    on_terminal("--dir", "s", "import", "CLAUDE.md", cwd=page.parent)
    answer = on_terminal("--dir", "s", "import", "CLAUDE.md", "--dry-run", cwd=page.parent)
    assert answer.status == 0
    assert "becomes" in answer.out
    assert "CLAUDE.md:3" in answer.out
