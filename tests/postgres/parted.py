"""A store in which a project of a few records is a large one already."""

from collections.abc import Iterable
from typing import Any

import lamina
from lamina.core.draft import Draft
from lamina.core.settings import PARTITION_AT
from lamina.memory import Memory
from lamina.stores.postgres.address import parse
from tests.postgres.server import run_sql
from tests.postgres.shared import server

MANY = 60
AT = 40
TABLES = ("version", "event", "vector")


def filled(address: str, projects: Iterable[str] = ("large", "small"), many: int = MANY) -> Memory:
    """A store whose first project is large; each record of it was changed once."""
    mem = lamina.open(address)
    mem.configure("recall.embedder", "off")
    mem.configure(PARTITION_AT, str(AT))
    for at, project in enumerate(projects):
        number = many if at == 0 else AT // 4
        for turn in ("first", "second"):
            mem.remember_many(texts(project, number, turn))
    return mem


def texts(project: str, number: int, turn: str) -> list[Draft]:
    """So many records of a project, each under a key of its own."""
    return [
        {"text": f"{turn} kettle {at} of {project}", "scope": f"project/{project}", "key": f"k{at}"}
        for at in range(number)
    ]


def lying(address: str, table: str) -> dict[str, int]:
    """How many rows of a table lie in each partition, as somebody above all policies sees it."""
    schema = parse(address).schema
    sql = f"select tableoid::regclass::text, count(*) from {schema}.{table} group by 1"
    found = run_sql(server().superuser(), sql)
    return {str(name).rpartition(".")[2]: int(str(number)) for name, number in found}


def sid_of(address: str, project: str) -> int:
    """The number of a project's stream."""
    sql = f"select sid from {parse(address).schema}.stream where name = 'project/{project}'"
    return int(str(run_sql(server().superuser(), sql)[0][0]))


def contents(mem: Memory) -> list[tuple[Any, ...]]:
    """Everything that can be read: records, versions, events."""
    read = [(one.id, one.rev, one.text) for one in mem.query()]
    store = mem.store
    events = [(name, one.seq, one.hash) for name in store.streams() for one in store.events(name)]
    past = [
        (one.event.seq, one.record and one.record.text)
        for record, _, _ in sorted(read)
        for one in store.versions(mem.reach, record)
    ]
    return [*sorted(read), *events, *past]
