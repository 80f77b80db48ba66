"""`lamina.connect` against a real server: the contract of stores, and our own front door.

The contract runs with the store itself behind the routes (`tests/remote/contract.py` says why). The
tests of the front door run as they are, on SQLite, with every `lamina.open` answered by a handle
that is connected to a server with the authorising gateway.
"""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from tests.conformance.result import Result

_FRONT_DOOR: Final = (
    "tests/test_memory.py", "tests/test_recall.py", "tests/test_isolation.py",
    "tests/test_undo.py", "tests/test_past.py", "tests/test_changes.py", "tests/test_events.py",
    "tests/test_usage.py", "tests/test_announcing.py", "tests/test_sealing_by_key.py",
    "tests/test_erasing_copies.py", "tests/test_flat.py", "tests/test_leasing.py",
    "tests/test_clock.py", "tests/layers", "tests/lifecycle", "tests/orchestration",
)  # fmt: skip
_COPIED: Final = "copies the store: done where it is"
_CHECKED: Final = "looks the store over at its end: done where it is"
_CLOCK: Final = "tests/test_clock.py::test_"
_OUT: Final = {
    "tests/test_usage.py::test_counts_are_no_part_of_a_record_or_of_an_export[sqlite]": _CHECKED,
    "tests/test_usage.py::test_counts_are_in_a_backup": _COPIED,
    "tests/test_usage.py::test_a_lost_table_of_counts_is_made_again": _CHECKED,
    "tests/test_announcing.py::test_a_backup_does_not_tell_who_read_what": _COPIED,
    f"{_CLOCK}what_is_written_meanwhile_is_in_order_and_not_stamped_wrongly[sqlite]": _CHECKED,
    f"{_CLOCK}consent_lets_time_go_on[sqlite]": _CHECKED,
    f"{_CLOCK}an_hour_or_a_year_is_no_reason_to_doubt[sqlite]": _CHECKED,
    f"{_CLOCK}a_clock_that_was_set_back_does_not_bring_back_what_had_run_out[sqlite]": _CHECKED,
    f"{_CLOCK}a_new_store_believes_the_clock[sqlite]": _CHECKED,
}
_ELSEWHERE: Final = (
    "the same tests on the in-memory and the JSON store",
    "what keeps the records behind the server is nothing a client can tell",
)


def run(work: Path) -> list[Result]:
    """The whole contract, then the front door."""
    whole = _pytest(work, "the store contract from afar", ["tests/conformance/whole_contract.py"])
    options = ["-p", "tests.conformance.shim_remote", *(f"--deselect={name}" for name in _OUT)]
    door = _pytest(work, "the front door from afar", [*options, *_FRONT_DOOR])
    return [whole, replace(door, left_out=(*_OUT.items(), _ELSEWHERE))]


def _pytest(work: Path, suite: str, arguments: list[str]) -> Result:
    log, outcomes = work / f"{suite}.log", work / f"{suite}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", f"--junitxml={outcomes}"]
    # Some ask a thousand things, each of which is a round trip here. The plugin is other suites'.
    command += ["--timeout=600", "-p", "no:asyncio"]
    with log.open("w", encoding="utf-8") as told:
        subprocess.run([*command, *arguments], stdout=told, stderr=subprocess.STDOUT, check=False)
    # Written by the run above, a moment ago.
    cases = list(ElementTree.parse(outcomes).iter("testcase"))
    failed = [f"{one.get('classname')}::{one.get('name')}" for one in cases if len(one)]
    return Result(suite, len(cases) - len(failed), len(cases), (), tuple(failed), log)


if __name__ == "__main__":
    from tests.conformance.run import main

    sys.exit(main(["remote"]))
