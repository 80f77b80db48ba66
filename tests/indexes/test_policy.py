"""Few segments, seldom rewritten, and no file deleted that somebody needs."""

from hypothesis import given
from hypothesis import strategies as st

from lamina.indexes import policy
from lamina.indexes.policy import OVERLAY, Size


def test_an_overlay_folds_by_what_it_holds_and_takes_away() -> None:
    assert not policy.folds(OVERLAY - 1)
    assert policy.folds(OVERLAY)
    assert policy.folds(0, gone=OVERLAY)


def test_growing_to_a_million_keeps_few_segments_and_rewrites_little() -> None:
    sizes: list[int] = []
    written = most = 0
    for _ in range(1000):
        sizes.append(OVERLAY)
        written += OVERLAY
        while (chosen := policy.merges([Size(size) for size in sizes])) is not None:
            sizes[chosen] = [sum(sizes[chosen])]
            written += sizes[-1]
        most = max(most, len(sizes))
    assert sum(sizes) == 1000 * OVERLAY
    assert most <= 8
    assert written <= 10 * sum(sizes)


@given(st.lists(st.builds(Size, st.integers(0, 9999), st.integers(0, 9999)), max_size=9))
def test_merging_ends(sizes: list[Size]) -> None:
    for _ in range(2 * len(sizes) + 1):
        chosen = policy.merges(sizes)
        if chosen is None:
            return
        merged = sizes[chosen]
        assert merged
        assert len(merged) > 1 or merged[0].is_worn
        sizes[chosen] = [Size(sum(size.living for size in merged))]
    raise AssertionError("merging goes on for ever")


def test_a_worn_segment_is_written_anew() -> None:
    assert policy.merges([Size(8000, 100), Size(1000)]) is None
    assert policy.merges([Size(8000, 3000), Size(1000)]) == slice(0, 1)
