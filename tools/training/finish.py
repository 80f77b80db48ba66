"""Turns a trained student into the file that ships: norms folded in, every matrix as int8 rows.

python -m training.finish FOLDER NAME VOCABULARY OUT.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from .quantise import quantised


def finish(folder: Path, name: str, vocabulary: bytes) -> dict[str, np.ndarray]:
    """The arrays of the shipped file; `lamina.embedders.native` says what each is."""
    with (
        np.load(folder / f"{name}.rest.npz") as rest,
        np.load(folder / f"{name}.table.npz") as table,
    ):
        state = {key: rest[key].astype(np.float32) for key in rest.files}
        arrays = {"table.rows": table["rows"], "table.scales": table["scales"]}
    shape = state["shape"].astype(np.int32)
    layers, width, heads = shape.tolist()
    arrays |= {
        "shape": shape,
        "vocabulary": np.frombuffer(vocabulary.rstrip(b"\n"), np.uint8),
        "positions": state["positions"].astype(np.float16),
        "static.weights": state["static_weight"].astype(np.float16),
        "pool": (state["pool.weight"][0] * state["last.weight"]).astype(np.float16),
    }
    matrices = {
        "leave": state["leave.weight"] * state["last.weight"],
        "static.leave": state["static_leave.weight"],
    }
    if "enter.weight" in state:
        matrices["enter"] = state["enter.weight"]
    for layer in range(layers):
        block = f"blocks.{layer}"
        attend = state[f"{block}.attend.weight"] * state[f"{block}.before_attention.weight"]
        attend[:width] /= np.sqrt(width // heads)
        matrices[f"{block}.attend"] = attend
        matrices[f"{block}.merge"] = state[f"{block}.merge.weight"]
        matrices[f"{block}.widen"] = (
            state[f"{block}.widen.weight"] * state[f"{block}.before_hidden.weight"]
        )
        matrices[f"{block}.narrow"] = state[f"{block}.narrow.weight"]
    for key, matrix in matrices.items():
        arrays[f"{key}.rows"], arrays[f"{key}.scales"] = quantised(matrix)
    return arrays


def main(folder: str, name: str, vocabulary: str, out: str) -> None:
    """Writes the file."""
    # Wheels are compressed anyhow, and a plain file is read five times faster.
    np.savez(out, **finish(Path(folder), name, Path(vocabulary).read_bytes()))


if __name__ == "__main__":
    main(*sys.argv[1:])
