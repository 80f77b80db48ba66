"""The address of a Redis: what is none, and what of it is shown."""

import pytest

from lamina.errors import InvalidInputError
from lamina.stores.redis.address import parse_address
from lamina.stores.redis.store import RedisStore


@pytest.mark.parametrize(
    "url",
    ["http://host", "redis://", "redis://host:port", "redis://host/five", "redis://h?what=1",
     "redis://h?prefix=A%20B", "host:6379"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError):
        RedisStore(url)


def test_an_address_never_shows_its_password() -> None:
    for url, shown in {
        "redis://ann:secret@host/2": "redis://host:6379/2?prefix=lamina",
        "rediss://:secret@host:7000?prefix=x": "rediss://host:7000/0?prefix=x",
        "valkey://host": "valkey://host:6379/0?prefix=lamina",
        "unix:///run/redis.sock?db=3&password=secret": "unix:///run/redis.sock/3?prefix=lamina",
    }.items():
        assert parse_address(url).shown == shown
    for wrong in (
        "rediz://ann:secret@host", "redis://:p?secret@host/0", "redis://:p/secret@host/0",
        "redis://:secret#x@host/0", "redis://:secret?x@host/0",
    ):  # fmt: skip
        with pytest.raises(InvalidInputError) as caught:
            parse_address(wrong)
        assert "secret" not in f"{caught.value} {caught.value.remedy}"
