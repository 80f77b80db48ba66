"""Options that several commands share. The global ones are accepted behind a command as well."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.session import Session

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

_PREFIX: Final = "lamina_"
_A_FILTER: Final = """'{"kind": "decision", "importance": {"$gte": 0.7}}'"""
_SOME_DATA: Final = """'{"status": "open"}'"""
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
        option(
            "directory", "--dir", metavar="DIR",
            help="The directory of the store, or the address of a server or database.",
            shell_complete=completing.folders,
        ),
        option(
            "hot", "--hot", metavar="URL", help="The Redis with what is hot; else LAMINA_HOT.",
        ),
        option("project", "--project", metavar="NAME", help="The project in force.",
               shell_complete=completing.projects),
        option("as_json", "--json", is_flag=True, help="Print one JSON document."),
        option("name", "--as", metavar="NAME", help="Act as this agent.",
               shell_complete=completing.agents),
        option(
            "role", "--role", metavar="ROLE", help="Act in this role; `agent` unless given.",
            shell_complete=completing.roles,
        ),
        option("quiet", "--quiet", "-q", is_flag=True, help="Say no more than the result."),
    ]  # fmt: skip


def scope_options(command: F) -> F:
    """`--scope` and `--global`, which is short for `--scope global`."""
    named = click.option("--scope", metavar="SCOPE", help="The scope, as project/web/task/t-7.")
    everywhere = click.option(
        "--global", "scope", flag_value="global", help="The same as --scope global."
    )
    return named(everywhere(command))


def which_options(command: F) -> F:
    """What tells records with the same key apart."""
    command = kind_option(help="The kind, when several have the key.")(command)
    command = layer_option(help="The layer, when several have the key.")(command)
    return scope_options(command)


def layer_option(*names: str, **settings: Any) -> Decorator[Any]:
    """`--layer`, which knows the layers."""
    return click.option(
        "--layer", *names, metavar="LAYER", shell_complete=completing.layers, **settings
    )


def kind_option(*names: str, **settings: Any) -> Decorator[Any]:
    """`--kind`, which knows the usual kinds."""
    return click.option(
        "--kind", *names, metavar="KIND", shell_complete=completing.kinds, **settings
    )


def as_of_option(command: F) -> F:
    """`--as-of`, for the commands that read."""
    return click.option(
        "--as-of", metavar="WHEN",
        help="As it was then: a day, an instant, a span ago as 7d, or a cursor.",
    )(command)  # fmt: skip


def page_options(command: F) -> F:
    """How many records to list, and in which order."""
    limit = click.option("--limit", type=int, default=100, show_default=True, metavar="N")
    order = click.option(
        "--order-by", metavar="FIELD", help="Greatest first; -FIELD reverses.",
        shell_complete=completing.orders,
    )  # fmt: skip
    return limit(order(command))


def name_argument(command: F) -> F:
    """One record, by id or key."""
    return click.argument("name", metavar="ID_OR_KEY", shell_complete=completing.records)(command)


def names_argument(command: F) -> F:
    """Several records, each by id or key."""
    return click.argument(
        "names", nargs=-1, required=True, metavar="ID_OR_KEY...", shell_complete=completing.records
    )(command)


def content_options(command: F) -> F:
    """What may be said about a memory besides its text."""
    for option in reversed(_content()):
        command = option(command)
    return command


def content_fields(options: dict[str, Any]) -> dict[str, Any]:
    """The content options that were given, as the library takes them."""
    fields = {name: value for name, value in options.items() if value is not None and value != ()}
    if "data" in fields:
        fields["data"] = read_json(fields["data"], "--data", _SOME_DATA)
    if "tags" in fields:
        fields["tags"] = list(fields["tags"])
    if fields.get("expires") == "never":
        fields["expires"] = None
    return fields


def read_json(text: str, argument: str, example: str = _A_FILTER) -> Any:
    """A value that was given as JSON; whoever cannot write it is shown how."""
    from lamina.core.canonical import loads
    from lamina.errors import InvalidInputError

    try:
        return loads(text, argument)
    except InvalidInputError as error:
        raise InvalidInputError(
            error.message, remedy=error.remedy or f"Write it like {example}, in single quotes"
        ) from None


def _content() -> list[Decorator[Any]]:
    return [
        kind_option(help="Its category, as `decision`."),
        click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be repeated."),
        click.option("--data", metavar="JSON", help="A JSON object to keep with it."),
        click.option("--importance", type=float, metavar="0..1", help="How much it matters."),
        click.option("--confidence", type=float, metavar="0..1", help="How sure it is."),
        click.option("--expires", metavar="WHEN", help="A span as 7d, an instant, or `never`."),
        click.option(
            "--via", metavar="ORIGIN", help="Where it really comes from: tool, web, file, …",
            shell_complete=completing.origins,
        ),
        click.option(
            "--expect", type=int, metavar="REV", help="The revision that must be current."
        ),
    ]  # fmt: skip


def _note(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    # While completing too: the names that are offered are those of the store that was named.
    if value is None or value is False:
        return
    session = context.ensure_object(Session)
    name = str(parameter.name).removeprefix(_PREFIX)
    setattr(session.out if value is True else session, name, value)
