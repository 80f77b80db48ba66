"""`lamina episodes`, `artifacts` and `tasks`: what is tried, made and to be done."""

from pathlib import Path

import pytest

from lamina import open as open_store
from tests.surfaces.shell import Call, run

WEB = ("--project", "web")
FINN = (*WEB, "--as", "finn")
NAMES = ["../x", "CON", "con", "a/b", "f\u0456nn", "..", "a b", "", "x" * 65]
"""The fifth has a Cyrillic letter in it."""


@pytest.fixture
def tried(lamina: Call) -> Call:
    """A project in which something was tried."""
    record = (*FINN, "episodes", "record", "lexer")
    regex = ("--approach", "regular expressions")
    lamina(*record, "failed", *regex, "--tokens-in", "900", "--duration-ms", "10")
    lamina(*record, "completed", "the lexer was written by hand", "--approach", "by hand",
           "--duration-ms", "1200", "--tokens-in", "300", "--tokens-out", "100")  # fmt: skip
    lamina(*WEB, "--as", "maya", "episodes", "record", "docs", "attempted")
    return lamina


def test_episodes_are_filtered(tried: Call) -> None:
    def asked(*options: str) -> list[str]:
        found = tried(*WEB, "episodes", *options, "--json").json["records"]
        return [f"{one['source']} {one['kind']}" for one in found]

    assert asked() == ["maya attempted", "finn completed", "finn failed"]
    assert asked("--task", "lexer") == ["finn completed", "finn failed"]
    assert asked("--agent", "maya") == ["maya attempted"]
    assert asked("--task", "lexer", "--action", "failed") == ["finn failed"]
    assert asked("-n", "1") == ["maya attempted"]
    row = tried(*WEB, "episodes", "--action", "failed").out.rstrip("\n").split("\t")
    assert row[1:] == ["finn", "lexer", "failed", "regular expressions", "regular expressions"]


def test_figures_over_episodes(tried: Call) -> None:
    rates = tried(*WEB, "episodes", "rates", "--json").json["rates"]
    assert [(one["approach"], one["success"], one["tokens"]) for one in rates] == [
        ("by hand", 1.0, 400),
        ("regular expressions", 0.0, 900),
    ]
    shown = tried(*WEB, "episodes", "rates").out.splitlines()
    assert shown[1] == "by hand\t100%\t1\t0\t1,200\t400"
    trend = tried(*WEB, "episodes", "trend", "finn", "--days", "30", "--json").json
    assert (trend["agent"], trend["days"]) == ("finn", 30)
    [span] = trend["spans"]
    assert (span["completed"], span["failed"], span["success"], span["tokens"]) == (1, 1, 0.5, 1300)
    assert "50%\t1\t1\t1,300" in tried(*WEB, "episodes", "trend", "finn").out
    assert tried(*WEB, "episodes", "trend", "finn", "--days", "0").status == 2


def test_similar_tasks_are_found(tried: Call) -> None:
    found = tried(*WEB, "episodes", "similar", "write", "the", "lexer", "--json").json["hits"]
    assert [hit["record"]["kind"] for hit in found] == ["completed"]
    assert "by hand" in tried(*WEB, "episodes", "similar", "write a lexer").out
    assert tried("--project", "api", "episodes", "similar", "lexer", "--json").json == {"hits": []}


def test_tasks_are_added_shown_and_moved(lamina: Call) -> None:
    add = (*FINN, "tasks", "add")
    lamina(*add, "lexer", "write the lexer", "--priority", "2", "--accept", "tests pass",
           "--milestone", "m1")  # fmt: skip
    assert lamina(*add, "lexer", "again").status == 5
    assert lamina(*add, "parser", "write the parser", "--blocked-by", "lexer").status == 0
    assert lamina(*add, "x", "y", "--blocked-by", "nothing").status == 2
    listed = [row.split("\t")[:5] for row in lamina(*WEB, "tasks").out.splitlines()]
    assert listed == [["lexer", "open", "2", "m1", "-"], ["parser", "open", "-", "-", "lexer"]]
    assert lamina(*FINN, "tasks", "move", "lexer", "done").status == 5
    lamina(*FINN, "tasks", "move", "lexer", "active", "--note", "begun")
    shown = lamina(*WEB, "tasks", "show", "lexer").out
    assert "status      active\n" in shown
    assert "accept      tests pass\n" in shown
    lamina(*FINN, "tasks", "move", "lexer", "done")
    ready = lamina(*WEB, "tasks", "--ready", "--json").json["records"]
    assert [one["key"] for one in ready] == ["parser"]
    assert lamina(*WEB, "tasks", "--ready", "--milestone", "m1", "--quiet").out == ""
    done = lamina(*WEB, "tasks", "--status", "done", "--json").json["records"]
    assert [one["key"] for one in done] == ["lexer"]
    assert lamina(*WEB, "tasks", "--status", "done", "--ready").status == 2


