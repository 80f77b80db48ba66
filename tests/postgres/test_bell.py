"""Hearing of other processes' commits, also when the server was away meanwhile."""

import threading
from time import monotonic

import pytest

from lamina.stores.postgres import bell
from lamina.stores.postgres.connections import Connections
from tests.postgres.opened import add, opened
from tests.postgres.proxy import proxied
from tests.postgres.server import run_sql
from tests.postgres.shared import server


def _pulse_when_quiet(connections: Connections) -> int:
    """The count, once nothing is on its way any more."""
    rings = connections.bell()
    pulse = rings.pulse()
    while rings.wait(pulse, 0.1):
        pulse = rings.pulse()
    return pulse


def test_a_commit_elsewhere_wakes_who_waits_here(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    # By the notice alone: nobody looks at the streams.
    monkeypatch.setattr(bell, "_LOOK_SECONDS", 1e9)
    with opened(address) as one, opened(address) as other:
        pulse = _pulse_when_quiet(one)
        threading.Timer(0.05, add, (other, "global")).start()
        began = monotonic()
        assert one.bell().wait(pulse, 20)
        assert monotonic() - began < 10


def test_a_commit_here_rings_at_once_and_is_not_heard_twice() -> None:
    with opened() as connections:
        add(connections, "global")
        before = _pulse_when_quiet(connections)
        add(connections, "user/ann")
        assert connections.bell().pulse() == before + 1
        assert _pulse_when_quiet(connections) <= before + 2


def test_nothing_wakes_without_a_change() -> None:
    with opened() as connections:
        assert not connections.bell().wait(_pulse_when_quiet(connections), 0.1)


def test_a_notice_that_is_lost_is_made_good_by_looking(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(bell, "_LOOK_SECONDS", 0.05)
    with opened(address) as connections:
        add(connections, "global")
        pulse = _pulse_when_quiet(connections)
        # As if it had been written by somebody whose notice never came.
        run_sql(server().superuser(), f"update {connections.schema}.stream set seq = seq + 1")
        assert connections.bell().wait(pulse, 20)


def test_a_listener_that_was_cut_off_listens_again_and_misses_nothing(
    monkeypatch: pytest.MonkeyPatch, over_tcp: str
) -> None:
    monkeypatch.setattr(bell, "_RETRY_SECONDS", 0.05)
    with proxied(over_tcp) as (proxy, through), opened(through) as one, opened(over_tcp) as other:
        pulse = _pulse_when_quiet(one)
        proxy.cut()
        add(other, "global")
        assert one.bell().wait(pulse, 20)
        pulse = _pulse_when_quiet(one)
        add(other, "user/ann")
        assert one.bell().wait(pulse, 20)


def test_a_server_that_is_away_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, over_tcp: str
) -> None:
    monkeypatch.setattr(bell, "_RETRY_SECONDS", 0.05)
    with proxied(over_tcp) as (proxy, address), opened(address) as connections:
        pulse = _pulse_when_quiet(connections)
        proxy.refuse()
        assert not connections.bell().wait(pulse, 0.2)
        proxy.accept()
        # It may have missed anything, so it looks.
        assert connections.bell().wait(pulse, 20)
