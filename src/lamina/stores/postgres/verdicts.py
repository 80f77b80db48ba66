"""What an error of the driver says of connection and transaction, and what it means to a caller."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from lamina.errors import LaminaError
from lamina.stores.postgres import failures
from lamina.stores.postgres.session import GRACE_SECONDS, PATIENCE_SECONDS
from lamina.stores.postgres.timely import SilentError


@contextmanager
def translated(location: str) -> Iterator[None]:
    """No driver error leaves: each becomes one of ours, with what to do about it."""
    try:
        yield
    except SilentError as error:
        raise failures.silent(location, PATIENCE_SECONDS + GRACE_SECONDS) from error
    except psycopg.Error as error:
        raise _meaning(error, location) from error


def is_lost(error: BaseException) -> bool:
    """Whether the connection is gone, so that another one may do better."""
    if not isinstance(error, psycopg.Error):
        return False
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return failures.is_lost(error.sqlstate)


def is_silent(error: BaseException | None) -> bool:
    """Whether all the time that there was has been waited for."""
    return isinstance(error, SilentError | psycopg.errors.ConnectionTimeout)


def is_undone(error: BaseException) -> bool:
    """Whether the server ended the transaction before it heard anything more, also of a commit."""
    return isinstance(error, psycopg.Error) and error.sqlstate in failures.UNDONE


def is_removed(error: BaseException) -> bool:
    """Whether a table was asked that is not there."""
    return isinstance(error, psycopg.Error) and error.sqlstate in failures.NO_SUCH_TABLE


def is_busy(error: BaseException) -> bool:
    """Whether others kept locked what was needed, for as long as it was waited for."""
    return isinstance(error, psycopg.errors.LockNotAvailable) or is_beaten(error)


def is_beaten(error: BaseException) -> bool:
    """Whether another transaction was in the way, and the same work may succeed next time."""
    return isinstance(error, psycopg.Error) and error.sqlstate in failures.BEATEN


def is_late(error: BaseException) -> bool:
    """Whether as long was waited as anybody should, for a lock or for a statement."""
    return isinstance(error, psycopg.errors.LockNotAvailable | psycopg.errors.QueryCanceled)


def _meaning(error: psycopg.Error, location: str) -> LaminaError:
    if is_lost(error):
        return failures.lost(location, str(error))
    if isinstance(error, psycopg.DataError) and error.sqlstate is None:
        return failures.no_text(location, str(error))
    return failures.of_statement(error.sqlstate or "", str(error), location)
