"""Whatever comes in, one line says what is wrong and what to do; nothing is half-written."""

import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.surfaces.shell import PROGRAM, Answer, Call, clean_environment, run

DEEP = "[" * 50_000 + "]" * 50_000


def assert_refused(answer: Answer, status: int) -> None:
    """One line and perhaps a remedy on standard error, and no traceback."""
    assert answer.status == status, answer
    assert answer.out == ""
    lines = answer.err.splitlines()
    assert lines[0].startswith("Error: ")
    assert all(line.startswith("Try: ") for line in lines[1:])
    assert len(lines) <= 2
    assert "unexpected" not in answer.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("remember", ""),
        ("remember", "a\0b"),
        ("remember", "a\udcffb"),
        ("remember", "x" * 1_048_577),
        ("remember", "x", "--key", ""),
        ("remember", "x", "--key", "k" * 1_000_000),
        ("remember", "x", "--key", "a\u202eb"),
        ("remember", "x", "--scope", "nonsense"),
        ("remember", "x", "--scope", "project/../etc"),
        ("remember", "x", "--layer", "attic"),
        ("remember", "x", "--kind", "two words"),
        ("remember", "x", "--tag", ""),
        ("remember", "x", "--data", "[1]"),
        ("remember", "x", "--data", "{"),
        ("remember", "x", "--data", '{"a": NaN}'),
        ("remember", "x", "--data", '{"a": 1, "a": 2}'),
        ("remember", "x", "--data", f'{{"a": {DEEP}}}'),
        ("remember", "x", "--data", f'{{"a": {"9" * 5000}}}'),
        ("remember", "x", "--data", f'{{"a": {"9" * 30}}}'),
        ("remember", "x", "--importance", "nan"),
        ("remember", "x", "--confidence", "2"),
        ("remember", "x", "--expires", "tomorrow"),
        ("remember", "x", "--via", "moon"),
        ("remember", "x", "--expect", "one"),
        ("remember", "x", "--idempotency-key", "\udcff"),
        ("recall", "\udcff"),
        ("recall", "x", "-k", "0"),
        ("recall", "x", "--where", DEEP),
        ("list", "--limit", "0"),
        ("list", "--state", "gone"),
        ("list", "--layer", "attic"),
        ("list", "--order-by", "beauty"),
        ("query", "[]"),
        ("query", '{"beauty": 1}'),
        ("get", "\udcff"),
        ("undo", "yesterday"),
        ("reveal", "\udcff", "b"),
        ("config", "beauty"),
        ("config", "get", "beauty"),
        ("config", "unset", "beauty"),
        ("config", "set", "log.tail", "0"),
        ("config", "set", "memory.path", "elsewhere"),
        ("config", "set", "context.split", "50/50/50"),
        ("config", "set", "secrets.seal", "maybe"),
        ("import", "no-such-file"),
        ("export", "no-such-folder/out.jsonl"),
        ("--project", "Bad Name", "list"),
        ("--as", "Bad Name", "list"),
        ("--role", "king", "list"),
        ("--dir", "", "list"),
        ("--dir", "a\udcff", "list"),
        ("--dir", "d" * 300, "list"),
        ("list", "--beauty"),
        ("completion",),
        ("completion", "tcsh"),
        ("help", "beauty"),
        ("help", "get", "beauty"),
        ("bench", "write", "--records", "0"),
    ],
    ids=lambda arguments: " ".join(arguments).encode("unicode_escape").decode()[:60],
)
@pytest.mark.usefixtures("store")
def test_bad_arguments_are_refused_and_nothing_is_kept(
    arguments: tuple[str, ...], lamina: Call
) -> None:
    assert_refused(lamina(*arguments), 2)
    as_json = lamina(*arguments, "--json")
    assert (as_json.status, as_json.err) == (2, "")
    assert as_json.json["error"]["code"] == "invalid_input"
    assert lamina("list", "--json").json == {"records": [], "total": 0}


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    assert_refused(run("--dir", "s", "remember", b"a\xffb", cwd=tmp_path), 2)
    assert_refused(run("--dir", "s", b"\xff", cwd=tmp_path), 2)
    assert_refused(run("--dir", b"s\xff", "list", cwd=tmp_path), 2)


def _a_file(path: Path) -> None:
    path.write_text("x")


def _a_loop(path: Path) -> None:
    path.symlink_to(path)


def _database(path: Path, change: Callable[[Path], None]) -> None:
    assert run("--dir", str(path), "remember", "hello", cwd=path.parent).status == 0
    change(path / "lamina.db")


def _garbage(path: Path) -> None:
    path.mkdir()
    (path / "lamina.db").write_bytes(bytes(range(256)) * 40)


def _truncated(path: Path) -> None:
    _database(path, lambda file: os.truncate(file, 3000))


def _cut_in_the_middle(path: Path) -> None:
    _database(path, lambda file: os.truncate(file, 20_480))


