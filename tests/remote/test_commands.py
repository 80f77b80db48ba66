"""The command line, the hooks and a light process, on a store that a server keeps."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from lamina import Memory
from lamina.surfaces.cli.main import main
from tests.meta.children import environment
from tests.remote.far import Place, served

NOT_HERE = 6


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with served() as made:
        yield made


@pytest.fixture
def whole(place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[Memory]:
    monkeypatch.chdir(tmp_path)
    with place.keeping() as owner:
        owner.configure("recall.embedder", "off")
        monkeypatch.setenv("LAMINA_DIR", place.url)
        monkeypatch.setenv("LAMINA_KEY", place.key_of("finn", "agent", "web"))
        yield owner


def test_commands_work_on_a_server(whole: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["remember", "Deploys go out on Tuesdays", "--scope", "project/web"]) == 0
    assert main(["now", "write the guide"]) == 0
    for asked in (["recall", "when do we deploy?"], ["--project", "web", "list"], ["context"]):
        capsys.readouterr()
        assert main(asked) == 0
        assert "Tuesdays" in capsys.readouterr().out
    assert whole.agent("finn", project="web").now.read().objective == "write the guide"


def test_a_key_opens_what_it_stands_for(
    place: Place, whole: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--as", "finn", "--project", "web", "remember", "finn's own"]) == 0
    for asked in (["--as", "gina"], ["--project", "shop"], ["--role", "reader"]):
        assert main([*asked, "remember", "not finn's"]) == 4
    monkeypatch.setenv("LAMINA_KEY", place.key_of())
    assert main(["--as", "gina", "--project", "web", "remember", "gina's own"]) == 0
    said = {one.text: one.source for one in whole.query({"layer": "knowledge"})}
    assert said == {"finn's own": "finn", "gina's own": "gina"}


def test_what_needs_the_directory_says_so(
    place: Place, whole: Memory, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("LAMINA_KEY", place.key_of())
    for command in (["doctor"], ["serve", "--port", "0"], ["backup", "copy"], ["reindex"]):
        assert main(command) == NOT_HERE, command
        assert "where the store is" in capsys.readouterr().err
    del whole


def test_a_hook_shares_the_memory_of_a_server(
    whole: Memory, monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:
    whole.project("web").remember("Deploys go out on Tuesdays", kind="convention")
    told = json.dumps({"session_id": "s", "cwd": "/", "hook_event_name": "SessionStart"})
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(
        buffer=io.BytesIO(told.encode()), isatty=lambda: False
    ))  # fmt: skip
    assert main(["hook", "SessionStart"]) == 0
    assert b"Tuesdays" in capfdbinary.readouterr().out


LIGHT = """
import sys, lamina
with lamina.open() as finn:
    finn.remember("Deploys go out on Tuesdays", key="deploy-day")
    finn.now.update("write the guide")
    assert finn.recall("when do we deploy?").hits
    assert finn.query() and finn.context("what now?").entries
heavy = ("numpy", "apsw", "sqlite3", "cryptography", "fastapi", "lamina.embedders.native")
print([name for name in heavy if name in sys.modules])
"""


def test_a_connected_process_loads_no_model_and_no_database(place: Place, whole: Memory) -> None:
    whole.configure("recall.embedder", "lamina")
    key = place.key_of("finn", "agent", "web")
    done = subprocess.run(
        [sys.executable, "-c", LIGHT], env=environment(LAMINA_DIR=place.url, LAMINA_KEY=key),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("[]\n", "")
