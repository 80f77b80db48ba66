"""Where the store, the project and services are found: the only reader of the environment.

A store is found as git finds its own: the nearest `.lamina` directory from here upwards, else the
one in the home directory. Whoever names one may name the address of a server or database instead.
`.lamina/config.toml` may name the project, and say for some settings of the store what is to hold
instead, as the environment may. Services and keys are named by the environment alone: a directory
that one comes across must not decide where texts are sent.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lamina.core.names import check_name
from lamina.core.settings import MODEL_URL, SETTINGS, check_setting, variable
from lamina.directories import check_directory
from lamina.errors import InvalidInputError, UnsupportedError

FOLDER: Final = ".lamina"
FILE: Final = "config.toml"
PROJECT: Final = "project"
OLLAMA_URL: Final = "http://127.0.0.1:11434"
OPENAI_URL: Final = "https://api.openai.com/v1"
EMBED_SECONDS: Final = 30.0
_PATIENCE: Final = "LAMINA_EMBED_TIMEOUT"
_LONGEST_SECONDS: Final = 600.0
_HARNESS_FOLDERS: Final = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}
KEY: Final = "LAMINA_KEY"
KEYS: Final = "LAMINA_KEYS"
HOT: Final = "LAMINA_HOT"
_IN_FILE: Final = "_FILE"
"""Behind the name of a variable: the file that holds its value."""
_LONGEST_BYTES: Final = 4_096
_PASSWORDS: Final = re.compile(r"(://[^\s/@:]*):[^\s/@]*(?=@)|(password=)[^\s&]*", re.IGNORECASE)
HOME: Final = "home directory"
"""The origin of a directory that nobody named and nothing led to."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A value and where it came from."""

    value: str | None
    origin: str


@dataclass(frozen=True, slots=True)
class Config:
    """The directory of the store and the project in force."""

    directory: Origin
    project: Origin

    @property
    def address(self) -> str | None:
        """The address of the server, where the store is behind one."""
        named = self.directory.value or ""
        return named if is_address(named) else None

    @property
    def database(self) -> str | None:
        """The address of the database that holds the store, if one does; with its password."""
        named = self.directory.value or ""
        return named if is_database(named) else None

    @property
    def folder(self) -> Path | None:
        """The directory of the store, where it has one on this machine."""
        if self.address or self.database:
            return None
        named = {"argument": "--dir"}.get(self.directory.origin, self.directory.origin)
        return check_directory(self.directory.value or FOLDER, named)

    @property
    def where(self) -> str | Path:
        """What `lamina.open` is to be given."""
        return self.address or self.database or self.path

    @property
    def path(self) -> Path:
        """The same, for what cannot be done without it.

        Raises:
            UnsupportedError: The store is behind a server, or in a database.
        """
        if self.folder is not None:
            return self.folder
        if self.address is None:
            raise UnsupportedError(
                "this needs a store in a directory, and this one is in a database",
                remedy="To copy it: pg_dump, or `lamina export` and `lamina import`",
            )
        raise UnsupportedError(
            f"this is done where the store is, and {self.address} is a server",
            remedy="Do it on that machine, with the directory or the database of the store",
        )


@dataclass(frozen=True, slots=True)
class EmbeddingServices:
    """Where embedding models answer, what opens them, and how long to wait."""

    ollama: Origin = Origin(OLLAMA_URL, "default")
    openai: Origin = Origin(OPENAI_URL, "default")
    openai_key: str = field(default="", repr=False)
    seconds: float = EMBED_SECONDS
    key_from: str = "default"
    seconds_from: str = "default"


def load_services(environment: Mapping[str, str] | None = None) -> EmbeddingServices:
    """Settle where embedding models are asked.

    `OPENAI_API_KEY` goes only where OpenAI's own variables point: an address given to Lamina alone
    gets the key given to Lamina alone.
    """
    environ = os.environ if environment is None else environment
    openai = _first(environ, ("LAMINA_OPENAI_URL", "OPENAI_BASE_URL"), OPENAI_URL)
    keys = ["LAMINA_OPENAI_KEY"]
    if openai.origin != "LAMINA_OPENAI_URL":
        keys.append("OPENAI_API_KEY")
    key = _first(environ, keys, "")
    ollama = _first(environ, ("LAMINA_OLLAMA_URL", "OLLAMA_HOST"), OLLAMA_URL)
    patience = _first(environ, (_PATIENCE,), "")
    return EmbeddingServices(
        ollama, openai, key.value or "", _seconds(patience.value or ""), key.origin, patience.origin
    )