def _newer(path: Path) -> None:
    # The schema number lies at byte 60 of a SQLite file, most significant byte first.
    _database(path, lambda file: _overwrite(file, 60, (99).to_bytes(4, "big")))


def _foreign(path: Path) -> None:
    # Another program's number where ours stands at byte 68.
    _database(path, lambda file: _overwrite(file, 68, b"OTHR"))


def _overwrite(file: Path, start: int, value: bytes) -> None:
    with file.open("r+b") as handle:
        handle.seek(start)
        handle.write(value)


@pytest.mark.parametrize(
    ("prepare", "status"),
    [
        (_a_file, 2),
        (_a_loop, 2),
        (_garbage, 7),
        (_truncated, 7),
        (_cut_in_the_middle, 7),
        (_newer, 7),
        (_foreign, 7),
    ],
)
def test_a_directory_that_is_no_store_is_refused_and_left_alone(
    prepare: Callable[[Path], None], status: int, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    prepare(place)
    file = place / "lamina.db"
    before = file.read_bytes() if status == 7 else b""
    assert_refused(run("--dir", "place", "remember", "x", cwd=tmp_path), status)
    assert_refused(run("--dir", "place", "list", cwd=tmp_path), status)
    answer = run("--dir", "place", "--json", "list", cwd=tmp_path)
    assert (answer.status, answer.err) == (status, "")
    if status == 7:
        assert file.read_bytes() == before


def test_an_empty_database_file_is_a_new_store(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "lamina.db").touch()
    assert run("--dir", "s", "remember", "x", cwd=tmp_path).status == 0


def test_doctor_calls_a_damaged_store_damaged(tmp_path: Path) -> None:
    _garbage(tmp_path / "s")
    answer = run("--dir", "s", "doctor", "--json", cwd=tmp_path)
    assert answer.status == 9
    assert answer.json["findings"][0]["severity"] == "record"


@pytest.mark.parametrize("filled", [False, True])
def test_a_directory_that_cannot_be_written_is_refused(filled: bool, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    if filled:
        assert run("--dir", "place", "remember", "x", cwd=tmp_path).status == 0
        (place / "lamina.db").chmod(0o400)
    place.chmod(0o500)
    try:
        assert_refused(run("--dir", "place", "remember", "y", cwd=tmp_path, as_root=False), 7)
        assert_refused(run("--dir", "place/below", "remember", "y", cwd=tmp_path, as_root=False), 7)
    finally:
        place.chmod(0o700)


def test_a_working_directory_that_is_gone_is_said_plainly(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = 'rmdir "$PWD"; exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", command, "sh", *PROGRAM, "list"],
        cwd=gone, env=clean_environment(tmp_path), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert_refused(Answer(done.returncode, done.stdout, done.stderr), 2)


def test_a_closed_pipe_ends_quietly(tmp_path: Path, lamina: Call) -> None:
    for _ in range(3):
        lamina("remember", "word " * 20_000)
    child = subprocess.Popen(
        [*PROGRAM, "--dir", str(tmp_path / "store"), "list"],
        env=clean_environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.read(10)
    child.stdout.close()
    complaint = child.stderr.read()
    child.stderr.close()
    assert (child.wait(), complaint) == (141, b"")


def test_a_full_disk_behind_the_output_is_said_plainly(tmp_path: Path, lamina: Call) -> None:
    lamina("remember", "x")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "--dir", str(tmp_path / "store"), "list"],
            env=clean_environment(tmp_path), stdout=full, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    assert_refused(Answer(done.returncode, "", done.stderr), 1)


def test_an_interrupt_ends_with_130(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [*PROGRAM, "--dir", str(tmp_path / "store"), "remember", "-"],
        env=clean_environment(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell that runs the tests in the background has them ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    assert child.stdin is not None
    # The command reads its input in large pieces, so once a pipe's worth has gone it is reading.
    child.stdin.write(b"x" * 200_000)
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    assert (child.returncode, out) == (130, b"")
    assert b"Traceback" not in err


def test_the_unexpected_is_one_line_and_a_traceback_on_request(
    tmp_path: Path, lamina: Call
) -> None:
    for _ in range(2):
        lamina("remember", "word " * 20_000)
    command = [*PROGRAM, "--dir", "store", "export", "out.jsonl"]
    env = clean_environment(tmp_path)

    def fail(**more: str) -> Answer:
        # No file may grow beyond this, so that the export fails half-way.
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536))  # noqa: E731
        done = subprocess.run(
            command, cwd=tmp_path, env=env | more, capture_output=True, text=True, check=False,
            preexec_fn=limit,
        )  # fmt: skip
        return Answer(done.returncode, done.stdout, done.stderr)

    answer = fail()
    assert_refused(answer, 1)
    assert "LAMINA_DEBUG=1" in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
    assert "Traceback" in fail(LAMINA_DEBUG="1").err
