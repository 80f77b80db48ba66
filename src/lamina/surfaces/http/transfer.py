"""Memories in and out as files: what other tools exported, and everything one may see."""

import asyncio
import functools
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, Literal

from fastapi import Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from lamina.clock import now
from lamina.core.permissions import Permission
from lamina.errors import InvalidInputError, UnauthenticatedError
from lamina.exchange import count_exported, exported
from lamina.exporting import Chosen
from lamina.memory import Memory
from lamina.surfaces.http import shapes
from lamina.surfaces.http.engine import Engine
from lamina.surfaces.http.importing import Asked, ImportStream, start, taken_in
from lamina.surfaces.http.routing import Called, Caller, Routes, engine_of
from lamina.surfaces.http.seeing import SeenProject
from lamina.surfaces.http.shapes import Question
from lamina.surfaces.http.spooling import spool

ROUTES = Routes("/api", tag="transfer")
_BLOCK: Final = 1 << 16
_STALLED_SECONDS: Final = 60.0
_ENDINGS: Final = {"jsonl": "jsonl", "markdown": "md", "server-memory": "jsonl", "mem0": "json"}
_FILE: Final = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class ExportStream(StreamingResponse):
    """A file as it is read, for as long as the client takes it."""

    def __init__(
        self, blocks: Iterator[bytes], end: Callable[[], None], headers: dict[str, str]
    ) -> None:
        super().__init__(blocks, headers=headers, media_type="application/octet-stream")
        self._end = end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; who takes nothing for a minute is cut off, and leaves room for the next."""

        async def sent(message: Message) -> None:
            async with asyncio.timeout(_STALLED_SECONDS):
                await send(message)

        try:
            await super().__call__(scope, receive, sent)
        except (TimeoutError, ClientDisconnect):
            return
        finally:
            self._end()


class Outgoing(Question):
    """What is exported, and how."""

    format: Literal["jsonl", "markdown", "server-memory", "mem0"] = Field(
        "jsonl", description="JSON lines hold everything; the others what stands now."
    )
    layers: str | None = Field(None, description="Only these layers, with commas between.")
    kinds: str | None = Field(None, description="Only these kinds, with commas between.")
    history: bool = Field(False, description="Every kept version; for JSON lines.")


class Incoming(Question):
    """What a file is, and how it is imported."""

    format: Literal[
        "auto", "lamina", "markdown", "basic-memory", "server-memory", "mem0", "chatgpt", "claude",
        "jsonl", "csv",
    ] = Field("auto", description="What it is, where the content does not tell.")  # fmt: skip
    name: str = Field("", max_length=300, description="What the file is called, for its ending.")
    scope: str | None = Field(None, description="Where the memories belong, if not at the root.")
    map: str | None = Field(None, description="Of rows: `text=note,id=number`.")
    dry_run: bool = Field(False, description="Only tell what would be done.")
    again: bool = Field(False, description="Also what was forgotten here by hand.")


@ROUTES.add("GET", "/export", Permission.READ, response_class=StreamingResponse)
async def export(
    request: Request, caller: Called, memory: SeenProject, asked: Annotated[Outgoing, Query()]
) -> StreamingResponse:
    """Everything that the caller can see, as a file; secrets leave as references, without values.

    The header `Lamina-Records` says how many memories it is about. One at a time for each key.
    """
    turns, key = engine_of(request).leaving, caller.identity.key
    await turns.wait(key, caller.limits.turn_seconds)
    try:
        return await run_in_threadpool(_leaving, engine_of(request), caller, memory, asked)
    except BaseException:
        turns.end(key)
        raise


def _leaving(engine: Engine, caller: Caller, memory: Memory, asked: Outgoing) -> StreamingResponse:
    chosen = Chosen(_listed(asked.layers), _listed(asked.kinds))
    if asked.history and asked.format != "jsonl":
        raise InvalidInputError("`history` is for JSON lines", remedy="Leave it out")
    lines = exported(memory, asked.format, chosen, history=asked.history)
    root = memory.principal.root
    about = "-".join(root.path.split("/")[1:]) if root else "memory"
    name = f"lamina-{about}-{now():%Y-%m-%d}.{_ENDINGS[asked.format]}"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Lamina-Records": str(count_exported(memory, chosen)),
    }
    blocks = _blocks(lines, _standing(engine, caller))
    end = functools.partial(engine.leaving.end, caller.identity.key)
    return ExportStream(blocks, end, headers)


@ROUTES.add("POST", "/import", Permission.WRITE, response_class=ImportStream,
            answers=shapes.ImportLine, openapi_extra=_FILE)  # fmt: skip
async def import_file(
    request: Request, caller: Called, memory: SeenProject, asked: Annotated[Incoming, Query()]
) -> ImportStream:
    """Take in a file: notes, other tools' memories and chats, or an export. It is the body.

    The answer comes in lines of JSON: how far it is, with the transactions that were written, and
    last what it came to, what went wrong, or that it was stopped. Who goes away stops it behind the
    batch that is being written; sent again, it goes on there, and nothing comes in twice.
    """
    engine = engine_of(request)
    how = Asked(asked.format, asked.scope, asked.dry_run, asked.again, _mapping(asked.map))
    await engine.turns.wait(caller.identity.key, caller.limits.turn_seconds)
    folder = Path(tempfile.mkdtemp(prefix="lamina-import-"))

    def tidy() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        engine.turns.end(caller.identity.key)

    try:
        file = await spool(request, caller.limits, folder, asked.name)
        telling = start(
            functools.partial(taken_in, memory, file, how), tidy, _standing(engine, caller)
        )
        engine.turns.works(caller.identity.key, telling.leave)
    except BaseException:
        tidy()
        raise
    await telling.begun()
    return ImportStream(telling)


@ROUTES.add("DELETE", "/import", Permission.WRITE, answers=shapes.Stopped)
def stop_import(request: Request, caller: Called) -> dict[str, bool]:
    """Stop the import of this key behind the batch that is being written; its answer says so."""
    return {"stopped": engine_of(request).turns.stop(caller.identity.key)}


def _listed(said: str | None) -> tuple[str, ...]:
    return tuple(one.strip() for one in (said or "").split(",") if one.strip())


def _mapping(said: str | None) -> dict[str, str]:
    pairs = [one.partition("=") for one in _listed(said)]
    for field, _, column in pairs:
        if not column:
            raise InvalidInputError(
                f"`map` is not FIELD=COLUMN: {field!r:.60}", remedy="Send map=text=note,id=number"
            )
    return {field.strip(): column.strip() for field, _, column in pairs}


def _standing(engine: Engine, caller: Caller) -> Callable[[], bool]:
    """Whether the key of a caller stands; a token that runs out meanwhile has done its work."""
    return functools.partial(engine.keys.still, replace(caller.identity, until=None))


def _blocks(lines: Iterable[str], still: Callable[[], bool]) -> Iterator[bytes]:
    """Lines in blocks, as one by one they would be mostly packaging; as long as they may be read.

    Raises:
        UnauthenticatedError: They may not be read any more; the answer is cut off.
    """
    block = bytearray()
    for line in lines:
        block += line.encode("utf-8", "surrogateescape") + b"\n"
        if len(block) >= _BLOCK:
            if not still():
                raise UnauthenticatedError("the key was revoked")
            yield bytes(block)
            block.clear()
    yield bytes(block)
