"""`lamina config`."""

from typing import Any

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import Span, grid
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session


@click.command(cls=Command)
@click.argument("name", required=False, shell_complete=completing.settings)
@click.argument("value", required=False, shell_complete=completing.choices)
@pass_session
def config(session: Session, /, name: str | None, value: str | None) -> None:
    """Show or change the settings of the store.

    Every process on the store shares them. Without NAME all are shown, with where each value came
    from; with VALUE the setting is changed.
    """
    from lamina.core.settings import EMBEDDER, check_setting, setting_named

    if name is not None and value is not None:
        check_setting(name, value)
        memory = session.handle if session.is_acting else session.unbound
        memory.configure(name, value)
        if name == EMBEDDER and memory.vectors().next_space:
            session.out.note("It takes over once `lamina reindex` has made its vectors.")
    wanted = None if name is None else setting_named(name).name
    rows = [row for row in _settings(session) if wanted in (None, row["name"])]
    if wanted is not None:
        _show_one(session, rows[0])
    else:
        _show_all(session, rows)


def _settings(session: Session) -> list[dict[str, Any]]:
    from lamina.core.settings import SETTINGS

    chosen = session.unbound.store.settings()
    return [
        {
            "name": setting.name,
            "value": chosen.get(setting.name, setting.default),
            "origin": "store" if setting.name in chosen else "default",
            "choices": list(setting.choices),
            "form": setting.form,
            "meaning": setting.meaning,
        }
        for setting in SETTINGS.values()
    ]


def _show_one(session: Session, row: dict[str, Any]) -> None:
    if session.out.as_json:
        session.out.document(row)
    else:
        session.out.raw(row["value"])


def _show_all(session: Session, rows: list[dict[str, Any]]) -> None:
    from lamina.core.settings import SETTINGS

    found = session.config
    places = {"directory": found.directory, "project": found.project}
    if session.out.as_json:
        origins = {name: {"value": p.value, "origin": p.origin} for name, p in places.items()}
        session.out.document({**origins, "settings": rows})
        return
    lines: list[tuple[str | Span, ...]] = [
        (name, Span(place.value or "-", "bold"), place.origin, "") for name, place in places.items()
    ]
    lines += [
        (
            row["name"],
            Span(row["value"], "bold"),
            row["origin"],
            f"{row['meaning']} ({SETTINGS[row['name']].possible})",
        )
        for row in rows
    ]
    session.out.show(grid(("setting", "value", "from", "meaning"), lines))
