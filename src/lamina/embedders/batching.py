"""Texts of like length together, so that little is spent on padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray


def in_batches(
    numbers: Sequence[Sequence[int]],
    forward: Callable[[NDArray[np.intp], NDArray[np.bool_]], NDArray[np.float32]],
    *,
    dimensions: int,
    at_once: int,
) -> NDArray[np.float32]:
    """Run `forward` over padded batches of pieces and return its rows in the order given.

    Args:
        numbers: The pieces of each text, at least one.
        forward: From pieces and a mask of which are real to one row for each text.
        dimensions: How long a row is.
        at_once: How many pieces a batch may hold, padding included.
    """
    rows = np.empty((len(numbers), dimensions), np.float32)
    for batch in _batches(numbers, at_once):
        pieces = np.zeros((len(batch), len(numbers[batch[-1]])), np.intp)
        mask = np.zeros(pieces.shape, np.bool_)
        for row, place in enumerate(batch):
            pieces[row, : len(numbers[place])] = numbers[place]
            mask[row, : len(numbers[place])] = True
        rows[batch] = forward(pieces, mask)
    return rows


def _batches(numbers: Sequence[Sequence[int]], at_once: int) -> Iterator[list[int]]:
    batch: list[int] = []
    for place in sorted(range(len(numbers)), key=lambda place: len(numbers[place])):
        if batch and len(numbers[place]) * (len(batch) + 1) > at_once:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
