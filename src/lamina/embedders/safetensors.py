"""Arrays from a safetensors file, mapped into memory and not copied."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lamina.errors import EmbedderError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_TYPES: Final = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}
_LONGEST_HEADER: Final = 16 << 20


def load_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Every array of a kind that numpy has, by name; they can only be read.

    Raises:
        EmbedderError: The file is missing, cut short or not of this format.
    """
    try:
        return _arrays(np.memmap(path, np.uint8, mode="r"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise EmbedderError(
            f"{path.name} cannot be read as weights", remedy="Install that model again"
        ) from None


def _arrays(content: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    size = int.from_bytes(content[:8].tobytes(), "little")
    if size > min(_LONGEST_HEADER, len(content) - 8):
        raise ValueError(size)
    described = json.loads(content[8 : 8 + size].tobytes())
    return {
        name: _array(content[8 + size :], entry)
        for name, entry in described.items()
        if name != "__metadata__" and entry["dtype"] in _TYPES
    }


def _array(content: NDArray[np.uint8], entry: Any) -> NDArray[Any]:
    start, end = entry["data_offsets"]
    if not 0 <= start <= end <= len(content):
        raise ValueError(end)
    plain = np.asarray(content[start:end])
    return plain.view(_TYPES[entry["dtype"]]).reshape(entry["shape"])
