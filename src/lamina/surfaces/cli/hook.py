"""`lamina hook`: what coding harnesses run at points of a session, and the settings that say so."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from lamina.surfaces.cli.marks import line
from lamina.surfaces.cli.options import Command, Decorator, F, global_options
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.surfaces.other_settings import Change

_ANY: Final = {"ignore_unknown_options": True, "allow_extra_args": True}
_EVENT: Final = "EVENT"
_SHARED: Final = "project"
_NEXT: Final = {
    "claude": "Claude Code uses them from its next session on.",
    "codex": "Codex runs them once you have looked at them: /hooks.",
}


class _Event(Command):
    """An event: a call that cannot be understood is one that does nothing."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; a harness would take a complaint for a verdict on its work."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError:
            return super().parse_args(ctx, [])


class _Hooks(click.Group):
    """`install`, `remove`, and the names of events, of which harnesses invent more."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        settings["params"] = [*(settings.get("params") or ()), *global_options(hidden=True)]
        super().__init__(*arguments, **settings)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; any other word is an event."""
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, _EVENT)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, the event last."""
        return list(self.commands)


@click.group(cls=_Hooks)
def hook() -> None:
    """Give a coding harness a memory: inject at the start, capture at the end.

    `lamina hook install claude` writes the settings. The harness then runs `lamina hook EVENT`
    itself, with JSON on standard input: SessionStart, UserPromptSubmit, PreCompact, Stop,
    SessionEnd or PostToolUse. That never fails: whatever is wrong, it exits with 0 and says
    nothing, or why with LAMINA_DEBUG=1.
    """


@hook.command(_EVENT, cls=_Event, context_settings=_ANY)
@click.option("--harness", default="claude", metavar="NAME", help="claude or codex.")
@click.pass_context
@pass_session
def event(session: Session, context: click.Context, /, harness: str) -> None:
    """What a harness runs: EVENT is the name of its event."""
    from lamina.surfaces.hooks.running import Call, run

    name = str(context.info_name)
    run(
        Call(
            name, harness, session.name, session.directory, session.hot, session.project,
            session.debug,
        )
    )  # fmt: skip


def _settings_command(name: str) -> Decorator[Any]:
    """A command on the settings of a harness. `--project` is a place here, and not a name."""
    own = [one for one in global_options(hidden=True) if "--project" not in one.opts]
    return hook.command(name, cls=click.Command, params=own)


def _place(command: F) -> F:
    user = click.option("--user", "place", flag_value="user", default="user",
                        help="In the settings of your own, for all you do (usual).")  # fmt: skip
    project = click.option(
        "--project", "place", flag_value=_SHARED, help="In those of the folder you are in."
    )
    shown = click.option("--print", "only_shown", is_flag=True, help="Show it and change nothing.")
    return click.argument("harness", type=click.Choice(["claude", "codex"]))(
        user(project(shown(command)))
    )


@_settings_command("install")
@_place
@click.option("--tools", is_flag=True, help="Log every use of a tool too.")
@pass_session
def install(session: Session, /, harness: str, place: str, only_shown: bool, tools: bool) -> None:
    """Write the hooks into the settings of a harness; what else is there stays."""
    import shlex

    from lamina.surfaces.hooks import installing

    options = ["--as", session.name] if session.name else []
    where = session.lasting_directory
    options += ["--dir", where] if where else []
    hot = session.lasting_hot
    options += ["--hot", hot] if hot else []
    quoted = [shlex.quote(one) for one in options]
    shared = place == _SHARED
    path = _path(harness, place)
    change = installing.installed(path, harness, quoted, tools=tools, shared=shared)
    _carry_out(session, change, only_shown, "hooks are in")
    if not only_shown:
        session.out.note(*_next_steps(session, harness, shared=shared))


@_settings_command("remove")
@_place
@pass_session
def remove(session: Session, /, harness: str, place: str, only_shown: bool) -> None:
    """Take the hooks out of the settings of a harness; what else is there stays."""
    from lamina.surfaces.hooks import installing

    _carry_out(session, installing.removed(_path(harness, place)), only_shown, "no hooks are in")


def _path(harness: str, place: str) -> Path:
    from lamina.surfaces.hooks.installing import settings_path

    return settings_path(harness, Path.cwd() if place == _SHARED else None)


def _next_steps(session: Session, harness: str, *, shared: bool) -> "Iterator[str]":
    """What is still to do before a model remembers anything."""
    from lamina import config
    from lamina.stores.sqlite import DATABASE
    from lamina.surfaces.other_settings import unknown_name

    yield _NEXT[harness]
    missing = unknown_name() if shared else None
    if missing:
        yield missing
    store = config.load(directory=session.directory, start=Path.cwd()).folder
    if store is not None and not (store / DATABASE).is_file():
        yield "There is no store for this folder yet, and hooks make none: `lamina init` does."


def _carry_out(session: Session, change: "Change", only_shown: bool, what: str) -> None:
    if only_shown and not session.out.as_json:
        session.out.raw(change.after.rstrip("\n"))
        return
    if change.is_any and not only_shown:
        change.apply()
    if session.out.as_json:
        told = {"path": str(change.path), "changed": change.is_any, "settings": change.after}
        session.out.document(told)
        return
    session.out.show(line(f"{'Now' if change.is_any else 'Already'} {what} {change.path}"))
