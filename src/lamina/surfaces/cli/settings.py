"""`lamina config`."""

import re
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.core.settings import Setting
    from lamina.memory import Memory

_CREDENTIALS: Final = re.compile(r"//[^/@]*@")
_ARGUMENT: Final = "argument"
_name: Final = click.argument("name", metavar="NAME", shell_complete=completing.settings)


@click.group(cls=Group, usual="show")
def config() -> None:
    """Show or change the settings of the store.

    Every process on the store shares them. For some, the environment and the file `config.toml` in
    the store's directory may say what is to hold instead; `lamina config show` names them all.
    """


@config.command()
@click.argument("prefix", default="", metavar="[PREFIX]", shell_complete=completing.settings)
@pass_session
def show(session: Session, /, prefix: str) -> None:
    """Show every value that holds, and where it came from.

    From the `command line`, an environment variable, a file, the `store` or by `default`. With
    PREFIX only what is called so, as `log` or `recall.`
    """
    from lamina.core.settings import SETTINGS

    rows = [_row(session, setting) for setting in SETTINGS.values()]
    places, services = list(_places(session)), list(_services())
    if session.out.as_json:
        told: dict[str, Any] = {one["name"]: _without_name(one) for one in places}
        named = [[one for one in part if _is_called(one, prefix)] for part in (services, rows)]
        session.out.document({**told, "services": named[0], "settings": named[1]})
        return
    every = (*places, *services, *({**row, "told": _told(row)} for row in rows))
    found = [one for one in every if _is_called(one, prefix)]
    if found:
        _show_all(session, found)
    else:
        session.out.note(f"No setting is called {prefix!r:.60}; `lamina config` shows all.")


def _is_called(row: dict[str, Any], prefix: str) -> bool:
    return str(row["name"]).startswith(prefix)


def _show_all(session: Session, rows: list[dict[str, Any]]) -> None:
    """One line for each; on a terminal what it means stands below it, for columns are too few."""
    from textwrap import wrap

    from lamina.surfaces.cli.marks import Span, grid, line
    from lamina.surfaces.cli.views import DIM

    width = session.out.width
    if width is None:
        lines = [
            (one["name"], Span(one["value"] or "-", "bold"), one["origin"], one.get("told", ""))
            for one in rows
        ]
        session.out.show(grid(("name", "value", "from", "meaning"), lines))
        return
    for one in rows:
        value = Span(str(one["value"] or "-"), "bold")
        session.out.show(line(f"{one['name']} = ", value, Span(f"  ({one['origin']})", DIM)))
        for text in wrap(one.get("told", ""), max(width - 4, 20)):
            session.out.show(line(Span(f"    {text}", DIM)))


@config.command("get")
@_name
@pass_session
def get_setting(session: Session, /, name: str) -> None:
    """Show the value of one setting that holds."""
    from lamina.core.settings import setting_named

    _show_one(session, setting_named(name))


@config.command("set")
@_name
@click.argument("value", metavar="VALUE", shell_complete=completing.choices)
@pass_session
def set_setting(session: Session, /, name: str, value: str) -> None:
    """Choose a setting for everyone on the store."""
    from lamina.core.settings import check_setting, setting_named

    check_setting(name, value)
    _choose(session, name, value)
    _show_one(session, setting_named(name))


@config.command("unset")
@_name
@pass_session
def unset_setting(session: Session, /, name: str) -> None:
    """Take the choice back, so that the default holds."""
    from lamina.core.settings import setting_named

    setting = setting_named(name)
    _choose(session, name, None)
    _show_one(session, setting)


def _choose(session: Session, name: str, value: str | None) -> None:
    from lamina.core.settings import EMBEDDER

    memory = _memory(session)
    memory.configure(name, value)
    if name == EMBEDDER and memory.vectors().next_space:
        session.out.note("It takes over once `lamina reindex` has made its vectors.")
    said = _said(session).get(name)
    if said is not None:
        session.out.note(f"Here {said[1]} says otherwise: {said[0]}.")


def _memory(session: Session) -> "Memory":
    return session.handle if session.is_acting else session.unbound


def _show_one(session: Session, setting: "Setting") -> None:
    row = _row(session, setting)
    if session.out.as_json:
        session.out.document(row)
    else:
        session.out.raw(row["value"])


def _row(session: Session, setting: "Setting") -> dict[str, Any]:
    """One setting: what holds, and why."""
    chosen = session.unbound.store.settings()
    in_store = (chosen[setting.name], "store") if setting.name in chosen else None
    value, origin = _said(session).get(setting.name) or in_store or (setting.default, "default")
    return {
        "name": setting.name,
        "value": value,
        "origin": origin,
        "default": setting.default,
        "choices": list(setting.choices),
        "form": setting.form,
        "meaning": setting.meaning,
        "variable": _variable(setting),
    }


def _variable(setting: "Setting") -> str | None:
    from lamina.core.settings import variable

    return variable(setting.name) if setting.per_process else None


def _told(row: dict[str, Any]) -> str:
    """What a setting is for, what it can be, and what is to be known of it besides."""
    from lamina.core.settings import SETTINGS

    variable = f"; or {row['variable']}" if row["variable"] else ""
    return f"{row['meaning']} ({SETTINGS[row['name']].possible}{variable})"


def _said(session: Session) -> dict[str, tuple[str, str]]:
    """What this process takes otherwise than the store says, and from where."""
    from lamina.config import load_settings

    found = load_settings(session.config.folder)
    return {name: (str(one.value), one.origin) for name, one in found.items()}


def _places(session: Session) -> "Iterator[dict[str, Any]]":
    """Where the store lies, and the project in force."""
    found = session.config
    for name, place in (("directory", found.directory), ("project", found.project)):
        origin = "command line" if place.origin == _ARGUMENT else place.origin
        hidden = found.database is not None and place is found.directory
        value = session.place if hidden else place.value
        yield {"name": name, "value": value, "origin": origin}


def _services() -> "Iterator[dict[str, Any]]":
    """What the environment says of services; no key is shown."""
    from lamina.config import load_services

    found = load_services()
    for name, address in (("ollama.url", found.ollama), ("openai.url", found.openai)):
        value = _CREDENTIALS.sub("//…@", address.value or "")
        yield {"name": name, "value": value, "origin": address.origin}
    kept = "set" if found.openai_key else "not set"
    yield {"name": "openai.key", "value": kept, "origin": found.key_from}
    yield {"name": "embed.timeout", "value": f"{found.seconds:g}", "origin": found.seconds_from}


def _without_name(row: dict[str, Any]) -> dict[str, Any]:
    return {field: value for field, value in row.items() if field != "name"}
