"""`lamina.migrate`: a store goes to another place, from a directory to Postgres or back, in use."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lamina import config
from lamina.directories import check_directory
from lamina.errors import InvalidInputError, NotFoundError, UnsupportedError
from lamina.opening import KEY_FILE, check_driver
from lamina.results import MoveReport
from lamina.stores import moving
from lamina.stores.combined import BOUND
from lamina.stores.filesystem import prepare_folder
from lamina.stores.moving import End
from lamina.stores.sqlite import DATABASE
from lamina.stores.sqlite.store import SqliteStore
from lamina.vault import load_key, place_key


def migrate(
    source: str | Path,
    target: str | Path,
    *,
    keep: bool = False,
    dry_run: bool = False,
    on_progress: Callable[[float], None] | None = None,
) -> MoveReport:
    """Move a store to another directory or database, with its whole history.

    The source stays in use meanwhile; writers wait only for the last short step. The target then is
    the same store: numbers, cursors, receipts and the log go on. The source is left as it was, but
    refuses to be written and says where it went. Interrupted at any point, the same call goes on.

    Hot layers in a Redis stay there, and belong to the target from then on: name the same `hot`.

    Args:
        source: A directory, or the address of a Postgres database.
        target: The same; nothing may be in it but what an earlier call has begun.
        keep: Leave the source in use: the target becomes a copy with an identity of its own.
        dry_run: Only tell what would be moved.
        on_progress: Told the share of the work that is done, from 0 to 1.

    Raises:
        InvalidInputError: The target is not empty, or is the source.
        StoreUnavailableError: Another move of either is under way.
        StoreReadOnlyError: The source was moved already.
        UnsupportedError: A copy is asked for of a store whose hot layers are in a Redis.
    """
    here, there = _place(source, "source"), _place(target, "target")
    if here == there:
        raise InvalidInputError(
            "`source` and `target` are the same store", remedy="Name another target"
        )
    here.check_there()
    with _opened(here) as source_end:
        is_hot = _is_hot(source_end, keep=keep)
        if not there.is_there():
            # Before anything is made there.
            moving.check_source(source_end, None)
            if dry_run:
                return _planned(source_end, str(target), keep=keep, resumed=False)
        with _opened(there, filling=True) as target_end:
            done = _refused_or_done(source_end, target_end, keep=keep, dry_run=dry_run)
            if done is None:
                key = _bring_key(here, there, source_end, target_end, keep=keep)
                tell = on_progress or (lambda share: None)
                done = replace(moving.move(source_end, target_end, keep=keep, tell=tell), key=key)
            return replace(done, hot=is_hot)


def _refused_or_done(source: End, target: End, *, keep: bool, dry_run: bool) -> MoveReport | None:
    """What there is to say already, where nothing is to be moved now."""
    if (done := moving.already(source, target)) is not None:
        return done
    moving.check_source(source, target)
    begun = moving.check_target(source, target)
    if dry_run:
        return _planned(source, target.store.location, keep=keep, resumed=begun)
    return None


def _is_hot(source: End, *, keep: bool) -> bool:
    """Whether hot layers are in a Redis; they cannot be in two places, so then there is no copy."""
    is_hot = BOUND in source.store.settings()
    if is_hot and keep:
        raise UnsupportedError(
            "a copy would be without working memory, tasks and blackboard: they are in Redis",
            remedy="Leave out `keep`, or use `lamina export`, which holds them",
        )
    return is_hot


def reopen(where: str | Path) -> str | None:
    """Let a store that was moved be written again, and return where it had been moved to.

    The store at the other place stays as it is: from now on there are two. Hot layers in a Redis
    stay with that one, because no two stores may share them.
    """
    place = _place(where, "where")
    place.check_there()
    with _opened(place) as end:
        return moving.reopen(end)


@dataclass(frozen=True, slots=True)
class _Place:
    """A directory, or the address of a database."""

    folder: Path | None = None
    address: str = ""

    def is_there(self) -> bool:
        """Whether there is a store already; what could not become one is refused."""
        if self.folder is not None:
            return (self.folder / DATABASE).exists()
        from lamina.stores.postgres.looking import is_there

        return is_there(self.address)

    def check_there(self) -> None:
        """Refuse a place without a store."""
        if not self.is_there():
            where = self.folder or config.without_passwords(self.address)
            raise NotFoundError(
                f"there is no store at {where}", remedy="Name one that is there, with `--from`"
            )

    def key(self, identity: str) -> Path:
        """Where the key of the store lies."""
        if self.folder is not None:
            return self.folder / KEY_FILE
        return config.keys_folder() / f"{identity}.key"


def _place(where: str | Path, argument: str) -> _Place:
    try:
        str(where).encode()
    except UnicodeEncodeError:
        # It is written down in the other store.
        raise InvalidInputError(f"`{argument}` is not text that can be kept") from None
    if isinstance(where, str) and config.is_database(where):
        check_driver()
        return _Place(address=where)
    if config.is_address(where) or (
        isinstance(where, str) and (where == ":memory:" or where.startswith("json:"))
    ):
        raise UnsupportedError(
            f"`{argument}` is no directory and no database",
            remedy="Say with `--from` and `--to` where the store itself is: in a directory, or in"
            " postgresql://…",
        )
    return _Place(folder=Path(os.path.realpath(check_directory(where))))


@contextmanager
def _opened(place: _Place, *, filling: bool = False) -> Iterator[End]:
    with ExitStack() as opened:
        if place.folder is not None:
            prepare_folder(place.folder)
            yield opened.enter_context(closing(SqliteStore(place.folder, filling=filling))).end()
        else:
            from lamina.stores.postgres.store import PostgresStore

            yield opened.enter_context(closing(PostgresStore(place.address, filling=filling))).end()


def _planned(source: End, target: str, *, keep: bool, resumed: bool) -> MoveReport:
    if config.is_database(target):
        from lamina.stores.postgres.address import parse

        target = parse(target).location
    return MoveReport(
        source=source.store.location,
        target=target,
        identity=None if keep else source.store.identity,
        applied=False,
        kept=keep,
        resumed=resumed,
        rows=moving.count(source),
        hot=BOUND in source.store.settings(),
    )


def _bring_key(here: _Place, there: _Place, source: End, target: End, *, keep: bool) -> str | None:
    """Copy the key that opens the secrets to where the target will look for it."""
    key = here.key(source.store.identity)
    if not key.exists() and not source.store.has_sealed():
        return None
    path = there.key(target.store.identity if keep else source.store.identity)
    place_key(path, load_key(key))
    return str(path)
