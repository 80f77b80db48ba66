"""Damage to the keyword index: all of it follows from the records."""

import random
from pathlib import Path

from lamina.stores.sql.driver import one
from tests.faults.damages.planting import Damage, Plant, Side, at_once, by_sql, pick, raw

SEGMENT = "select id from word_data where id > 10"
SEGMENT_TEXT = "select id, block from word_data where id > 10 and length(block) > 40"
DOCUMENT = "select id from word_content"
RECORD = "select rid from record"
STREAM = "select sid from stream"


def _derived(name: str, plant: Plant, *says: str) -> Damage:
    return Damage(name, Side.DERIVED, plant, says)


def _other_words(folder: Path, chance: random.Random) -> None:
    """One word replaced by another in an entry that is consistent in itself."""
    with raw(folder) as connection:
        rid, body = pick(connection, chance, "select id, c0 from word_content")
        words = body.split(" ")
        place = chance.randrange(len(words))
        words[place] = words[place].split(":")[0] + ":changeling"
        connection.execute("update word set body = ? where rowid = ?", (" ".join(words), rid))


def _stale_words(folder: Path, chance: random.Random) -> None:
    """The words of an earlier version of the record, as if the index had missed a change."""
    with raw(folder) as connection:
        rid, old = pick(
            connection, chance,
            "select v.rid, v.text from version v join word_content c on c.id = v.rid"
            " where v.to_seq is not null and length(v.text) < 200",
        )  # fmt: skip
        sid = one(connection, "select sid from record where rid = ?", (rid,))
        stale = " ".join(f"{sid}:{word}" for word in old.lower().split())
        connection.execute("update word set body = ? where rowid = ?", (stale, rid))
        connection.execute(
            "update record set length = ? where rid = ?", (len(stale.split(" ")), rid)
        )


def _other_stream(folder: Path, chance: random.Random) -> None:
    with raw(folder) as connection:
        rid, body = pick(connection, chance, "select id, c0 from word_content")
        moved = " ".join(f"77:{word.split(':', 1)[1]}" for word in body.split(" "))
        connection.execute("update word set body = ? where rowid = ?", (moved, rid))


def _flipped(folder: Path, chance: random.Random) -> None:
    with raw(folder) as connection:
        number, block = pick(connection, chance, SEGMENT_TEXT)
        # The first four bytes say where the page's parts begin.
        at = chance.randrange(4, len(block))
        changed = bytes((*block[:at], block[at] ^ (1 << chance.randrange(8)), *block[at + 1 :]))
        connection.execute("update word_data set block = ? where id = ?", (changed, number))


def _lost_directory_entry(folder: Path, chance: random.Random) -> None:
    """Only entries behind the first page of a segment are ever needed to find a word."""
    with raw(folder) as connection:
        connection.execute("insert into word (word) values ('optimize')")
        entry = pick(connection, chance, "select segid, pgno from word_idx where pgno > 2")
        connection.execute("delete from word_idx where (segid, pgno) = (?, ?)", entry)


WORDS = (
    _derived("a segment of the index is lost",
             by_sql(SEGMENT, "delete from word_data where id = ?1")),
    # Now and then the bit is one that FTS5 does not need.
    Damage("a segment of the index is altered", Side.EITHER, _flipped),
    _derived("the index has lost its structure", at_once("delete from word_data where id = 10")),
    _derived("the index has lost its averages", at_once("delete from word_data where id = 1")),
    _derived("the directory of the index is empty", at_once("delete from word_idx"), "words"),
    _derived("the directory of the index lacks a page", _lost_directory_entry, "words"),
    _derived("the directory of the index is altered",
             at_once("update word_idx set pgno = pgno + 2"), "words"),
    _derived("the text of an entry is lost",
             by_sql(DOCUMENT, "delete from word_content where id = ?1"), "index"),
    _derived("the text of an entry is altered",
             by_sql(DOCUMENT, "update word_content set c0 = '1:other' where id = ?1"), "index"),
    _derived("an entry is missing", by_sql(DOCUMENT, "delete from word where rowid = ?1"), "index"),
    _derived("an entry belongs to no record",
             at_once("insert into word (rowid, body) values (99999, '1:stray')"), "index"),
    _derived("an entry has the words of an earlier version", _stale_words, "index"),
    _derived("an entry has other words than its record", _other_words, "index"),
    _derived("an entry belongs to another stream", _other_stream, "index"),
    _derived("the index does not know its version", at_once("delete from word_config")),
    _derived("the index keeps what is erased",
             at_once("delete from word_config where k = 'secure-delete'"), "words"),
    _derived("a table of the index is gone", at_once("drop table word_idx"), "schema"),
    _derived("the index is gone", at_once("drop table word"), "schema"),
    _derived("the postings cannot be asked for", at_once("drop table word_posting"), "schema"),
    _derived("the vocabulary cannot be asked for", at_once("drop table word_count"), "schema"),
    _derived("a record's length is wrong",
             by_sql(RECORD, "update record set length = length + 3 where rid = ?1"), "index"),
    _derived("a stream counts too many documents",
             by_sql(STREAM, "update stream set documents = documents + 1 where sid = ?1"),
             "statistics"),
    _derived("a stream counts too few words",
             by_sql(STREAM, "update stream set tokens = tokens - 1 where sid = ?1"), "statistics"),
    # Whoever opens it next indexes it anew.
    Damage("the index is of another analyser", Side.HARMLESS,
           at_once("update setting set value = 'lamina-0' where name = 'index_version'")),
)  # fmt: skip