def load_model(
    variable_of_key: str, environment: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """The address of a model that the environment itself names, and the key in a variable."""
    environ = os.environ if environment is None else environment
    said = environ.get(variable(MODEL_URL), "").strip()
    return said.rstrip("/"), environ.get(variable_of_key, "").strip()


def home_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The home directory of whoever runs this."""
    environ = os.environ if environment is None else environment
    return Path(environ.get("HOME") or Path.home())


def keys_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where the keys lie that open the secrets of stores in databases, one file for each store."""
    environ = os.environ if environment is None else environment
    said = environ.get(KEYS, "").strip()
    return Path(said) if said else home_folder(environ) / FOLDER / "keys"


def harness_folder(harness: str, environment: Mapping[str, str] | None = None) -> Path:
    """Where a coding harness keeps the settings of its user."""
    environ = os.environ if environment is None else environment
    said = environ.get(_HARNESS_FOLDERS[harness], "").strip()
    return Path(said) if said else home_folder(environ) / f".{harness}"


def load_key(environment: Mapping[str, str] | None = None) -> str:
    """The key for a server, as the environment has it."""
    environ = os.environ if environment is None else environment
    return (from_environment(KEY, environ).value or "").strip()


def from_environment(name: str, environ: Mapping[str, str]) -> Origin:
    """What a variable says, or the file that the variable `NAME_FILE` names.

    Secrets are handed to services as files: an environment is inherited, and shown to those who
    look at a container. What the file holds is in no message.

    Raises:
        InvalidInputError: Both are there, or the file is not one line of text.
    """
    plain, path = environ.get(name, ""), environ.get(name + _IN_FILE, "")
    if not path:
        return Origin(plain or None, name)
    if plain:
        raise InvalidInputError(
            f"`{name}` and `{name + _IN_FILE}` are both set", remedy="Set one of them"
        )
    return Origin(_line_in(Path(path), name + _IN_FILE), name + _IN_FILE)


def _line_in(path: Path, variable_of_path: str) -> str:
    """The one line that a file holds."""
    try:
        with path.open("rb") as file:
            found = file.read(_LONGEST_BYTES + 1).decode("utf-8").strip()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidInputError(
            f"`{variable_of_path}` names a file that cannot be read: {path!s:.200} ({why})",
            remedy="Name a file that this user may read",
        ) from None
    if not found or len(found) > _LONGEST_BYTES or not found.isprintable():
        raise InvalidInputError(
            f"`{variable_of_path}` names a file that is not one line: {path!s:.200}",
            remedy="Write the value into it, and nothing else",
        )
    return found


def load_hot(given: str | None = None, environment: Mapping[str, str] | None = None) -> str | None:
    """Where the hot layers of a store are: as given, else as the environment says."""
    environ = os.environ if environment is None else environment
    return given or from_environment(HOT, environ).value or None


def load(
    *,
    directory: str | None = None,
    project: str | None = None,
    environment: Mapping[str, str] | None = None,
    start: Path | None = None,
) -> Config:
    """Settle directory and project: argument, environment, then what is found on the way up."""
    environ = os.environ if environment is None else environment
    found = _directory(directory, environ, start)
    named = Config(found, Origin(None, "none"))
    return Config(found, _project(project, environ, named.folder))


def is_address(where: str | Path) -> bool:
    """Whether a store is named by the address of its server."""
    return isinstance(where, str) and where.startswith(("http://", "https://"))


def is_database(where: str | Path) -> bool:
    """Whether a store is named by the address of a database."""
    return isinstance(where, str) and where.startswith(("postgresql://", "postgres://"))


def without_passwords(text: str) -> str:
    """A text with every password left out that stands in an address."""
    return _PASSWORDS.sub(lambda found: found[1] or f"{found[2]}…", text)


def nearest(start: Path) -> Path | None:
    """The closest `.lamina` directory at or above `start`."""
    for folder in (start, *start.parents):
        if (folder / FOLDER).is_dir():
            return folder / FOLDER
    return None


def _check_owner(folder: Path) -> None:
    """A store that is merely met on the way up must be one's own: another could read along."""
    if folder.stat().st_uid != os.geteuid():
        raise InvalidInputError(
            f"{folder} belongs to someone else",
            remedy="Name it with --dir or LAMINA_DIR if you trust it",
        )


def name_project(folder: Path, project: str) -> None:
    """Write into a store's `config.toml` what its project is called; the rest of it stays."""
    checked = check_name(project, "project")
    from lamina.durable import replace_file

    path = folder / FILE
    rest = path.read_text(encoding="utf-8") if path.is_file() else ""
    replace_file(path, [f'project = "{checked}"\n', rest])


def read_file(folder: Path) -> dict[str, str]:
    """Read a store's `config.toml`, settings as `log.tail`; what nobody would read is refused."""
    path = folder / FILE
    if not os.path.isfile(path):
        return {}
    import tomllib  # costs 4 ms, and most directories have no such file

    try:
        values = dict(_flat(tomllib.loads(path.read_text(encoding="utf-8"))))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"{path} cannot be read: {error!s:.200}") from None
    return {name: _checked(name, value, f"{path}: `{name}`") for name, value in values.items()}


