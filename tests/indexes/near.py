"""Vectors for the tests."""

import importlib.util

import numpy as np
import pytest

from lamina.indexes.file import Array
from lamina.indexes.lance import LanceSegment
from lamina.indexes.vectors import VectorBatch, VectorSegment
from tests.indexes.making import SCOPES

WIDTH = 64
needs_lance = pytest.mark.skipif(
    importlib.util.find_spec("lancedb") is None, reason="there is no lancedb for this machine"
)
Engine = type[VectorSegment] | type[LanceSegment]
ENGINES = (VectorSegment, pytest.param(LanceSegment, marks=needs_lance))
KIND: dict[Engine, str] = {VectorSegment: "vectors", LanceSegment: "lance"}


def some_vectors(rows: int, seed: int = 3, clusters: int = 40) -> Array:
    generator = np.random.default_rng(seed)
    centres = generator.standard_normal((clusters, WIDTH))
    made = centres[generator.integers(0, clusters, rows)]
    made = made + 0.6 * generator.standard_normal((rows, WIDTH))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), "f4")


def beside(vectors: Array) -> Array:
    """Queries: vectors a little off those that are there."""
    moved = vectors + 0.05 * np.random.default_rng(5).standard_normal(vectors.shape)
    return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), "f4")


def a_batch(rids: list[int], seed: int = 3) -> VectorBatch:
    places = [(SCOPES[rid % len(SCOPES)], "log" if rid % 2 else "knowledge") for rid in rids]
    return VectorBatch(np.array(rids, "i8"), places, some_vectors(len(rids), seed))
