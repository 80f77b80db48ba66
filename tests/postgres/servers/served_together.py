"""Several servers on one store: what one does, the others know."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

import lamina
from lamina.stores.postgres.address import parse
from lamina.tokens import Keys
from tests.postgres.server import run_sql
from tests.postgres.servers.started import Started, started, until
from tests.postgres.shared import server
from tests.serving import bearing

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of whoever runs the servers; the same for this process."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LAMINA_KEYS", raising=False)
    return tmp_path


def owner(address: str) -> dict[str, str]:
    """A store, and what its owner sends along."""
    with lamina.open(address) as memory:
        memory.configure("recall.embedder", "off")
        return bearing(Keys(memory).create("user", "admin").text)


def _tried(server: Started, headers: dict[str, str]) -> int:
    return httpx2.get(f"{server.url}/api/records", headers=headers, timeout=30).status_code


def test_two_servers_are_as_good_as_one(address: str, home: Path) -> None:
    headers = owner(address)
    with ExitStack() as stack:
        one, two = (stack.enter_context(started(address, home)) for _ in range(2))
        one.headers = two.headers = headers
        assert one.keep("from the first").status_code == 200
        assert two.texts() == ["from the first"]
        # A token of one is good at the other, and a code opens once, whoever is asked.
        token = one.call("POST", "/api/auth/token").json()["token"]
        assert _tried(two, bearing(token)) == 200
        code = {"code": one.call("POST", "/api/auth/codes").json()["code"]}
        assert httpx2.post(f"{two.url}/api/auth/enter", json=code).status_code == 200
        assert httpx2.post(f"{one.url}/api/auth/enter", json=code).status_code == 401
        made = two.call("POST", "/api/auth/keys", json={"name": "ann", "role": "reader"}).json()
        ann = bearing(made["text"])
        assert _tried(one, ann) == 200
        # What the first does reaches whoever listens to the second, and one who was cut off there
        # goes on at the first, behind what it has seen.
        with httpx2.stream(
            "GET", f"{two.url}/api/changes/stream", headers=headers, timeout=30
        ) as listening:
            lines = listening.iter_lines()
            _next_id(lines)
            one.keep("while somebody listens")
            seen = _next_id(lines)
            two.kill()
        one.keep("while nobody listened")
        again = {**headers, "Last-Event-ID": seen}
        with httpx2.stream(
            "GET", f"{one.url}/api/changes/stream", headers=again, timeout=30
        ) as resumed:
            lines = resumed.iter_lines()
            text = next(line for line in lines if line.startswith("data: "))
        assert "while somebody" not in text
        assert "while nobody listened" in one.texts()
        assert (one.log, two.log) == ("", "")


def _next_id(lines: Iterator[str]) -> str:
    return next(line for line in lines if line.startswith("id: ")).removeprefix("id: ")


def test_a_server_with_another_key_says_which_file_it_needs(
    address: str, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    headers, other = owner(address), tmp_path_factory.mktemp("other")
    secret = "the password: hunter2-Xy9!"
    with started(address, home) as one:
        one.headers = headers
        kept = one.keep(secret)
        assert kept.status_code == 200, kept.text
        (file,) = (home / ".lamina" / "keys").glob("*[0-9a-f].key")
    there = other / ".lamina" / "keys" / file.name
    for lie in (None, b"x" * 32):
        if lie is not None:
            there.write_bytes(lie)
            there.chmod(0o600)
        with started(address, other) as two:
            two.headers = headers
            refused = two.keep(secret)
            told = refused.json()["error"]
            assert (refused.status_code, told["code"]) == (500, "secret_error")
            assert file.name in told["message"] + told["remedy"]
            assert two.keep("nothing secret").status_code == 200
            # Nothing was put in its place.
            assert there.exists() is (lie is not None)
    there.write_bytes(file.read_bytes())
    with started(address, other) as two:
        two.headers = headers
        assert two.keep(secret).status_code == 200


def test_upkeep_is_done_by_one_and_by_another_when_that_is_gone(address: str, home: Path) -> None:
    headers = owner(address)

    def runs() -> int:
        """How often somebody has begun: each time with a sign of its own."""
        sql = "select count(distinct data::json->>'holds') from {}.version where kind = 'lease'"
        ((found,),) = run_sql(server().superuser(), sql.format(parse(address).schema))
        return int(str(found))

    with ExitStack() as stack:
        three = [stack.enter_context(started(address, home, "--upkeep", "1h")) for _ in range(3)]
        with lamina.open(address) as memory:
            until(lambda: "upkeep_at" in memory.store.settings())
            for one in three:
                one.headers = headers
                # It has come as far as its first turn, and left that out or found it taken.
                assert one.keep("a sign of life").status_code == 200
            assert runs() == 1
            for one in three[:2]:
                one.kill()
            # As an hour later.
            memory.store.configure("upkeep_at", "2020-01-01T00:00:00.000000Z")
            with started(address, home, "--upkeep", "1h"):
                until(lambda: runs() == 2)
            assert three[2].keep("still there").status_code == 200
