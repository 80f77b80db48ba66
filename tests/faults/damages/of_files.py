"""Damage to the files: bytes that a disk lost or turned, copies put back, and strangers."""

import os
import random
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import lamina
from lamina import Memory
from lamina.stores.sql.driver import rows
from lamina.stores.sqlite import DATABASE
from lamina.stores.sqlite.driver import connect
from tests.faults.damages.planting import PAGE, Damage, Plant, Side, at_once, flip, raw

NO_CHECKPOINT_ON_CLOSE = 1006
"""SQLite's own number for the wish to leave the log as it is."""
WAL_HEADER, WAL_FRAME = 32, 24 + PAGE
COMMITS = 12
ANCHOR = "anchor.txt"
TREES = (
    "stream", "record", "version", "event", "receipt", "sealed", "setting", "sqlite_schema",
    "sqlite_autoindex_stream_1", "sqlite_autoindex_record_1", "record_scope", "version_place",
    "event_record", "word_data", "word_idx", "word_content", "word_config",
    "vector", "sqlite_autoindex_vector_1", "space", "sqlite_autoindex_space_1", "usage",
)  # fmt: skip


def _pages(folder: Path, where: str) -> list[int]:
    with raw(folder) as connection:
        return [
            number for (number,) in rows(connection, f"select pageno from dbstat where {where}")
        ]


def _free_pages(folder: Path) -> list[int]:
    with raw(folder) as connection:
        [(total,)] = rows(connection, "pragma page_count")
        return sorted(set(range(1, total + 1)) - set(_pages(folder, "1")))


def _byte_of(where: str, within: int = PAGE) -> Plant:
    """Turn a bit in a page of a tree."""

    def plant(folder: Path, chance: random.Random) -> None:
        page = chance.choice(_pages(folder, where))
        start = 100 if page == 1 else 0
        said = (folder / DATABASE).read_bytes()[(page - 1) * PAGE :][:within]
        # Most of a page may be unused; what is used says something.
        used = [at for at, byte in enumerate(said) if byte and at >= start]
        at = chance.choice(used) if used and chance.random() < 0.8 else chance.randrange(within)
        flip(folder / DATABASE, (page - 1) * PAGE + at, chance)

    return plant


def _zeroed(where: str) -> Plant:
    """A page that the disk lost."""

    def plant(folder: Path, chance: random.Random) -> None:
        page = chance.choice([number for number in _pages(folder, where) if number > 1])
        _write_at(folder / DATABASE, (page - 1) * PAGE, bytes(PAGE))

    return plant


def _free_page(folder: Path, chance: random.Random) -> None:
    page = chance.choice(_free_pages(folder))
    _write_at(folder / DATABASE, (page - 1) * PAGE, chance.randbytes(PAGE))


def _free_page_in_use(folder: Path, chance: random.Random) -> None:
    """A page that holds something, on the list of those that the next write may take."""
    used = chance.choice(_pages(folder, "name = 'version'"))
    with (folder / DATABASE).open("rb") as file:
        file.seek(32)
        first = int.from_bytes(file.read(4))
    _write_at(folder / DATABASE, (first - 1) * PAGE + 8, used.to_bytes(4))


