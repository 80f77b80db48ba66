"""Matrices as int8 rows."""

from __future__ import annotations

import numpy as np


def quantised(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of int8 and the float16 scale of each row."""
    scales = np.maximum(np.abs(matrix).max(1) / 127, 1e-6).astype(np.float16)
    rows = np.round(matrix / scales.astype(np.float32)[:, None])
    return np.clip(rows, -127, 127).astype(np.int8), scales
