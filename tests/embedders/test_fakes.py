"""The embedders that tests use are themselves what the protocol asks for."""

import numpy as np
import pytest

from lamina.embedders.protocol import Embedder, Role
from lamina.testing import FakeEmbedder, FaultyEmbedder


@pytest.mark.parametrize("dimensions", [1, 3, 64, 700])
def test_rows_have_unit_length_whatever_the_text(dimensions: int) -> None:
    embedder: Embedder = FakeEmbedder(dimensions)
    texts = ["", " ", "a", "a b c", "\ud800", "naïve 中文", "x" * 1000]
    rows = embedder.embed(texts, Role.DOCUMENT)
    assert rows.shape == (len(texts), dimensions)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_texts_that_share_words_are_near() -> None:
    rows = FakeEmbedder(256).embed(
        ["deploy on Tuesday", "Tuesday: DEPLOY!", "green tea for Ann"], Role.DOCUMENT
    )
    alike, other = rows[0] @ rows[1], rows[0] @ rows[2]
    assert alike > 0.6
    assert abs(other) < 0.3


def test_the_same_text_gives_the_same_vector_everywhere() -> None:
    row = FakeEmbedder(8).embed(["hello"], Role.QUERY)[0]
    assert (row > 0).tolist() == [True, True, True, False, False, True, False, False]


def test_a_faulty_embedder_without_a_fault_changes_nothing() -> None:
    inner = FakeEmbedder()
    faulty: Embedder = FaultyEmbedder(inner)
    assert (faulty.fingerprint, faulty.dimensions) == (inner.fingerprint, inner.dimensions)
    np.testing.assert_array_equal(faulty.embed(["a"], Role.QUERY), inner.embed(["a"], Role.QUERY))
