"""One run of the command line: what the global options say, and the handle they lead to."""

import sys
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lamina.stores.sqlite import DATABASE
from lamina.surfaces.cli.output import Printer

if TYPE_CHECKING:
    from datetime import datetime

    from lamina.config import Config
    from lamina.core.record import Record
    from lamina.errors import NotFoundError
    from lamina.memory import Memory


class Session:
    """The global options of one run, and the store they name once it is opened."""

    def __init__(self, out: Printer | None = None) -> None:
        self.out = out or Printer()
        self.directory: str | None = None
        self.hot: str | None = None
        self.project: str | None = None
        self.name: str | None = None
        self.role: str | None = None
        self.debug = False
        self.may_create = False
        """Whether the command starts a store where there is none; the others need one."""
        self.is_new = False
        """Whether the store was made by this run."""
        self._made_folder = False

    @cached_property
    def config(self) -> "Config":
        """Directory and project in force, with where each came from."""
        from lamina import config
        from lamina.core.canonical import check_text
        from lamina.errors import InvalidInputError

        if self.directory is not None:
            check_text(self.directory, "--dir", limit=4096)
            if not self.directory:
                raise InvalidInputError("`--dir` is empty", remedy="Name a directory")
        try:
            return config.load(directory=self.directory, project=self.project)
        except OSError as error:
            raise InvalidInputError(
                f"the directory of the store cannot be found: {error.strerror}",
                remedy="Name another with --dir",
            ) from error

    @cached_property
    def unbound(self) -> "Memory":
        """The store as its owner sees it."""
        from lamina.core.principal import Surface
        from lamina.opening import open as open_memory

        if self.config.address is not None:
            return open_memory(self.config.address, hot=self.hot)
        if self.config.database is None:
            self.is_new = not is_there(self.config.path)
            self._made_folder = not self.config.path.exists()
        else:
            from lamina.opening import is_in_database

            self.is_new = not is_in_database(self.config.database)
        if self.is_new and not self.may_create:
            raise self._no_store()
        return open_memory(self.config.where, hot=self.hot_address, surface=Surface.CLI)

    @property
    def place(self) -> str:
        """Where the store is, to be shown: the address of a database without its password."""
        if self.config.database is not None:
            from lamina.stores.postgres.address import parse

            return parse(self.config.database).location
        return self.config.address or str(self.config.path.absolute())

    @property
    def lasting_directory(self) -> str | None:
        """What `--dir` said, to be written into the settings of other programs."""
        if self.directory is None:
            return None
        if self.config.folder is not None:
            return str(self.config.folder.absolute())
        remedy = "Leave it out of the address: ~/.pgpass or LAMINA_DIR_FILE may hold it"
        return _lasting(self.directory, "--dir", remedy)

    @property
    def lasting_hot(self) -> str | None:
        """What `--hot` said, to be written into the settings of other programs."""
        remedy = "Leave --hot out, and have LAMINA_HOT_FILE name a file that holds it"
        return self.hot and _lasting(self.hot, "--hot", remedy)

    @property
    def hot_address(self) -> str | None:
        """Where what is hot is kept, if that is not in the store itself."""
        from lamina import config
        from lamina.errors import InvalidInputError

        if self.hot is not None and not self.hot:
            raise InvalidInputError("`--hot` is empty", remedy="Name a Redis, or leave it out")
        return config.load_hot(self.hot)

    @cached_property
    def handle(self) -> "Memory":
        """The store as the one who acts sees it."""
        from lamina.core.names import check_name
        from lamina.errors import InvalidInputError

        project = self.config.project.value
        if self._is_own(project):
            return self.unbound
        if self.is_acting:
            if self.name is None and self.role in (None, "agent", "skill"):
                raise InvalidInputError(
                    "`--role` says what sort of actor, not who", remedy="Name it: --as NAME"
                )
            name = "user" if self.name is None else check_name(self.name, "--as")
            return self.unbound.agent(name, project=project, role=self.role or "agent")
        assert project is not None
        return self.unbound.project(project)

    def _is_own(self, project: str | None) -> bool:
        """Whether a key has opened just what was asked for; most open nothing else."""
        from lamina.core.principal import Role

        mine = self.unbound.principal
        if mine.role is Role.ADMIN:
            return not self.is_acting and project is None
        inside = mine.root.part("project") if mine.root else None
        named = self.name in (None, mine.name) and self.role in (None, mine.role.value)
        return named and project in (None, inside)

    @property
    def is_acting(self) -> bool:
        """Whether someone other than the owner acts."""
        return self.name is not None or self.role is not None

    def memory(self, scope: str | None = None) -> "Memory":
        """The handle for a scope: the owner may leave the project by naming a scope outside it."""
        from lamina.core.scope import Scope

        root = self.handle.principal.root
        if scope is None or self.is_acting or root is None or root.contains(Scope.of(scope)):
            return self.handle
        return self.unbound

    def find(
        self,
        name: str,
        *,
        scope: str | None,
        layer: str | None,
        kind: str | None,
        as_of: "str | datetime | None" = None,
    ) -> "Record":
        """The record that an id or a key names, or named then."""
        from lamina.core.ids import is_id

        memory = self.memory(scope)
        if scope is None or is_id(name):
            return memory.get(name, layer=layer, kind=kind, as_of=as_of)
        where = {"scope": scope, "layer": layer, "kind": kind}
        return _holder(memory, name, where, as_of)

    def tell_if_new(self) -> None:
        """Say where the store is, if this run made it."""
        if self.is_new:
            self.out.note(f"A new store was made in {self.place}")

    def close(self) -> None:
        """Release the store, if it was opened."""
        if "unbound" in self.__dict__:
            self.unbound.close()

    def give_up(self) -> None:
        """After a failure: a store that this run made, and that holds nothing, is not left."""
        if self.is_new and self.config.folder is not None and "unbound" in self.__dict__:
            from lamina.stores.sqlite.unused import remove_unused

            remove_unused(self.config.path, whole=self._made_folder)

    def _no_store(self) -> "NotFoundError":
        from lamina.errors import NotFoundError

        origin = self.config.directory.origin
        why = "" if origin == "argument" else f" ({origin})"
        return NotFoundError(
            f"there is no store in {self.place}{why}",
            remedy="`lamina init` makes one here, `lamina remember` starts one",
        )