def load_settings(
    folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> dict[str, Origin]:
    """The settings of the store that this process takes otherwise: environment, `config.toml`."""
    environ = os.environ if environment is None else environment
    values = {} if folder is None else read_file(folder)
    found = {
        name: Origin(value, str(folder / FILE))
        for name, value in values.items()
        if folder is not None and name != PROJECT
    }
    for name in SETTINGS:
        value = environ.get(variable(name), "").strip()
        if value:
            found[name] = Origin(_checked(name, value, f"`{variable(name)}`"), variable(name))
    return found


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested tables, by its dotted name."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _checked(name: str, value: object, where: str) -> str:
    """A value that may be said outside the store, as text; `where` it is said."""
    if name == PROJECT:
        return check_name(value, PROJECT)
    setting = SETTINGS.get(name)
    if setting is None or not setting.per_process:
        why = "is no setting" if setting is None else "is for the store to say"
        free = ", ".join(one.name for one in SETTINGS.values() if one.per_process)
        remedy = f"Use `lamina config set {name:.60} VALUE`" if setting else f"Use: project, {free}"
        raise InvalidInputError(f"{where:.200} {why}", remedy=remedy)
    try:
        return check_setting(name, _said(value))
    except InvalidInputError as error:
        raise InvalidInputError(f"{where:.200}: {error.message}", remedy=error.remedy) from None


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    try:
        return str(value)
    except ValueError:
        # Written in hexadecimal, a number may have more digits than Python is willing to write out.
        return "a number of thousands of digits"


def _directory(given: str | None, environ: Mapping[str, str], start: Path | None) -> Origin:
    if given is not None:
        return Origin(given, "argument")
    said = from_environment("LAMINA_DIR", environ)
    if said.value:
        return said
    found = nearest(start or Path.cwd())
    if found is not None:
        _check_owner(found)
        return Origin(str(found), "found above the working directory")
    return Origin(str(home_folder(environ) / FOLDER), HOME)


def _project(given: str | None, environ: Mapping[str, str], folder: Path | None) -> Origin:
    if given is not None:
        return Origin(check_name(given, "project"), "argument")
    if environ.get("LAMINA_PROJECT"):
        return Origin(check_name(environ["LAMINA_PROJECT"], "LAMINA_PROJECT"), "LAMINA_PROJECT")
    values = {} if folder is None else read_file(folder)
    if folder is not None and PROJECT in values:
        return Origin(values[PROJECT], str(folder / FILE))
    return Origin(None, "none")


def _first(environ: Mapping[str, str], names: Sequence[str], default: str) -> Origin:
    for name in names:
        value = environ.get(name, "").strip()
        if value:
            return Origin(value, name)
    return Origin(default, "default")


def _seconds(given: str) -> float:
    if not given:
        return EMBED_SECONDS
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST_SECONDS:
        raise InvalidInputError(
            f"`{_PATIENCE}` cannot be {given!r:.40}",
            remedy=f"Use seconds, more than 0 and at most {_LONGEST_SECONDS:g}",
        )
    return seconds
