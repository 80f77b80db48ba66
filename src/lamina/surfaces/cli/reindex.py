"""`lamina reindex`."""

from typing import TYPE_CHECKING, Final

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.marks import Grid, grid
from lamina.surfaces.cli.options import Command
from lamina.surfaces.cli.progress import progress
from lamina.surfaces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lamina.results import Reindexed

_PER_MILLE: Final = 1000


@click.command(cls=Command)
@click.option(
    "--embedder", metavar="SPEC", shell_complete=completing.embedders,
    help="Change to this embedder: lamina, static, minilm, ollama:MODEL, openai:MODEL or off.",
)  # fmt: skip
@pass_session
def reindex(session: Session, /, *, embedder: str | None) -> None:
    """Build the keyword index anew, and make missing vectors.

    With --embedder, every vector is made anew by that one, which takes over once all are there.
    Until then the one before answers. An embedder that does not answer is refused. Several may run
    at once: they share the work.
    """
    from lamina.surfaces import wire

    memory = session.handle if session.is_acting else session.unbound
    if embedder is not None:
        # Whoever may not do this is told so before any service is asked.
        memory.vectors()
        _try(embedder)
        memory.configure("recall.embedder", embedder)
    with progress(session, "Indexing", _PER_MILLE) as told:
        done = memory.reindex(on_progress=lambda share: told(int(share * _PER_MILLE)))
    if session.out.as_json:
        session.out.document(wire.reindexed_out(done))
    elif not session.out.quiet:
        session.out.show(_table(done))
    if done.vectors.error:
        left = done.vectors.refused or done.vectors.pending
        what = "Some texts were not taken" if left else "The embedder is not well"
        session.out.note(f"{what}: {done.vectors.error}")


def _try(spec: str) -> None:
    """Have one text embedded, so that a store is not left waiting for what does not answer."""
    from lamina.config import load_services
    from lamina.core.settings import EMBEDDER, check_setting
    from lamina.embedders.protocol import Role
    from lamina.embedders.registry import open_embedder

    embedder = open_embedder(check_setting(EMBEDDER, spec), load_services())
    if embedder is not None:
        # As a question it would have a moment only, and a model may have to be loaded first.
        embedder.embed(["memory"], Role.DOCUMENT)


def _table(done: "Reindexed") -> Grid:
    found = done.vectors
    rows = [("records indexed", f"{done.records:,}"), ("embedder", found.embedder)]
    if found.embedder != "off":
        rows += [
            ("vectors made", f"{found.made:,}"),
            ("vectors pending", f"{found.pending:,}"),
            ("texts refused", f"{found.refused:,}"),
            ("texts set aside", f"{found.set_aside:,}"),
            ("vectors in use", found.space or "none yet"),
        ]
    if found.next_space:
        rows.append(("to take over", found.next_space))
    return grid(("what", "result"), rows)
