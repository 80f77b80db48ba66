"""The server of the tests: one for the run, empty places in it, and gone when nobody is left."""

import os
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

from tests.meta.tree import ROOT
from tests.postgres import fresh_address, server
from tests.postgres.server import run_sql

_USE = "from tests.postgres import server; print(server().folder, flush=True); input()"


def test_every_address_is_another_place() -> None:
    assert fresh_address() != fresh_address()


def test_who_the_tests_are_is_held_back_by_policies() -> None:
    address = server().superuser().replace("user=postgres", "user=lamina")
    asked = "select rolsuper or rolbypassrls from pg_roles where rolname = current_user"
    assert run_sql(address, asked) == [(False,)]


def test_a_run_that_is_killed_leaves_nothing_behind() -> None:
    user = subprocess.Popen(
        [sys.executable, "-c", _USE],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={"PATH": os.defpath},
    )  # fmt: skip
    with user:
        assert user.stdout is not None
        folder = Path(user.stdout.readline().strip())
        if not folder.name:
            pytest.skip("no Postgres to test with")
        assert folder.is_dir()
        user.kill()
    for _ in range(500):
        if not folder.exists():
            return
        sleep(0.02)
    raise AssertionError(f"{folder} is still there")
