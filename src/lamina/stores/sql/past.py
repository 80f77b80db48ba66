"""The past: which version of each record was the newest when its stream had come so far.

A record's versions form a line back from the newest. Most records have not changed since the time
asked about, so the first step of the line answers.
"""

import json
from collections.abc import Mapping
from typing import Final

from lamina.core.filters import Condition, Filter, Op
from lamina.stores.sql.driver import Dialect
from lamina.stores.sql.predicates import Predicate

NEWEST: Final = "record r join version v on v.vid = r.head"
_OF_TASK: Final = (
    "version v indexed by version_task cross join record r on r.head = v.vid and r.rid = v.rid"
    " and {} = ?"
)
_REACHED: Final = "(select m.seq from moment m where m.sid = r.sid)"
_THEN: Final = (
    "record r join version v on v.vid = ("
    "with recursive line (vid, born, prev) as ("
    " select h.vid, h.from_seq, h.prev from version h where h.vid = r.head union all"
    " select o.vid, o.from_seq, o.prev from line join version o on o.vid = line.prev"
    f" where line.born > {_REACHED} and line.prev < line.vid)"
    f" select line.vid from line where line.born <= {_REACHED} limit 1)"
)
_MOMENT: Final = (
    "with moment (sid, seq) as materialized (select s.sid, cast(j.value as bigint)"
    " from json_each(?) j join stream s on s.name = j.key) "
)
NOW: Final = Predicate("")
ANYTHING: Final = Filter()


def source(
    dialect: Dialect, as_of: Mapping[str, int] | None, where: Filter = ANYTHING
) -> tuple[Predicate, str]:
    """What goes before `select`, and the records `r` with the version `v` of each that is meant.

    Who asks for a key is led to it, and so is who asks for a task: without statistics SQLite would
    rather walk the scope.
    """
    task = next((one.value for one in where.conditions if _asks_for_task(one)), None)
    if as_of is None and isinstance(task, str):
        return Predicate("", (task,)), _OF_TASK.format(dialect.task)
    asks_for_key = any(
        one.field == "key" and one.op is Op.EQ and one.value is not None for one in where.conditions
    )
    records = NEWEST if as_of is None else _THEN
    if asks_for_key:
        records = records.replace("record r", "record r indexed by record_key", 1)
    if as_of is None:
        return NOW, records
    return Predicate(_MOMENT, (json.dumps(dict(as_of)),)), records


def _asks_for_task(one: Condition) -> bool:
    return one.field == "data" and one.path == ("task",) and one.op is Op.EQ
