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

_HEAD: Final = "v.vid = r.head"
NEWEST: Final = f"record r join version v on {_HEAD}"
_OF_TASK: Final = (
    "version v indexed by version_task cross join record r on r.head = v.vid and r.rid = v.rid"
    " and {} = ?"
)
_REACHED: Final = "(select m.seq from moment m where m.sid = r.sid)"
_THEN: Final = (
    "v.vid = ("
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
    records = NEWEST if as_of is None else f"record r join version v on {_THEN}"
    if asks_for_key:
        records = records.replace("record r", "record r indexed by record_key", 1)
    return _moment(as_of), records


def meant(as_of: Mapping[str, int] | None, passes: Predicate) -> tuple[Predicate, Predicate]:
    """What goes before `select`, and whether the version of a record `r` that is meant passes.

    A value and not a join: who wants the first few in some order is led by an index through the
    records, and looks at no version of the others.
    """
    which = _HEAD if as_of is None else _THEN
    sql = f"(select {passes.sql} from version v where {which})"
    return _moment(as_of), Predicate(sql, passes.parameters)


def _moment(as_of: Mapping[str, int] | None) -> Predicate:
    return NOW if as_of is None else Predicate(_MOMENT, (json.dumps(dict(as_of)),))


def _asks_for_task(one: Condition) -> bool:
    return one.field == "data" and one.path == ("task",) and one.op is Op.EQ