def is_there(folder: Path) -> bool:
    """Whether a directory holds a store; one that cannot be looked into is left to the opening."""
    try:
        (folder / DATABASE).stat()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True


def _holder(
    memory: "Memory", key: str, given: dict[str, str | None], as_of: "str | datetime | None"
) -> "Record":
    from lamina.core.names import check_key
    from lamina.core.scope import Scope
    from lamina.errors import InvalidInputError, NotFoundError

    Scope.of(given["scope"] or "")
    where: dict[str, Any] = {"key": check_key(key)}
    where |= {name: value for name, value in given.items() if value is not None}
    found = memory.query(where, limit=2, as_of=as_of)
    if not found:
        raise NotFoundError(
            f"nothing current in {given['scope']} has the key {key!r:.80}",
            remedy="Look with `lamina list`; --state forgotten shows what was hidden",
        )
    if len(found) > 1:
        raise InvalidInputError(
            f"the key {key!r:.80} names several records in {given['scope']}",
            remedy="Name `--layer` and `--kind`, or use the id",
        )
    return found[0]


def read_stdin(limit: int) -> str:
    """Standard input as text, without the line break that ends it."""
    from lamina.errors import InvalidInputError

    found: bytes = sys.stdin.buffer.read(limit + 2)
    if len(found) > limit + 1:
        raise InvalidInputError(
            f"standard input holds more than {limit:,} bytes",
            remedy="Keep it in several memories, or keep where it lies",
        )
    try:
        return found.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"standard input is not UTF-8: byte {error.start} cannot be read",
            remedy="Convert it first, for instance with iconv",
        ) from None


def _lasting(said: str, option: str, remedy: str) -> str:
    """What an option said, unless it would leave a password in the settings of other programs."""
    from lamina.config import without_passwords
    from lamina.errors import InvalidInputError

    if without_passwords(said) != said:
        raise InvalidInputError(
            f"`{option}` has a password in it, which would be kept where others read it",
            remedy=remedy,
        )
    return said


pass_session = click.make_pass_decorator(Session)
