"""Addresses: what is understood, what is refused, and that no password is ever shown."""

import pytest

from lamina.errors import InvalidInputError
from lamina.stores.postgres.address import DEFAULT_SCHEMA, is_address, parse


@pytest.mark.parametrize(
    ("text", "location", "parameters"),
    [
        (
            "postgresql://ann:p%23%40@db.example/team?schema=notes",
            "postgresql://ann@db.example/team?schema=notes",
            {"user": "ann", "password": "p#@", "host": "db.example", "dbname": "team"},
        ),
        (
            "postgres://ann:a@b@h:5433/team",
            f"postgresql://ann@h:5433/team?schema={DEFAULT_SCHEMA}",
            {"user": "ann", "password": "a@b", "host": "h", "port": "5433", "dbname": "team"},
        ),
        (
            "postgresql://one:1,two/team?target_session_attrs=read-write&sslmode=require",
            "postgresql://one:1,two/team?target_session_attrs=read-write&sslmode=require"
            "&schema=lamina",
            {"host": "one,two", "port": "1,", "dbname": "team", "sslmode": "require",
             "target_session_attrs": "read-write"},
        ),
        (
            "postgresql:///team?host=/run/a+b&password=secret&user=ann&schema=x",
            "postgresql:///team?host=/run/a%2Bb&user=ann&schema=x",
            {"host": "/run/a+b", "password": "secret", "user": "ann", "dbname": "team"},
        ),
        (
            "postgresql://[::1]:5433/team",
            "postgresql://[::1]:5433/team?schema=lamina",
            {"host": "::1", "port": "5433", "dbname": "team"},
        ),
    ],
)  # fmt: skip
def test_an_address_is_read(text: str, location: str, parameters: dict[str, str]) -> None:
    address = parse(text)
    assert address.location == location
    assert address.parameters == parameters
    assert parse(address.location).location == location
    assert not any(secret in repr(address) for secret in ("p#@", "a@b", "secret"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("postgresql://ann:hunter2@h/", "names no database"),
        ("postgresql://ann:hunter2@h", "names no database"),
        ("postgresql://ann:hunter2@h/a/b", "names no database"),
        ("postgresql://ann:hunter2@h/db?colour=red", "no parameter `colour`"),
        ("postgresql://ann:hunter2@h/db?schema=Big", "`schema` cannot be 'Big'"),
        ("postgresql://ann:hunter2@h/db?schema=a-b", "`schema` cannot be"),
        ("postgresql://ann:hunter2@h/db?schema=1st", "`schema` cannot be"),
        ("postgresql://ann:hunter2@h/db?schema=public", "`schema` cannot be"),
        ("postgresql://ann:hunter2@h/db?schema=pg_x", "`schema` cannot be"),
        ("postgresql://ann:p?hunter2@h:5432/db", "a `.` before its `@`"),
        ("postgresql://ann:p/hunter2@h/db", "a `/` before its `@`"),
        ("postgresql://ann:hunter2#x@h/db", "a `#` in it"),
        (f"postgresql://ann:hunter2@h/db?schema={'a' * 64}", "`schema` cannot be"),
        ('postgresql://ann:hunter2@h/db?schema=x";drop', "`schema` cannot be"),
        ("postgresql://ann:hunter2@h/db?schema=", "`schema` has no value"),
        ("postgresql://ann:hunter2@h/db?schema=a&schema=b", "says a parameter twice"),
        ("postgresql://ann:hunter2@h:99999/db", "no such port"),
        ("postgresql://ann:hunter2@h:x/db", "no such port"),
        ("postgresql://ann:hunter2@[::1/db", "cannot be read"),
        ("postgresql://ann:hunter2#@h/db", "has a `#` in it"),
        ("postgresql://ann:hunter2@h/d%00b", "cannot be read"),
        ("postgresql://ann:hunter2@h/d b", "has no blanks"),
        ("mysql://ann:hunter2@h/db", "no address of a Postgres store"),
        ("postgresql://ann:hunter2\udcff@h/db", "no text that can be sent"),
    ],
)
def test_a_wrong_address_is_refused_and_says_why(text: str, says: str) -> None:
    with pytest.raises(InvalidInputError, match=says) as caught:
        parse(text)
    assert "hunter2" not in str(caught.value)
    assert caught.value.remedy


def test_other_places_are_no_addresses() -> None:
    assert is_address("postgresql://h/db")
    assert is_address("postgres://h/db")
    for other in (":memory:", "http://h/db", "/tmp/postgresql://x", None, "postgresql:h"):
        assert not is_address(other)
