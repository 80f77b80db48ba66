"""The weights that come with Lamina: one file for the transformer and for the static vectors.

Its arrays:

- `vocabulary`: the word pieces, one a line.
- `shape`: number of layers, width, number of attention heads.
- `table`: a row for each piece. Both embedders start from it.
- `positions`: added to a piece's row by its place in the text.
- `blocks.N.attend`, `.merge`, `.widen`, `.narrow`: the matrices of layer N.
- `pool`: how much each state counts towards its text.
- `leave`: from the pooled state to the vector.
- `static.weights`, `static.leave`: how much each piece counts, and from the sum to the vector.

A matrix `X` lies in the file as int8 rows `X.rows` with float16 scales `X.scales`, a row for each
output. What the norms and the attention multiply with is already in the matrices beside them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zipfile import BadZipFile

import numpy as np

from lamina.embedders.wordpiece import WordPiece
from lamina.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FILE: Final = Path(__file__).parent / "models" / "lamina-embed-1.npz"


@dataclass(frozen=True, slots=True)
class Layer:
    """The matrices of one layer, ready to be multiplied with from the right."""

    attend: Floats
    merge: Floats
    widen: Floats
    narrow: Floats


@dataclass(frozen=True, slots=True)
class Bundle:
    """The weights in memory; `digest` names the bytes they came from."""

    digest: str
    pieces: WordPiece
    table: NDArray[np.int8]
    scales: Floats
    positions: Floats
    layers: tuple[Layer, ...]
    heads: int
    pool: Floats
    leave: Floats
    static_weights: Floats
    static_leave: Floats

    def rows_of(self, numbers: NDArray[np.intp], scales: Floats) -> Floats:
        """The table's rows of these pieces, each times its scale."""
        rows = self.table[numbers].astype(np.float32)
        rows *= scales[numbers, None]
        return rows


@cache
def bundled() -> Bundle:
    """The weights that come with Lamina, read once.

    Raises:
        EmbedderError: The file is missing or broken.
    """
    return read(FILE)


def read(path: Path) -> Bundle:
    """The weights in a file.

    Raises:
        EmbedderError: The file is missing or broken.
    """
    try:
        raw = path.read_bytes()
        with np.load(BytesIO(raw), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        return _unpacked(arrays, hashlib.blake2b(raw, digest_size=8).hexdigest())
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise EmbedderError(
            f"Lamina's own weights cannot be read: {error!s:.100}", remedy="Install Lamina again"
        ) from None


def _unpacked(arrays: Mapping[str, NDArray[Any]], digest: str) -> Bundle:
    layers, _, heads = (int(number) for number in arrays["shape"])
    scales = arrays["table.scales"].astype(np.float32)
    return Bundle(
        digest=digest,
        pieces=WordPiece(arrays["vocabulary"].tobytes().decode("utf-8").split("\n")),
        table=arrays["table.rows"],
        scales=scales,
        positions=arrays["positions"].astype(np.float32),
        layers=tuple(
            Layer(*(_matrix(arrays, f"blocks.{layer}.{name}") for name in Layer.__slots__))
            for layer in range(layers)
        ),
        heads=heads,
        pool=arrays["pool"].astype(np.float32),
        leave=_matrix(arrays, "leave"),
        static_weights=arrays["static.weights"].astype(np.float32) * scales,
        static_leave=_matrix(arrays, "static.leave"),
    )


def _matrix(arrays: Mapping[str, NDArray[Any]], name: str) -> Floats:
    rows = arrays[f"{name}.rows"].astype(np.float32)
    rows *= arrays[f"{name}.scales"].astype(np.float32)[:, None]
    return np.ascontiguousarray(rows.T)
