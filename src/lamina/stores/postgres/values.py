"""How values go to the server and come back: as they would with SQLite."""

from typing import TYPE_CHECKING, Any

from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.types.numeric import Int8Dumper

if TYPE_CHECKING:
    import psycopg


class _Number(Loader):
    """Sums of whole numbers come as decimals; here they are what they would be in SQLite."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data)
        return int(text) if text.lstrip(b"-").isdigit() else float(text)


class _Flag(Int8Dumper):
    """Truth is a number, as in SQLite."""

    def dump(self, obj: Any) -> bytes:
        return b"1" if obj else b"0"


def adapt(raw: "psycopg.Connection[Any]") -> None:
    """Have a session of the driver treat values so."""
    # By size, the driver would choose among four types, and prepare a statement for each.
    raw.adapters.register_dumper(int, Int8Dumper)
    raw.adapters.register_dumper(bool, _Flag)
    raw.adapters.register_loader("numeric", _Number)
