"""`lamina token`."""

from typing import TYPE_CHECKING, Any

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.groups import Group
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.surfaces.cli.marks import Grid
    from lamina.tokens import Key, Keys


class _ForSomebodyElse(Command):
    """A command whose `--role` is not that of the one who calls it."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.params = [one for one in self.params if one.name != "lamina_role"]


@click.group(cls=Group, usual="list")
def token() -> None:
    """Make, list and revoke the keys that let programs in over the network.

    A key is for one principal: a name, a role, and the project in force, if there is one.
    """


@token.command(cls=_ForSomebodyElse)
@click.argument("name", metavar="NAME")
@click.option(
    "--role", default="agent", show_default=True, metavar="ROLE", shell_complete=completing.roles,
    help="admin, orchestrator, agent, skill or reader.",
)  # fmt: skip
@click.option("--expires", metavar="WHEN", help="When it runs out: 30d, 12h, or an instant.")
@click.option("--label", default="", metavar="TEXT", help="What it is for, as `laptop`.")
@click.option("--everywhere", is_flag=True, help="Not confined to the project in force.")
@pass_session
def create(
    session: Session,
    /,
    name: str,
    role: str,
    expires: str | None,
    label: str,
    everywhere: bool,
) -> None:
    """Make a key for NAME and print it, this once."""
    from lamina.surfaces import wire_keys

    # A server that others can reach wants a key before it starts, and so before there is a store.
    session.may_create = True
    project = None if everywhere else session.config.project.value
    made = _keys(session).create(name, role, project=project, label=label, expires=expires)
    if session.out.as_json:
        session.out.document(wire_keys.new_key_out(made))
        return
    session.out.raw(made.text)
    session.tell_if_new()
    root = made.key.principal.root
    session.out.note(
        f"This is the key of {role} `{name}`, {f'confined to {root}' if root else 'unconfined'}."
        " It is not kept and cannot be shown again.",
        f"`lamina token revoke {made.key.id}` ends it.",
    )


@token.command("list")
@pass_session
def list_keys(session: Session, /) -> None:
    """Show whom there are keys for."""
    from lamina.surfaces import wire_keys

    found = _keys(session).all()
    if session.out.as_json:
        session.out.document(wire_keys.keys_out(found))
    elif session.out.quiet:
        for key in found:
            session.out.raw(key.id)
    elif found:
        session.out.show(_grid(found))
    else:
        session.out.note("There are no keys yet; `lamina token create NAME` makes one.")


@token.command()
@click.argument("key_id", metavar="ID")
@pass_session
def revoke(session: Session, /, key_id: str) -> None:
    """End a key and all that it was exchanged for."""
    from lamina.surfaces import wire_keys
    from lamina.surfaces.cli.marks import Span, line

    key = _keys(session).revoke(key_id)
    if session.out.as_json:
        session.out.document(wire_keys.key_out(key))
    else:
        session.out.show(line(Span("revoked", "green"), f" {key.id} of {key.principal.name}"))


def _keys(session: Session) -> "Keys":
    """The owner leaves the project in force for this; whoever else acts stays what they are."""
    from lamina.tokens import Keys

    return Keys(session.handle if session.is_acting else session.unbound)


def _grid(keys: "list[Key]") -> "Grid":
    from lamina.surfaces.cli.marks import Span, grid
    from lamina.surfaces.cli.views import instant

    rows = [
        (
            key.id, Span(key.principal.name, "bold"), key.principal.role.value,
            str(key.principal.root or "-"), instant(key.created_at),
            "-" if key.expires_at is None else instant(key.expires_at),
            "-" if key.revoked_at is None else instant(key.revoked_at), key.label,
        )
        for key in keys
    ]  # fmt: skip
    columns = ("id", "name", "role", "confined to", "made", "expires", "revoked", "label")
    return grid(columns, rows)
