"""A Lamina of the next format, which leaves nothing for the one before."""

from tests.postgres.servers.newer import run

if __name__ == "__main__":
    run("alter table tombstone add column harsh text")
