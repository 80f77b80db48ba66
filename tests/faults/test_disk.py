"""The forgetful disk forgets what it should, and nothing else: every cut rests on it."""

import random
from pathlib import Path

import pytest

from tests.faults.disk import MODES, SECTOR, Disk, Mode, UnknownCallError
from tests.faults.tracing import read

NOTHING, SOME, TORN, NO_NAMES, NO_DATA = MODES
WRITTEN = "old"


class Place:
    """A folder with one certain file, and the calls that change it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "disk"
        self.root.mkdir()
        (self.root / "file").write_text(WRITTEN, encoding="utf-8")
        self.disk = Disk(self.root)
        self._cuts = 0
        self._folder = folder

    def play(self, *lines: str) -> None:
        """Carry out calls as `strace` writes them; `@` stands for the folder."""
        whole = (line.replace("@", str(self.root)) + "\n" for line in lines)
        for call in read(whole):
            self.disk.play(call)

    def after(self, mode: Mode, seed: int = 0) -> dict[str, str]:
        """The files after a cut, with what they hold."""
        self._cuts += 1
        target = self._folder / f"cut-{self._cuts}"
        target.mkdir()
        self.disk.rebuild(target, mode, random.Random(seed))
        files = (path for path in target.rglob("*") if path.is_file())
        return {str(path.relative_to(target)): path.read_text("utf-8") for path in files}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


CREATE = '1 openat(AT_FDCWD<@>, "@/new", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3<@/new>'
WRITE = '1 write(3<@/new>, "hello", 5) = 5'
SYNC = "1 fsync(3<@/new>) = 0"
SYNC_FOLDER = "1 fsync(4<@>) = 0"


def test_a_synced_file_has_no_name_before_its_folder_is_synced(place: Place) -> None:
    place.play(CREATE, WRITE, SYNC)
    assert place.after(NOTHING) == {"file": WRITTEN}
    assert place.after(NO_NAMES) == {"file": WRITTEN}
    place.play(SYNC_FOLDER)
    assert place.after(NOTHING) == {"file": WRITTEN, "new": "hello"}


def test_a_name_without_a_sync_of_the_file_leads_to_nothing(place: Place) -> None:
    place.play(CREATE, WRITE, SYNC_FOLDER)
    assert place.after(NOTHING) == {"file": WRITTEN, "new": ""}
    assert place.after(NO_DATA) == {"file": WRITTEN, "new": ""}
    assert place.after(NO_NAMES) == {"file": WRITTEN, "new": "hello"}


def test_a_rename_is_old_or_new_and_never_both_or_none(place: Place) -> None:
    place.play(CREATE, WRITE, SYNC, SYNC_FOLDER, '1 rename("@/new", "@/file") = 0')
    seen = [place.after(SOME, seed) for seed in range(20)]
    old, new = {"file": WRITTEN, "new": "hello"}, {"file": "hello"}
    assert old in seen
    assert new in seen
    assert all(one in (old, new) for one in seen)


def test_a_sync_covers_only_what_came_before_it_began(place: Place) -> None:
    place.play(
        '1 pwrite64(3<@/file>, "A", 1, 0) = 1',
        "1 fdatasync(3<@/file> <unfinished ...>",
        '2 pwrite64(5<@/file>, "B", 1, 1) = 1',
        "1 <... fdatasync resumed>) = 0",
    )
    assert place.after(NOTHING) == {"file": "Ald"}


def test_what_failed_did_not_happen(place: Place) -> None:
    place.play('1 pwrite64(3<@/file>, "A", 1, 0) = -1 EIO (Input/output error)')
    assert place.after(NO_NAMES) == {"file": WRITTEN}


def test_a_short_write_wrote_less(place: Place) -> None:
    place.play('1 pwrite64(3<@/file>, "ABC", 3, 0) = 1')
    assert place.after(NO_NAMES) == {"file": "Ald"}


def test_a_torn_write_is_torn_between_sectors(place: Place) -> None:
    place.play(f'1 pwrite64(3<@/file>, "{"x" * SECTOR * 3}", {SECTOR * 3}, 0) = {SECTOR * 3}')
    seen = {place.after(TORN, seed)["file"] for seed in range(40)}
    assert len(seen) > 4
    for one in seen:
        sectors = [one[start : start + SECTOR].strip("\0") for start in range(0, len(one), SECTOR)]
        assert all(part in (WRITTEN, "", "x" * SECTOR) for part in sectors)


def test_appending_and_cutting_follow_the_size(place: Place) -> None:
    place.play(
        '1 openat(AT_FDCWD<@>, "@/file", O_WRONLY|O_APPEND) = 3<@/file>',
        '1 write(3<@/file>, "er", 2) = 2',
        "1 ftruncate(3<@/file>, 4) = 0",
        '1 write(3<@/file>, "!", 1) = 1',
    )
    assert place.after(NO_NAMES) == {"file": "olde!"}
    assert place.after(NOTHING) == {"file": WRITTEN}


def test_a_folder_is_lost_with_all_that_is_in_it(place: Place) -> None:
    place.play(
        '1 mkdir("@/deep", 0700) = 0',
        '1 openat(AT_FDCWD<@>, "@/deep/new", O_WRONLY|O_CREAT, 0600) = 3<@/deep/new>',
        '1 write(3<@/deep/new>, "hello", 5) = 5',
        "1 fsync(3<@/deep/new>) = 0",
        "1 fsync(4<@/deep>) = 0",
    )
    assert place.after(NOTHING) == {"file": WRITTEN}
    place.play(SYNC_FOLDER)
    assert place.after(NOTHING) == {"file": WRITTEN, "deep/new": "hello"}


def test_the_kernel_copies_what_programs_see(place: Place) -> None:
    place.play(
        '1 pwrite64(3<@/file>, "A", 1, 0) = 1', CREATE,
        "1 sendfile(3<@/new>, 5<@/file>, [1] => [3], 8388608) = 2", SYNC, SYNC_FOLDER,
        "1 copy_file_range(5<@/file>, [0] => [1], 3<@/new>, NULL, 1, 0) = 1",
    )  # fmt: skip
    assert place.after(NOTHING) == {"file": WRITTEN, "new": "ld"}
    assert place.after(NO_NAMES) == {"file": "Ald", "new": "ldA"}


def test_what_the_disk_does_not_know_is_not_passed_over(place: Place) -> None:
    with pytest.raises(UnknownCallError):
        place.play("1 fallocate(5<@/file>, FALLOC_FL_PUNCH_HOLE, 0, 3) = 0")
