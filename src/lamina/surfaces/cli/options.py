"""Options that several commands share. The global ones are accepted behind a command as well."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from lamina.surfaces.cli.session import Session

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

_PREFIX: Final = "lamina_"
_EVERYWHERE: Final = (
    "Takes the options of `lamina` itself too: --dir --project --json --as --role --quiet."
)


class Command(click.Command):
    """A command that takes the global options as well."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        settings["params"] = [*(settings.get("params") or ()), *global_options(hidden=True)]
        settings.setdefault("epilog", _EVERYWHERE)
        super().__init__(*arguments, **settings)


def global_options(*, hidden: bool) -> list[click.Parameter]:
    """The options that hold for every command; they fill the session."""

    def option(name: str, *flags: str, **settings: Any) -> click.Option:
        # The prefix keeps the names apart from those of a command's own parameters.
        return click.Option(
            [*flags, _PREFIX + name], hidden=hidden, expose_value=False, callback=_note, **settings
        )

    return [
        option("directory", "--dir", metavar="DIR", help="The directory of the store."),
        option("project", "--project", metavar="NAME", help="The project in force."),
        option("as_json", "--json", is_flag=True, help="Print one JSON document."),
        option("name", "--as", metavar="NAME", help="Act as this agent."),
        option("role", "--role", metavar="ROLE", help="Act in this role; `agent` unless given."),
        option("quiet", "--quiet", "-q", is_flag=True, help="Say no more than the result."),
    ]


def scope_options(command: F) -> F:
    """`--scope` and `--global`, which is short for `--scope global`."""
    named = click.option(
        "--scope", metavar="SCOPE", help="Where it belongs, as project/web/task/t-7."
    )
    everywhere = click.option(
        "--global", "scope", flag_value="global", help="The same as --scope global."
    )
    return named(everywhere(command))


def which_options(command: F) -> F:
    """What tells records with the same key apart."""
    kind = click.option("--kind", metavar="KIND", help="The kind, when several have the key.")
    layer = click.option("--layer", metavar="LAYER", help="The layer, when several have the key.")
    return scope_options(layer(kind(command)))


def content_options(command: F) -> F:
    """What may be said about a memory besides its text."""
    for option in reversed(_content()):
        command = option(command)
    return command


def content_fields(options: dict[str, Any]) -> dict[str, Any]:
    """The content options that were given, as the library takes them."""
    from lamina.core.canonical import loads

    fields = {name: value for name, value in options.items() if value is not None and value != ()}
    if "data" in fields:
        fields["data"] = loads(fields["data"], "--data")
    if "tags" in fields:
        fields["tags"] = list(fields["tags"])
    if fields.get("expires") == "never":
        fields["expires"] = None
    return fields


def _content() -> list[Decorator[Any]]:
    return [
        click.option("--kind", metavar="KIND", help="Its category, as `decision`."),
        click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be repeated."),
        click.option("--data", metavar="JSON", help="A JSON object to keep with it."),
        click.option("--importance", type=float, metavar="0..1", help="How much it matters."),
        click.option("--confidence", type=float, metavar="0..1", help="How sure it is."),
        click.option("--expires", metavar="WHEN", help="A span as 7d, an instant, or `never`."),
        click.option(
            "--via", metavar="ORIGIN", help="Where it really comes from: tool, web, file, …"
        ),
        click.option(
            "--expect", type=int, metavar="REV", help="The revision that must be current."
        ),
    ]


def _note(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is None or value is False or context.resilient_parsing:
        return
    session = context.ensure_object(Session)
    name = str(parameter.name).removeprefix(_PREFIX)
    setattr(session.out if value is True else session, name, value)