def _write_at(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def _header(at: int, data: bytes) -> Plant:
    return lambda folder, chance: _write_at(folder / DATABASE, at, data)


def _cut(pages: int) -> Plant:
    def plant(folder: Path, chance: random.Random) -> None:
        size = (folder / DATABASE).stat().st_size
        os.truncate(folder / DATABASE, size - pages * PAGE)

    return plant


def _replaced(data: bytes) -> Plant:
    def plant(folder: Path, chance: random.Random) -> None:
        (folder / DATABASE).write_bytes(data)

    return plant


def _of_another_program(folder: Path, chance: random.Random) -> None:
    (folder / DATABASE).unlink()
    with closing(connect(folder / DATABASE, create=True)) as connection:
        connection.execute("create table precious (x)")


def keep_anchor(mem: Memory, folder: Path) -> None:
    """What an owner would keep elsewhere: how far the store has come, before something is lost."""
    (folder / ANCHOR).write_text(mem.anchor().to_text(), encoding="utf-8")


def leave_log(folder: Path, commits: int = COMMITS) -> Path:
    """Write something and leave it in the log, as a process that was killed does."""
    with closing(connect(folder / DATABASE, create=False)) as last:
        last.config(NO_CHECKPOINT_ON_CLOSE, 1)
        list(rows(last, "select 1 from stream"))
        with lamina.open(folder) as mem:
            for number in range(commits):
                mem.remember(f"acknowledged number {number}")
            keep_anchor(mem, folder)
    return folder / f"{DATABASE}-wal"


def _log(change: Callable[[Path, random.Random], None]) -> Plant:
    return lambda folder, chance: change(leave_log(folder), chance)


def _frame_altered(log: Path, chance: random.Random) -> None:
    """Early enough that several commits lie behind it."""
    frames = (log.stat().st_size - WAL_HEADER) // WAL_FRAME
    frame = chance.randrange(frames // 2)
    flip(log, WAL_HEADER + frame * WAL_FRAME + chance.randrange(WAL_FRAME), chance)


def _last_frame_altered(log: Path, chance: random.Random) -> None:
    flip(log, log.stat().st_size - 1 - chance.randrange(PAGE), chance)


def _header_altered(log: Path, chance: random.Random) -> None:
    flip(log, chance.randrange(WAL_HEADER), chance)


def _log_cut(log: Path, chance: random.Random) -> None:
    frames = (log.stat().st_size - WAL_HEADER) // WAL_FRAME
    os.truncate(log, WAL_HEADER + frames // 2 * WAL_FRAME)


def _log_of_another(folder: Path, chance: random.Random) -> None:
    other = folder.with_name(f"{folder.name}-other")
    with lamina.open(other) as mem:
        for number in range(30):
            mem.remember(f"somebody else's number {number} " * 9)
    shutil.copyfile(leave_log(other, 1), folder / f"{DATABASE}-wal")
    shutil.rmtree(other)


def _shared_memory_garbled(folder: Path, chance: random.Random) -> None:
    leave_log(folder)
    (folder / f"{DATABASE}-shm").write_bytes(chance.randbytes(32768))


def _older_copy(folder: Path, chance: random.Random) -> None:
    """The file as it was some writes ago."""
    shutil.copyfile(folder / DATABASE, folder / "older")
    with lamina.open(folder) as mem:
        for number in range(3):
            mem.remember(f"written after the copy {number}")
        keep_anchor(mem, folder)
    (folder / "older").replace(folder / DATABASE)


def _tail_cut_neatly(folder: Path, chance: random.Random) -> None:
    """The newest record gone with its event, and the stream set back: a forger who knows how."""
    with lamina.open(folder) as mem:
        mem.remember("the one that goes", layer="log", kind="THOUGHT")
        keep_anchor(mem, folder)
    with raw(folder) as connection:
        for sql in (
            "update stream set seq = seq - 1, documents = documents - 1,"
            " tokens = tokens - (select length from record order by rid desc limit 1)"
            " where name = 'global'",
            "delete from event where sid = (select sid from stream where name = 'global')"
            " and seq > (select seq from stream where name = 'global')",
            "update stream set (hash, at) = (select e.hash, e.at from event e where"
            " e.sid = stream.sid and e.seq = stream.seq) where name = 'global'",
            "delete from word where rowid = (select max(rid) from record)",
            "delete from version where rid = (select max(rid) from record)",
            "delete from record where rid = (select max(rid) from record)",
        ):
            connection.execute(sql)


def _stream_removed(folder: Path, chance: random.Random) -> None:
    with raw(folder) as connection:
        for sql in (
            "delete from word where rowid in (select rid from record where sid = 2)",
            "delete from sealed where rid in (select rid from record where sid = 2)",
            "delete from vector where rid in (select rid from record where sid = 2)",
            "delete from usage where rid in (select rid from record where sid = 2)",
            "delete from receipt where tx in (select tx from event where sid = 2)",
            "delete from version where rid in (select rid from record where sid = 2)",
            "delete from record where sid = 2",
            "delete from event where sid = 2",
            "delete from stream where sid = 2",
            "update space set mark = min(mark, (select max(vid) from version))",
        ):
            connection.execute(sql)


def _either(name: str, plant: Plant) -> Damage:
    return Damage(name, Side.EITHER, plant)


def _refused(name: str, plant: Plant) -> Damage:
    return Damage(name, Side.RECORD, plant, ("open",))


FILES = (
    *(_either(f"a bit turned in `{tree}`", _byte_of(f"name = '{tree}'")) for tree in TREES),
    *(_either(f"a bit turned in the head of a page of `{tree}`", _byte_of(f"name = '{tree}'", 12))
      for tree in ("record", "version", "event", "event_record", "word_data", "word_content",
                   "vector", "space", "usage")),
    _either("a bit turned in an inner page", _byte_of("pagetype = 'internal'")),
    _either("a bit turned in an overflow page", _byte_of("pagetype = 'overflow'")),
    *(_either(f"a page of `{tree}` is empty", _zeroed(f"name = '{tree}'"))
      for tree in ("version", "event", "record_scope", "event_record", "version_place",
                   "word_data", "word_content", "vector", "sqlite_autoindex_vector_1",
                   "space", "usage")),
    Damage("the counts of use are lost", Side.DERIVED, at_once("drop table usage"), ("schema",)),
    _either("a free page is garbled", _free_page),
    Damage("a free page is in use", Side.DERIVED, _free_page_in_use, ("file",)),
    _either("the last page is cut off", _cut(1)),
    _either("half the file is cut off", _cut(40)),
    Damage("the file counts its free pages wrongly", Side.DERIVED,
           _header(36, (7777).to_bytes(4)), ("file",)),
    _either("the file counts its pages wrongly", _header(28, (9).to_bytes(4))),
    _refused("the file does not begin as one", _header(0, b"SQLitE format 4\0")),
    _refused("the file is another program's", _of_another_program),
    _refused("the file is not a database", _replaced(b"not a database at all\n" * 999)),
    _refused("the file is of nobody in particular", _header(68, bytes(4))),
    _refused("the file is of a newer Lamina", at_once("pragma user_version = 999")),
    Damage("the log is altered in the middle", Side.RECORD, _log(_frame_altered), ("log",)),
    Damage("the log's beginning is altered", Side.RECORD, _log(_header_altered), ("log",)),
    Damage("the log's last commit is altered", Side.NOTED, _log(_last_frame_altered), ("log",)),
    Damage("the log is another store's", Side.RECORD, _log_of_another),
    Damage("the log is cut short", Side.ANCHORED, _log(_log_cut)),
    Damage("the shared memory is garbled", Side.HARMLESS, _shared_memory_garbled),
    Damage("an older copy was put back", Side.ANCHORED, _older_copy),
    Damage("the newest record was taken out by someone who knows how", Side.ANCHORED,
           _tail_cut_neatly),
    Damage("a stream was taken out by someone who knows how", Side.ANCHORED, _stream_removed),
    Damage("the file is empty", Side.ANCHORED, _replaced(b"")),
    Damage("a setting is another one", Side.UNSEEN,
           at_once("insert or replace into setting values ('knowledge.ties', 'review')")),
)  # fmt: skip
