"""Servers of two versions on one store, while it is upgraded beneath them."""

from pathlib import Path

import pytest

from tests.postgres.servers.served_together import home, owner
from tests.postgres.servers.started import ran, started
from tests.postgres.shared import fresh_address

pytestmark = pytest.mark.timeout(300)
__all__ = ["home"]
GENTLE, HARSH = "tests.postgres.servers.gentle", "tests.postgres.servers.harsh"


def test_an_old_server_goes_on_beside_a_new_one_that_it_can_bear(home: Path) -> None:
    address = fresh_address()
    headers = owner(address)
    with started(address, home) as old:
        old.headers = headers
        assert old.keep("before").status_code == 200
        with started(address, home, program=GENTLE) as new:
            new.headers = headers
            assert new.keep("by the new one").status_code == 200
            assert old.keep("by the old one").status_code == 200
            every = {"before", "by the new one", "by the old one"}
            assert set(old.texts()) == set(new.texts()) == every
            # One of the old version that is started in the middle of it.
            assert ran(address, home, "lamina", "remember", "by an old command").status == 0
        assert "by an old command" in old.texts()


def test_what_an_old_server_cannot_bear_waits_for_it_and_then_turns_it_away(home: Path) -> None:
    address = fresh_address()
    headers = owner(address)
    with started(address, home) as old:
        old.headers = headers
        assert old.keep("before").status_code == 200
        waits = ran(address, home, HARSH, "list", "--json")
        assert (waits.status, waits.json["error"]["code"]) == (75, "store_unavailable")
        assert "older processes are connected" in waits.json["error"]["message"]
        assert old.keep("still").status_code == 200
    after = ran(address, home, HARSH, "list", "--json")
    assert after.status == 0, after
    for command in (("list",), ("remember", "x"), ("serve", "--port", "0")):
        refused = ran(address, home, "lamina", *command, "--json")
        assert refused.json["error"]["code"] == "store_version", refused
        assert "Upgrade Lamina" in refused.json["error"]["remedy"]
    found = ran(address, home, HARSH, "list").out
    assert "before" in found
    assert "still" in found
