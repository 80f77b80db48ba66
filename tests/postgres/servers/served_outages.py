"""A server whose database goes away: it says so, and works again without being started anew."""

from pathlib import Path

import pytest

from tests.postgres.server import Server, run_sql
from tests.postgres.servers.served_together import home, owner
from tests.postgres.servers.started import ran, started, until

pytestmark = pytest.mark.timeout(300)
__all__ = ["home"]


def test_a_server_outlives_its_database(home: Path) -> None:
    with Server() as database:
        address = database.place.address("lamina", tcp=True)
        headers = owner(address)
        with started(address, home) as server:
            server.headers = headers
            kept = [f"before {number}" for number in range(3)]
            for text in kept:
                assert server.keep(text).status_code == 200
            database.kill()
            assert server.call("GET", "/healthz").json() == {"status": "ok"}
            for gone in (
                server.call("GET", "/readyz"), server.keep("lost"),
                server.call("GET", "/api/records"), server.call("GET", "/api/search?query=x"),
            ):  # fmt: skip
                told = gone.json()["error"]
                assert (gone.status_code, told["code"]) == (503, "store_unavailable"), gone.text
                assert told["retryable"] is True
                assert gone.headers["Retry-After"] == "1"
            assert "lamina_store_up 0.0" in server.call("GET", "/metrics").text
            health = server.call("GET", "/api/health").json()
            assert health["status"] == "red"
            assert any("connection" in part["message"] for part in health["parts"])
            database.start()
            until(lambda: server.call("GET", "/readyz").status_code == 200)
            assert set(server.texts()) == set(kept)
            assert server.keep("after").status_code == 200
            assert set(server.texts()) == {*kept, "after"}
            assert "lamina_store_up 1.0" in server.call("GET", "/metrics").text
            assert server.call("GET", "/api/health").json()["status"] == "green"
        assert ran(address, home, "lamina", "doctor").status == 0


def test_servers_that_cannot_be_used_are_told_with_the_way_out(home: Path) -> None:
    with Server({"wal_level": "replica"}) as database:
        address = database.place.address("lamina", tcp=True)
        run_sql(database.place.superuser(), "drop extension vector")
        lacks = ran(address, home, "lamina", "serve", "--port", "0", "--json")
        assert lacks.status == 7
        assert "create extension vector" in lacks.json["error"]["remedy"]
        run_sql(database.place.superuser(), "create extension vector")
        owner(address)
        with database.replica() as replica:
            address = replica.place.address("lamina", tcp=True)
            assert ran(address, home, "lamina", "list").status == 0
            refused = ran(address, home, "lamina", "remember", "x", "--json")
            assert refused.json["error"]["code"] == "store_read_only"
            assert "primary" in refused.json["error"]["remedy"]
