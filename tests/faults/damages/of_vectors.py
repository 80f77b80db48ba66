"""Damage to vectors: an embedder makes them again from the records."""

import random
from pathlib import Path

from lamina.stores.sql.driver import rows
from lamina.stores.sqlite.vectors import checksum
from tests.faults.damages.planting import Damage, Plant, Side, at_once, by_sql, pick, raw

VECTOR = "select n from vector where body is not null"
PLACES = "select space, rid, vid, n, body from vector where body is not null"


def _derived(name: str, plant: Plant, *says: str) -> Damage:
    return Damage(name, Side.DERIVED, plant, says or ("vectors",))


def _flipped(folder: Path, chance: random.Random) -> None:
    with raw(folder) as connection:
        n, body = pick(connection, chance, "select n, body from vector where body is not null")
        at = chance.randrange(len(body))
        changed = bytes((*body[:at], body[at] ^ (1 << chance.randrange(8)), *body[at + 1 :]))
        connection.execute("update vector set body = ? where n = ?", (changed, n))


def _with_its_sum(body: str) -> Plant:
    """Another body, by an expression of SQL, with the checksum that belongs to it."""

    def plant(folder: Path, chance: random.Random) -> None:
        with raw(folder) as connection:
            space, rid, vid, n, _ = pick(connection, chance, PLACES)
            connection.execute(f"update vector set body = {body} where n = ?", (n,))
            [(now,)] = rows(connection, "select body from vector where n = ?", (n,))
            right = checksum((space, rid, vid), now)
            connection.execute("update vector set sum = ? where n = ?", (right, n))

    return plant


def _swapped(folder: Path, chance: random.Random) -> None:
    """Two records with each other's vectors."""
    with raw(folder) as connection:
        every = sorted(rows(connection, "select n, body, sum from vector where body is not null"))
        one, other = chance.sample(every, 2)
        update = "update vector set body = ?, sum = ? where n = ?"
        connection.execute(update, (*one[1:], other[0]))
        connection.execute(update, (*other[1:], one[0]))


VECTORS = (
    _derived("a vector is altered", _flipped),
    _derived("a vector is lost", by_sql(VECTOR, "delete from vector where n = ?1")),
    _derived("all vectors are lost", at_once("delete from vector")),
    _derived("a vector belongs to no record",
             by_sql(VECTOR, "update vector set rid = 99999 where n = ?1")),
    _derived("a vector belongs to a version to come",
             by_sql(VECTOR, "update vector set vid = 99999 where n = ?1")),
    _derived("a vector belongs to no space",
             by_sql(VECTOR, "update vector set space = 77 where n = ?1")),
    _derived("a vector is another record's", _swapped),
    _derived("a vector is too short",
             by_sql(VECTOR, "update vector set body = substr(body, 3) where n = ?1")),
    _derived("a vector is too short, and its sum right", _with_its_sum("substr(body, 3)")),
    _derived("a vector is no number", _with_its_sum("cast(x'007e' || substr(body, 3) as blob)")),
    _derived("a vector is a text",
             by_sql(VECTOR, "update vector set body = cast(x'ff' || body as text) where n = ?1")),
    _derived("a vector is taken for a refusal",
             by_sql(VECTOR, "update vector set body = null where n = ?1")),
    _derived("a space is gone", at_once("delete from space where space = 1")),
    _derived("a space has another size", at_once("update space set dimensions = dimensions + 1")),
    _derived("a space has no size", at_once("update space set dimensions = -3")),
    _derived("a space is too far ahead", at_once("update space set mark = mark + 1000")),
    _derived("a space has no mark", at_once("update space set mark = 'far'")),
    _derived("a space counts too few vectors", at_once("update space set made = 0")),
    _derived("a space counts in words", at_once("update space set made = 'many'")),
    _derived("a space has no name", at_once("update space set fingerprint = '' where space = 1")),
    _derived("the vectors are gone", at_once("drop table vector"), "schema"),
    _derived("the spaces are gone", at_once("drop table space"), "schema"),
    _derived("vectors and spaces are gone",
             at_once("drop table vector", "drop table space"), "schema"),
    _derived("the table of vectors is another",
             at_once("alter table vector add column other"), "schema"),
    _derived("the table of spaces is another",
             at_once("alter table space rename column made to number"), "schema"),
)  # fmt: skip
