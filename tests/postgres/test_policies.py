"""The schema itself: the fence of its policies, its functions, its views, its order."""

import pytest

from lamina.core.access import EVERYTHING, Grant, Reach
from lamina.errors import LaminaError
from lamina.stores.postgres.driver import Connection, DriverError
from tests.postgres.opened import opened, session

LAYERS = frozenset({"fact"})
ANN = Reach((Grant(LAYERS, "project/a"),))
NOBODY = Reach(())
GUARDED = (
    "stream", "record", "event", "version", "word", "place", "word_posting", "word_count", "vector",
    "sealed", "usage", "telemetry",
)  # fmt: skip
PARTITIONS = ("version_rest", "event_rest", "vector_rest", "word_posting_rest")
ROWS = """
insert into stream (sid, name, seq, hash) values ({n}, 'project/{name}', 0, '');
insert into record (rid, id, sid, scope, layer, created_at, head)
  values ({n}, '{name}', {n}, 'project/{name}', 'fact', '', {n});
insert into event values ({n}, 1, '', '', 1, '', '', '', '', '', '');
insert into version (vid, sid, rid, rev, from_seq, state, kind, text, data, tags, importance,
    confidence, trust, source, tokens, updated_at, salt)
  values ({n}, {n}, {n}, 1, 1, 'current', '', '', '{{}}', '[]', 0, 0, '', '', 0, '', '');
insert into word values ({n}, {n}, '{n}:tea');
insert into place values ({n}, {n}, 'project/{name}', 'fact', 1, 1);
insert into word_posting values ({n}, {n}, {n}, 1, 1, '{n}:tea');
insert into word_count values (1, {n}, '{n}:tea');
insert into vector values (1, {n}, {n}, {n}, '[1,2]');
insert into sealed values ({n}, '', '', '', '');
insert into usage values ({n}, '', 1, '');
insert into telemetry values ({n}, '', '', '', 'project/{name}/task/t', '', '');
"""


def _fill(connection: Connection) -> None:
    for number, name in enumerate(("a", "b"), start=1):
        connection.run(ROWS.format(n=number, name=name))


@pytest.mark.parametrize(("reach", "wanted"), [(EVERYTHING, 2), (ANN, 1), (NOBODY, 0)])
def test_policies_hold_back_what_lies_beyond_a_reach(reach: Reach, wanted: int) -> None:
    with opened() as connections:
        connections.write(_fill)
        for snapshot in (True, False):
            with connections.reading(reach, snapshot=snapshot) as reader:
                for table in GUARDED:
                    found = reader.execute(f"select count(*) from {table}").first()
                    assert found == wanted, table
                for hidden in PARTITIONS:
                    assert reader.execute(f"select count(*) from {hidden}").first() == 0


def test_without_a_word_nothing_is_seen_nor_written(address: str) -> None:
    with opened(address) as connections:
        connections.write(_fill)
    with session(address) as connection:
        for table in GUARDED:
            assert connection.execute(f"select count(*) from {table}").first() == 0
        with pytest.raises(DriverError, match="row-level security"):
            connection.run("insert into stream (name, seq, hash) values ('x', 0, '')")


def test_every_table_is_guarded_or_holds_nothing_of_anybodys() -> None:
    sql = (
        "select relname::text from pg_class where relnamespace = current_schema()::regnamespace"
        " and relkind in ('r', 'p') and not (relrowsecurity and relforcerowsecurity)"
    )
    with opened() as connections, connections.reading(snapshot=False) as reader:
        open_to_all = {name for (name,) in reader.execute(sql)}
    assert open_to_all == {"setting", "space", "space_mark", "tombstone"}


def test_subtrees_and_single_scopes_are_told_apart() -> None:
    exact = Reach((Grant(LAYERS, "project/a", subtree=False),))
    row = (
        "insert into record (rid, id, sid, scope, layer, created_at, head)"
        " values (?, ?, 1, ?, '', '', 1)"
    )
    scopes = ("project/a", "project/a/task/t", "project/ab", "project/a-b", "global")
    with opened() as connections:
        rows = [(number, str(number), scope) for number, scope in enumerate(scopes)]
        connections.write(lambda connection: connection.executemany(row, rows))

        def seen(reach: Reach) -> list[str]:
            with connections.reading(reach, snapshot=False) as reader:
                return [scope for (scope,) in reader.execute("select scope from record order by 1")]

        assert seen(exact) == ["project/a"]
        assert seen(ANN) == ["project/a", "project/a/task/t"]
        assert seen(Reach((*exact.grants, Grant(LAYERS, "global")))) == ["global", "project/a"]


def test_the_published_views_show_what_is_in_sight() -> None:
    with opened() as connections:
        connections.write(_fill)
        with connections.reading(ANN, snapshot=False) as reader:
            assert reader.execute("select count(*) from user_facts").first() == 1
            for other in ("knowledge", "episodes", "artifacts", "log_metadata"):
                assert reader.execute(f"select count(*) from {other}").first() == 0
            assert reader.execute("select count(*) from compaction_history").first() == 0


def test_the_functions_of_the_shared_sql_mean_what_they_mean_elsewhere() -> None:
    with opened() as connections, connections.reading(snapshot=False) as reader:
        asked = "select key, value, type, atom from json_each(?)"
        assert list(reader.execute(asked, ('["a", 7, null, "é", [1], 1e3, true]',))) == [
            ("0", "a", "text", "a"), ("1", "7", "integer", "7"), ("2", None, "null", None),
            ("3", "é", "text", "é"), ("4", "[1]", "array", None), ("5", "1e3", "real", "1e3"),
            ("6", "true", "true", "true"),
        ]  # fmt: skip
        assert list(reader.execute(asked, ('{"b": {"c": 1}}',))) == [
            ("b", '{"c": 1}', "object", None)
        ]
        assert reader.execute("select instr(?, ?)", ("banana", "nan")).first() == 3
        assert reader.execute("select instr('banana', ?)", ("x",)).first() == 0


def test_texts_compare_by_their_bytes() -> None:
    with opened() as connections:
        rows = [(name,) for name in ("b", "A", "é", "a", "Z")]
        connections.write(lambda c: c.executemany("insert into setting values (?, '')", rows))
        with connections.reading(snapshot=False) as reader:
            sql = "select name from setting where length(name) = 1 order by name"
            assert [name for (name,) in reader.execute(sql)] == ["A", "Z", "a", "b", "é"]


def test_a_slot_is_held_once() -> None:
    with opened() as connections:
        connections.write(_fill)
        connections.write(lambda c: c.run("update version set place = 'x' where vid = 1"))
        with pytest.raises(LaminaError, match="duplicate key"):
            connections.write(lambda c: c.run("update version set sid = 1, place = 'x'"))


def test_the_longest_slot_and_key_there_can_be_fit_into_their_indexes() -> None:
    longest = "\x1f".join(
        ["s" * 286, "knowledge", "k" * 64, "".join(map(chr, range(65536, 66048)))]
    )
    with opened() as connections:
        connections.write(_fill)
        connections.write(
            lambda c: c.execute("update version set place = ? where vid = 1", (longest,))
        )
        connections.write(lambda c: c.execute("update record set key = ?", (longest[-512:],)))
