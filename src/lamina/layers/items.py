"""Items: what the project's files say, read out of them and cited by file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Unpack, cast

from lamina.core.canonical import check_text
from lamina.errors import NotFoundError
from lamina.layers.face import PAGE, Face, only
from lamina.reading import check_limit

if TYPE_CHECKING:
    from pathlib import Path

    from lamina.core.changes import Receipt
    from lamina.core.record import Record
    from lamina.extraction import ExtractOptions
    from lamina.results import ExtractReport
    from lamina.sources.follow import Handle

_HELD: Final = ("current", "proposed")


class Items(Face):
    """The items of a project. Extraction alone writes them; anyone who may can take one out."""

    layer = "item"

    def extract(self, path: str | Path, **options: Unpack[ExtractOptions]) -> ExtractReport:
        """Read items out of the files at or below a path.

        Done again, it replaces what changed, leaves alone what did not, and takes away what no file
        says any more.
        """
        from lamina import extraction

        return extraction.extract(cast("Handle", self._door), path, self.scope, **options)

    def query(
        self,
        *,
        type: str | None = None,  # noqa: A002  # what users call it
        text: str | None = None,
        file: str | None = None,
        state: str = "current",
        limit: int = 100,
    ) -> list[Record]:
        """Items of a type, of a file or folder, or about something; else the newest first.

        With `text` the best match comes first. `state="proposed"` asks for what a model proposed.
        """
        where = only("state", state, "state")
        where |= {} if type is None else {"kind": self._kind(type, "type")}
        most = check_limit(limit)
        found = self._asked(text, where, most if file is None else PAGE)
        if file is not None:
            below = check_text(file, "file").rstrip("/") + "/"
            found = [one for one in found if f"{one.data.get('file')}/".startswith(below)]
        return found[:most]

    def remove(self, *ids: str) -> Receipt:
        """Take items out by hand; `undo` brings them back.

        They stay out while their files say the same.
        """
        for one in ids:
            if not self._find(1, **only("id", one or "", "ids"), state={"$in": list(_HELD)}):
                raise NotFoundError(f"`ids` names no item of `{self.scope}`: {one!r:.80}")
        return self._door.forget(*ids)

    def _asked(self, text: str | None, where: dict[str, Any], limit: int) -> list[Record]:
        if text is None:
            return self._find(limit, **where)
        here = {"scope": self.scope, **where}
        found = self._door.recall(
            check_text(text, "text"), layers=[self.layer], where=here, k=limit
        )
        return [hit.record for hit in found.hits]
