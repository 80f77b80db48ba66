"""Anthropic's tests of its own memory tool, which keeps files, run against ours of records.

What they write and read behind the back of the tool goes to the memory behind ours.
"""

import sys
from pathlib import Path
from typing import Final

from tests.conformance.borrowed import Borrowed
from tests.conformance.result import Result

_FILE: Final = "tests/lib/tools/memory_tools/test_filesystem.py"
_MODES: Final = "looks at the mode of folders; there are no folders here"
_LINKS: Final = "puts a symbolic link into the folder; there is no folder here, and nothing links"
_OUT: Final = {
    "test_mkdir_parents_not_world_writable_under_permissive_umask": _MODES,
    "test_symlink_validation_reject_symlink_pointing_outside_memories": _LINKS,
    "test_symlink_validation_reject_creating_files_through_symlink_pointing_outside": _LINKS,
    "test_symlink_validation_reject_parent_directory_that_is_symlink_pointing_outside": _LINKS,
}
_CLASSES: Final = ("TestBetaLocalFilesystemMemoryTool", "TestBetaAsyncLocalFilesystemMemoryTool")
_ASYNC_ONLY: Final = "test_validate_path_returns_resolved_path_not_symlink_target"

SUITE: Final = Borrowed(
    "Claude memory tool",
    "anthropic==2.8.0",
    [_FILE],
    "shim_claude",
    {f"{_FILE}::{one}::{test}": why for one in _CLASSES for test, why in _OUT.items()}
    | {f"{_FILE}::{_CLASSES[1]}::{_ASYNC_ONLY}": _LINKS},
    ["--noconftest"],
)


def run(work: Path) -> list[Result]:
    """All but what is about folders of the file system."""
    return [SUITE.run(work)]


if __name__ == "__main__":
    from tests.conformance.run import main

    sys.exit(main(["claude"]))
