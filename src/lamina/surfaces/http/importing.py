"""An import while it runs: a thread that works, and a client that is told how far it is.

Who goes away stops it behind the batch that is being written: what is in is whole, and the same
import goes on from there.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from lamina.errors import InvalidInputError, LaminaError, UnauthenticatedError
from lamina.exchange import import_lines
from lamina.importing import markdown
from lamina.importing.bringing import bring_opened, told_format
from lamina.importing.formats.opened import TornFileError, opened
from lamina.importing.formats.telling import LAMINA
from lamina.importing.sorting import Sort, sort_of
from lamina.surfaces.wire import error_out
from lamina.surfaces.wire_importing import import_out

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from typing import BinaryIO

    from starlette.types import Receive, Scope, Send

    from lamina.core.ids import RecordId
    from lamina.exchange import ImportOptions, ImportReport
    from lamina.importing import Brought, NotesReport
    from lamina.memory import Memory
    from lamina.surfaces.http.spooling import Spooled

_log: Final = logging.getLogger(__name__)
AUTO: Final = "auto"
_NOTES: Final = ("markdown", "basic-memory")
_LONGEST: Final = 16_000_000
"""Characters of one exported line; no record comes near."""
_PATIENCE_SECONDS: Final = 15.0
_STALLED_SECONDS: Final = 60.0
_STOPPED: Final[dict[str, Any]] = {"stopped": True}
_HEADERS: Final = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}


class AbandonedError(Exception):
    """Nobody waits for the import any more."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a file is to be imported."""

    form: str = AUTO
    scope: str | None = None
    dry_run: bool = False
    again: bool = False
    mapping: dict[str, str] = field(default_factory=dict)


class Telling:
    """How far an import is: written by the thread that works, read by the loop."""

    def __init__(self, still: Callable[[], bool]) -> None:
        self._still = still
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._gone = threading.Event()
        self._share = 0.0
        self._done: list[RecordId] = []
        self._end: dict[str, Any] | LaminaError | None = None

    def leave(self) -> None:
        """Nobody wants it any more: it ends behind the batch that is being written."""
        self._gone.set()

    def share(self, share: float) -> None:
        """So much of the file is done.

        Raises:
            UnauthenticatedError: Who sent it may not come in any more.
        """
        if not self._still():
            raise UnauthenticatedError(
                "the key was revoked", remedy="What came in before stands; the rest does not"
            )
        self._share = share
        self._tell()

    def committed(self, tx: RecordId) -> None:
        """A batch is written."""
        self._done.append(tx)

    def ended(self, end: dict[str, Any] | LaminaError) -> None:
        """It is over."""
        self._end = end
        self._tell(anyway=True)

    def _tell(self, *, anyway: bool = False) -> None:
        if self._gone.is_set() and not anyway:
            raise AbandonedError
        try:
            self._loop.call_soon_threadsafe(self._wake.set)
        except RuntimeError:
            # The loop has ended, and the server with it.
            if not anyway:
                raise AbandonedError from None

    async def begun(self) -> None:
        """Wait for the first word.

        Raises:
            LaminaError: It is that nothing can come of it.
        """
        await self._wake.wait()
        if isinstance(self._end, LaminaError) and not self._done:
            raise self._end

    async def lines(self) -> AsyncIterator[bytes]:
        """What to tell, until it is over."""
        told = 0
        while True:
            try:
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                # So that nobody in between takes the connection for dead.
                pass
            self._wake.clear()
            end, new = self._end, self._done[told:]
            told += len(new)
            yield _line({"progress": round(self._share, 4), "transactions": new})
            if end is not None:
                yield _line(_last(end))
                return


def _last(end: dict[str, Any] | LaminaError) -> dict[str, Any]:
    if isinstance(end, LaminaError):
        return error_out(end)
    return end if end is _STOPPED else {"report": end}


def _line(told: dict[str, Any]) -> bytes:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class ImportStream(Response):
    """How far an import is, line by line, and what it came to in the last one."""

    media_type = "application/x-ndjson"

    def __init__(self, telling: Telling) -> None:
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._telling = telling

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Tell until it is over, or the client goes."""
        gone = asyncio.ensure_future(_until_gone(receive, self._telling))
        try:
            start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(start)
            async for told in self._telling.lines():
                async with asyncio.timeout(_STALLED_SECONDS):
                    await send({"type": "http.response.body", "body": told, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            return
        finally:
            gone.cancel()
            self._telling.leave()


async def _until_gone(receive: Receive, telling: Telling) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
    telling.leave()


def start(
    work: Callable[[Telling], dict[str, Any]],
    after: Callable[[], None],
    still: Callable[[], bool],
) -> Telling:
    """Let a thread of its own do an import, as long as who sent it may.

    `after` happens when it has ended, however it did.
    """
    telling = Telling(still)

    def run() -> None:
        try:
            telling.ended(work(telling))
        except AbandonedError:
            telling.ended(_STOPPED)
        except LaminaError as error:
            telling.ended(error)
        except Exception as error:
            # Whatever it is, who waits is told.
            _log.error("an import failed", exc_info=error)
            telling.ended(LaminaError(f"the import failed: {type(error).__name__}"))
        finally:
            after()

    threading.Thread(target=run, name="lamina-import", daemon=True).start()
    return telling


def taken_in(memory: Memory, file: Spooled, asked: Asked, telling: Telling) -> dict[str, Any]:
    """Import a file as `lamina import` does, by the same functions."""
    try:
        return import_out(_report(memory, file, asked, telling))
    except TornFileError as error:
        raise InvalidInputError(str(error), remedy="Send the file again, whole") from None


def _report(
    memory: Memory, file: Spooled, asked: Asked, telling: Telling
) -> Brought | NotesReport | ImportReport:
    path = str(file.path)
    common: ImportOptions = {"dry_run": asked.dry_run, "on_commit": telling.committed}
    theirs: dict[str, Any] = {**common, "scope": asked.scope, "again": asked.again}
    if asked.form in _NOTES or (asked.form == AUTO and sort_of(path) is Sort.NOTES):
        return markdown(memory, path, known_as=file.digest, on_progress=telling.share, **theirs)
    with opened(path) as streams:
        form = told_format(streams, asked.mapping) if asked.form == AUTO else asked.form
        if form != LAMINA:
            return bring_opened(
                memory, streams, format=form, mapping=asked.mapping, on_progress=telling.share,
                **theirs,
            )  # fmt: skip
        if asked.scope or asked.again:
            raise InvalidInputError(
                "`scope` and `again` are for what others wrote; this says itself where it belongs",
                remedy="Leave them out",
            )
        one = streams[0]

        def read(lines: int) -> None:
            del lines
            telling.share(min(1.0, one.raw.done / one.size) if one.size else 0.0)

        return import_lines(memory, _lines(one.stream()), read, **common)


def _lines(stream: BinaryIO) -> Iterator[str]:
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape")
    while line := text.readline(_LONGEST):
        if len(line) == _LONGEST:
            raise InvalidInputError(f"a line has more than {_LONGEST:,} characters")
        yield line
