"""`lamina.open`: the one place that turns a string into a store."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from lamina import config
from lamina.core.names import check_name
from lamina.core.options import check_options
from lamina.core.principal import Principal, Surface, check_role
from lamina.core.scope import Scope
from lamina.core.settings import OFF
from lamina.directories import check_directory
from lamina.embedding import Vectors
from lamina.errors import InvalidInputError, UnsupportedError
from lamina.live import Live
from lamina.memory import Memory
from lamina.stores.combined import BOUND
from lamina.stores.sqlite import DATABASE
from lamina.vault import Vault

if TYPE_CHECKING:
    from lamina.embedders.protocol import Embedder
    from lamina.stores.base import Store

KEY_FILE = "secret.key"
_OF_AN_EMBEDDER = ("fingerprint", "is_local", "embed")
"""What can be looked at without asking a service; `dimensions` may."""


_PLAIN = ("user", "admin", None, None)
"""Name, role, embedder and hot store of who says nothing about them."""


class Means(TypedDict, total=False):
    """What few who open a store have to say."""

    surface: Surface
    """The door through which changes come in; it is noted in the log."""
    embedder: Embedder | None
    """What makes vectors for this process."""


def open(  # noqa: A001 - `lamina.open` is the name a user would say
    where: str | Path | None = None,
    *,
    hot: str | None = None,
    project: str | None = None,
    name: str = "user",
    role: str = "admin",
    **means: Unpack[Means],
) -> Memory:
    """Open a store and return a handle on it.

    Args:
        where: A directory (made if missing), `:memory:`, `json:FILE`, the address of a Postgres
            database (`postgresql://user@host/db?schema=lamina`), or the `http://` address of a
            server, which is `lamina.connect`. Without it the nearest `.lamina` directory is used,
            else the one in the home directory; if its `config.toml` names a project, the handle is
            confined to that, as on the command line.
        hot: The address of a Redis or Valkey (`redis://host:6379/0`) for what agents are at right
            now: working memory, tasks and the blackboard. Every process on the store names the
            same one, here or as `LAMINA_HOT`; `off` lets go of it for good.
        project: Confine the handle to one project.
        name: Who acts.
        role: `admin`, `orchestrator`, `agent`, `skill` or `reader`.
        means: `surface` is the door through which changes come in, noted in the log. `embedder`
            is what makes vectors for this process, as `lamina.embedders.protocol.Embedder` says;
            by default the one that the store's setting `recall.embedder` names. A store that holds
            vectors of another one keeps to those until `reindex` is called.

    Raises:
        StoreError: The store cannot be opened; the message says what to do.
    """
    check_options(means, Means, "something to open a store with", "hot", "project", "name", "role")
    embedder = means.get("embedder")
    if where is None:
        found = config.load(project=project)
        where, project = found.where, found.project.value
        hot = config.load_hot() if hot is None else hot
    if config.is_address(where):
        return _connected(str(where), project, (name, role, embedder, hot) == _PLAIN)
    root = None if project is None else Scope.of(f"project/{check_name(project, 'project')}")
    principal = Principal(name, check_role(role), root, means.get("surface", Surface.LIBRARY))
    _check_embedder(embedder)
    _check_hot(hot)
    store, vault = _open_store(where)
    store, overrides = _with_hot(where, store, hot), _overrides(where)
    vectors = Vectors(store, embedder)
    whole = Memory(store, vault, Principal(), vectors=vectors, overrides=overrides)
    return Memory(
        store, vault, principal, vectors=vectors, overrides=overrides, beside=_files(whole)
    )


def _overrides(where: str | Path) -> dict[str, str]:
    """What the environment, or the file in the directory of the store, says instead of it."""
    said = config.load_settings(None if _is_no_folder(where) else Path(where))
    return {name: str(one.value) for name, one in said.items()}


def _connected(url: str, project: str | None, is_plain: bool) -> Memory:
    from lamina.remote import connect

    if not is_plain:
        raise InvalidInputError(
            "`name`, `role`, `embedder` and `hot` are the server's to say",
            remedy="The key says who acts; an admin's opens others: connect(URL).agent(NAME)",
        )
    return connect(url, project=project)


def _files(whole: Memory) -> Live:
    """What keeps the files of a store: in its directory, if it has one of its own."""
    database = Path(whole.store.location)
    live = Live(whole, database.parent if database.name == DATABASE else None)
    live.heal()
    return live


def _check_embedder(embedder: object) -> None:
    """Refuse what could not embed now, rather than with the first recall; none is fine."""
    if embedder is None:
        return
    if isinstance(embedder, str):
        raise InvalidInputError(
            "`embedder` is a name, and an object is wanted",
            remedy=f'Choose it for the store: mem.configure("recall.embedder", {embedder!r:.60})',
        )
    whole = all(hasattr(embedder, name) for name in _OF_AN_EMBEDDER)
    if isinstance(embedder, type) or not whole:
        raise InvalidInputError(
            f"`embedder` is no embedder: {embedder!r:.60}",
            remedy="lamina.embedders.protocol.Embedder says what it needs",
        )


def _is_no_folder(where: str | Path) -> bool:
    return isinstance(where, str) and (
        where == ":memory:" or where.startswith("json:") or config.is_database(where)
    )


def _open_store(where: str | Path) -> tuple[Store, Vault]:
    if isinstance(where, str):
        if where == ":memory:":
            from lamina.stores.ephemeral import EphemeralStore

            return EphemeralStore(), Vault.ephemeral()
        if where.startswith("json:"):
            from lamina.stores.json_file import JsonFileStore

            path = Path(os.path.abspath(where.removeprefix("json:")))
            json_store = JsonFileStore(path)
            key = path.with_name(path.name + ".key")
            return json_store, Vault.at(key, in_use=json_store.has_sealed)
        if config.is_database(where):
            return _open_database(where)
    return open_directory(check_directory(where))


def _check_hot(hot: str | None) -> None:
    """Refuse what cannot be the place of hot layers, before a store is made for nothing."""
    if hot is not None and hot != OFF:
        from lamina.stores.redis.address import parse_address

        parse_address(hot)


def _with_hot(where: str | Path, base: Store, hot: str | None) -> Store:
    """The store, what is hot kept elsewhere if that is so; most have no such thing."""
    if hot is None:
        if BOUND not in base.settings():
            return base
        # The store says that it is elsewhere; the environment may say where.
        hot = config.load_hot()
    if hot is not None and where == ":memory:":
        raise InvalidInputError(
            "`hot` belongs to a store that lasts", remedy="Name a directory or a database with it"
        )
    from lamina.stores.combined.binding import with_hot

    try:
        return with_hot(base, hot)
    except BaseException:
        base.close()
        raise


def is_in_database(address: str) -> bool:
    """Whether a database holds the store that its address names; opening one would make it."""
    check_driver()
    from lamina.stores.postgres.looking import is_there

    return is_there(address)


def check_driver() -> None:
    """Refuse addresses of databases where what speaks to them is not installed."""
    if find_spec("psycopg") is None:
        raise UnsupportedError(
            "a store in Postgres needs the driver psycopg",
            remedy="Run `pip install 'lamina[postgres]'`",
        )


def _open_database(address: str) -> tuple[Store, Vault]:
    check_driver()
    from lamina.stores.postgres.store import PostgresStore

    store = PostgresStore(address)
    # Not in the database: whoever has a copy of that must not have the secrets with it.
    key = config.keys_folder() / f"{store.identity}.key"
    return store, Vault.at(key, in_use=store.has_key, agree=store.agree_on_key)


def open_directory(folder: Path) -> tuple[Store, Vault]:
    """The default store, in a directory that is checked first."""
    from lamina.stores.filesystem import prepare_folder
    from lamina.stores.sqlite.store import SqliteStore

    # Fixed now: a later change of the working directory must not lead to another store.
    folder = Path(os.path.abspath(folder))
    prepare_folder(folder)
    store = SqliteStore(folder)
    return store, Vault.at(folder / KEY_FILE, in_use=store.has_sealed)
