"""Being a Lamina of the next format: this one with a step more."""

import sys

from lamina.stores.postgres import migrations
from lamina.stores.postgres.dialect import DIALECT
from lamina.surfaces.cli.main import main


def run(sql: str, *, reader: int | None = None, writer: int | None = None) -> None:
    """Run the command line of a Lamina that knows one step more."""
    newest = migrations.NEWEST + 1
    known = [*migrations.steps(), migrations.Step(sql, reader, writer)]
    migrations.steps = lambda: known
    vars(migrations)["NEWEST"] = newest
    migrations.join.__defaults__ = (newest,)
    object.__setattr__(DIALECT, "format", newest)
    sys.exit(main())
