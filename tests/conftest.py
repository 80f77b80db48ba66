"""What every test shares: hypothesis profiles, and no silent skips in continuous integration."""

import gc
import os
import shutil
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from tests.redis import RedisServer

IN_CI = os.environ.get("CI", "").lower() in {"1", "true"}

# Derandomised, so that the same tree gives the same verdict; `make model` explores at random.
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=50)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=300,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if IN_CI else "quick")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: many a test waits for other processes or for the disk."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Ten thousand tests stay to the end: to look for garbage among them is in vain."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    match report.longrepr:
        case (_, _, reason):
            return str(reason)
        case other:
            return str(other)


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    if IN_CI and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skips count as failures in CI: {_reason(report)}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.fixture(scope="session")
def redis_server() -> Iterator["RedisServer"]:
    """A server that all tests of one process share, each with a prefix of its own."""
    from tests.redis import RedisServer
    from tests.scratch import scratch_folder

    if shutil.which("redis-server") is None:
        pytest.skip("there is no redis-server")
    with scratch_folder() as folder:
        server = RedisServer(folder, "--appendonly", "yes").start()
        yield server
        server.kill()
