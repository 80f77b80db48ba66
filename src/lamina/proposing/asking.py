"""A model asked what some texts state: fenced in, so that nothing in them is taken for the task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lamina.core.sealed import hidden
from lamina.core.text import estimate_tokens
from lamina.fencing import Fence
from lamina.paging.echoes import without_echoes
from lamina.proposing.statements import LONGEST_TEXT, MOST, Asked, Piece, read
from lamina.sealing import scrub

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.core.chat import Message, Model
    from lamina.core.record import Record
    from lamina.layers.face import Door
    from lamina.proposing.statements import Statement

_TOKENS_AT_ONCE: Final = 6_000
_PIECES_AT_ONCE: Final = 60
_LONGEST_PIECE: Final = 6_000
_LONGEST_ANSWER: Final = 1_500
_FORM: Final = """\
{fenced}
Answer with a JSON list and nothing else: [] when there is nothing to say, else at most {most}
objects, each with exactly these fields, all of them text:
"kind": one of {kinds}
{key}"text": one short sentence in the language of the material, at most {longest} characters
"from": the name of the piece that says so, as {example}
"quote": the words of that piece that say so, copied exactly
State only what is said there. Leave out what is uncertain, private to a moment, or secret."""
_KEY: Final = '"key": a short name for it in lower case, the same whenever the same is meant\n'


@dataclass(frozen=True, slots=True)
class Task:
    """What a model is asked to look for."""

    words: str
    """What it is told, in a sentence or two."""
    kinds: tuple[str, ...]
    keyed: bool = False
    own: tuple[str, ...] = ()
    """Those of the kinds that only the words of people themselves are evidence for."""


def ask(model: Model, task: Task, pieces: Sequence[Piece]) -> tuple[list[Statement], list[str]]:
    """The statements that a model has read in some pieces, and why others were left out.

    Raises:
        UnreadableAnswerError: It answered something else.
        ModelError: It did not answer.
    """
    fence = Fence()
    shown = "\n".join(f"[{one.name}] {one.text}" for one in pieces)
    messages: list[Message] = [
        {"role": "system", "content": f"{task.words}\n{_form(task, fence, pieces[0].name)}"},
        {"role": "user", "content": fence.around(shown)},
    ]
    reply = model.chat(messages, max_tokens=_LONGEST_ANSWER)
    shown_by = {one.name: one for one in pieces}
    asked = Asked(shown_by, task.kinds, fence.secret, task.keyed, task.own)
    return read(reply.text, asked)


def _form(task: Task, fence: Fence, example: str) -> str:
    return _FORM.format(
        fenced=fence.words("material to read"), most=MOST, kinds=", ".join(task.kinds),
        key=_KEY if task.keyed else "", longest=LONGEST_TEXT, example=example,
    )  # fmt: skip


def pieces_of(door: Door, records: Iterable[Record]) -> Iterator[Piece]:
    """Records as a model is shown them, those with nothing to show left out.

    Each is looked at when its turn comes: a model that fails does not make anybody wait for all.
    """
    number = 0
    for one in records:
        text = fit_to_show(_own_words(door, one))
        if text.strip():
            number += 1
            yield Piece(f"m{number}", text, one)


def fit_to_show(text: str) -> str:
    """A text without its secrets, sealed ones and others, and not endless."""
    return hidden(scrub(text))[:_LONGEST_PIECE]


def _own_words(door: Door, record: Record) -> str:
    """What was said, less what a model only repeated from what memory had shown."""
    replied = (record.layer, record.kind) == ("session", "assistant")
    return without_echoes(door, record.text) if replied else record.text


def batches(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """As many pieces at a time as a small model can read."""
    batch: list[Piece] = []
    tokens = 0
    for piece in pieces:
        more = estimate_tokens(piece.text)
        if batch and (tokens + more > _TOKENS_AT_ONCE or len(batch) == _PIECES_AT_ONCE):
            yield batch
            batch, tokens = [], 0
        batch.append(piece)
        tokens += more
    if batch:
        yield batch