def test_tasks_are_shown_as_a_tree(lamina: Call, tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as mem:
        task = mem.project("web").task
        task.add("plan", "plan it")
        task.add("build", "build it", blocked_by=["plan"])
        task.add("test", "test it", blocked_by=["build", "plan"])
        task.add("tell", "tell it", blocked_by=["plan"])
        task.move("tell", "dropped", note="not needed")
    rows = [row.split("\t") for row in lamina(*WEB, "tasks", "graph").out.splitlines()]
    assert rows == [
        ["plan", "open", "-", "-", "plan it"],
        ["  build", "open", "-", "-", "build it"],
        ["    test", "open", "-", "plan", "test it"],
        ["  tell", "dropped", "-", "-", "not needed"],
    ]


def test_a_task_is_changed_and_keeps_what_is_not_named(lamina: Call) -> None:
    lamina(*WEB, "tasks", "add", "lexer", "write the lexer", "--milestone", "m1")
    lamina(*WEB, "tasks", "change", "lexer", "--priority", "5")
    found = lamina(*WEB, "tasks", "show", "lexer", "--json").json
    assert (found["text"], found["data"]["milestone"]) == ("write the lexer", "m1")
    assert found["data"]["priority"] == 5


def test_artifacts_are_registered_and_verified(tmp_path: Path) -> None:
    run("init", "--project", "web", cwd=tmp_path)
    below = tmp_path / "src"
    below.mkdir()
    (below / "lexer.py").write_text("one")
    (below / "parser.py").write_text("two")
    register = ("artifacts", "register")
    assert run(*register, "src/lexer.py", "--task", "lexer", cwd=tmp_path).status == 0
    made = run(*register, "parser.py", "--task", "parser", "--type", "patch", cwd=below)
    assert made.status == 0
    assert run("artifacts", "verify", cwd=below).status == 0
    (below / "lexer.py").write_text("changed")
    (below / "parser.py").unlink()
    found = run("artifacts", "verify", cwd=below)
    assert found.status == 1
    rows = {tuple(row.split("\t")[:2]) for row in found.out.splitlines()}
    assert rows == {("changed", "src/lexer.py"), ("missing", "src/parser.py")}
    told = run("artifacts", "verify", "--task", "lexer", "--json", cwd=tmp_path)
    assert (told.status, told.json["ok"]) == (1, False)
    assert [one["standing"] for one in told.json["artifacts"]] == ["changed"]
    listed = run("artifacts", "--type", "patch", "--json", cwd=tmp_path).json["records"]
    assert [one["key"] for one in listed] == ["src/parser.py"]
    assert run("artifacts", "deregister", "parser.py", cwd=below).status == 0
    assert run("artifacts", "deregister", "parser.py", cwd=below).status == 3


@pytest.mark.parametrize("path", ["/etc/passwd", "../outside", "a/../../outside", ""])
def test_no_path_leads_out_of_the_workspace(path: str, lamina: Call, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "outside").write_text("x")
    inside = ("--workspace", str(tmp_path / "work"))
    refused = lamina(*WEB, "artifacts", "register", path, "--task", "t", *inside)
    assert refused.status == 2
    assert "`path`" in refused.err
    assert lamina(*WEB, "artifacts", "verify", "--workspace", str(tmp_path / "no")).status in (2, 3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("store")
def test_a_name_that_is_none_is_refused_by_every_command(
    name: str, lamina: Call, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    here = ("--workspace", str(tmp_path))
    for arguments in (
        ("--as", name, "now"),
        ("--as", name, "now", "x"),
        ("--as", name, "log"),
        ("--as", name, "fact", "set", "k", "v"),
        ("--as", name, "blackboard", "publish", "k", "v"),
        ("--project", name, "tasks"),
        ("--project", name, "blackboard"),
        ("episodes", "record", name, "failed"),
        ("episodes", "--task", name),
        ("episodes", "--agent", name),
        ("episodes", "trend", name),
        ("artifacts", "register", str(tmp_path / "file"), *here, "--task", name),
        ("artifacts", "--task", name),
        ("artifacts", "verify", *here, "--task", name),
        ("tasks", "add", name, "x"),
        ("tasks", "show", name),
        ("tasks", "move", name, "done"),
        ("tasks", "change", name, "x"),
    ):
        answer = lamina(*arguments)
        assert (answer.status, answer.out) == (2, ""), arguments
        assert "is not a name Lamina can use" in answer.err
    assert lamina("list", "--json").json["total"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("log", "add", "x", "--kind", "GOSSIP"),
        ("log", "--kind", "GOSSIP"),
        ("log", "add", ""),
        ("log", "add", "x", "--data", "[1]"),
        ("log", "-n", "0"),
        ("fact", "set", "k", "v", "--category", "poem"),
        ("fact", "--category", "poem"),
        ("fact", "set", "", "v"),
        ("now", "--next", "two\nlines"),
        ("blackboard", "publish", "", "v"),
        ("blackboard", "publish", "k", "v", "--ttl", "soon"),
        ("blackboard", "wait", ""),
        ("blackboard", "watch", "--after", "yesterday", "--timeout", "0"),
        ("episodes", "record", "t", "pondered"),
        ("episodes", "record", "t", "failed", "--tokens-in", "-1"),
        ("episodes", "--action", "pondered"),
        ("episodes", "-n", "0"),
        ("artifacts", "--type", "poem"),
        ("tasks", "--status", "flying"),
        ("tasks", "-n", "0"),
        ("tasks", "add", "t", "x", "--blocked-by", "t"),
    ],
    ids=lambda arguments: " ".join(arguments).encode("unicode_escape").decode(),
)
@pytest.mark.usefixtures("store")
def test_what_makes_no_sense_is_refused(arguments: tuple[str, ...], lamina: Call) -> None:
    answer = lamina(*arguments)
    assert (answer.status, answer.out) == (2, ""), answer
    assert answer.err.startswith("Error: ")
    assert lamina("list", "--json").json["total"] == 0


@pytest.mark.usefixtures("store")
def test_nothing_at_all_and_nothing_that_matches_are_told_apart(lamina: Call) -> None:
    assert lamina("tasks").err == "There are no tasks in global yet.\n"
    assert lamina("tasks", "--status", "open").err == "No tasks of global match.\n"
    assert "no episodes" in lamina("episodes").err
    assert "No episodes" in lamina("episodes", "--task", "x").err
    assert "no artifacts" in lamina("artifacts").err
    assert "No artifacts" in lamina("artifacts", "--type", "patch").err


def test_what_failed_is_offered_where_nothing_worked(tried: Call) -> None:
    tried(*FINN, "episodes", "record", "printer", "failed", "the printer printed nothing")
    asked = (*WEB, "episodes", "similar", "printer printed nothing")
    assert "--all" in tried(*asked).err
    assert "the printer printed nothing" in tried(*asked, "--all").out


def test_quiet_prints_what_the_other_commands_take(lamina: Call, tmp_path: Path) -> None:
    (tmp_path / "lexer.py").write_text("x")
    here = ("--workspace", str(tmp_path))
    lamina("tasks", "add", "lexer", "write the lexer")
    lamina("artifacts", "register", str(tmp_path / "lexer.py"), "--task", "lexer", *here)
    lamina("fact", "set", "editor", "helix")
    assert lamina("tasks", "show", lamina("tasks", "-q").out.strip()).status == 0
    assert lamina("fact", "get", lamina("fact", "-q").out.strip()).out == "helix\n"
    assert lamina("artifacts", "-q").out == "lexer.py\n"


def test_wrong_words_are_named_as_they_were_given(lamina: Call, tmp_path: Path) -> None:
    (tmp_path / "lexer.py").write_text("x")
    for option, command in {
        "--type": ("artifacts", "register", "lexer.py", "--task", "lexer", "--type", "binary"),
        "action": ("episodes", "record", "lexer", "tried"),
        "category": ("fact", "set", "editor", "helix", "--category", "tools"),
        "ttl": ("blackboard", "publish", "a", "1", "--ttl", "soon"),
    }.items():
        answer = lamina(*command)
        assert answer.status == 2
        assert f"`{option}`" in answer.err


def test_a_task_that_is_there_is_said_to_be_there(lamina: Call) -> None:
    lamina("tasks", "add", "lexer", "write the lexer")
    again = lamina("tasks", "add", "lexer", "write the lexer")
    assert again.status == 5
    assert "there is a task 'lexer' already" in again.err
