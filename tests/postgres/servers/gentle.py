"""A Lamina of the next format, which the one before can read and write beside it."""

from tests.postgres.servers.newer import run

if __name__ == "__main__":
    run("alter table tombstone add column gentle text", reader=1, writer=1)
