"""Writes a student to arrays and reads it back: the table as int8, all else as float16."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from .quantise import quantised

if TYPE_CHECKING:
    from pathlib import Path

    from .model import Student


def save(student: Student, name: str, folder: Path) -> None:
    """Two files: NAME.table.npz and NAME.rest.npz."""
    state = {
        key: value.detach().float().cpu().numpy() for key, value in student.state_dict().items()
    }
    rows, scales = quantised(state.pop("table.weight"))
    np.savez_compressed(folder / f"{name}.table.npz", rows=rows, scales=scales)
    state["static_weight"] = np.exp(state["static_weight"])
    shape = [len(student.blocks), student.positions.shape[1], student.blocks[0].heads]
    halves = {key: value.astype(np.float16) for key, value in state.items()}
    np.savez_compressed(folder / f"{name}.rest.npz", shape=np.array(shape), **halves)
    torch.cuda.synchronize()


def load(student: Student, name: str, folder: Path) -> None:
    """Fills a student with what `save` wrote."""
    with (
        np.load(folder / f"{name}.rest.npz") as rest,
        np.load(folder / f"{name}.table.npz") as table,
    ):
        state = {key: rest[key].astype(np.float32) for key in rest.files if key != "shape"}
        state["table.weight"] = (
            table["rows"].astype(np.float32) * table["scales"].astype(np.float32)[:, None]
        )
    state["static_weight"] = np.log(np.maximum(state["static_weight"], 1e-7))
    student.load_state_dict({key: torch.tensor(value) for key, value in state.items()})
