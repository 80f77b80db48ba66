"""A budget is shared out whole, and nobody gets more than it wants."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.shares import TIERS, USUAL, check_split, shared_out
from lamina.core.text import estimate_tokens
from lamina.errors import InvalidInputError
from lamina.paging.cutting import cut_to

WANTED = st.fixed_dictionaries({tier: st.integers(0, 10_000) for tier in TIERS})


def test_the_usual_shares() -> None:
    wanted = dict.fromkeys(TIERS, 10_000)
    assert shared_out(1_000, USUAL, wanted) == {"task": 400, "project": 400, "global": 200}


def test_what_one_does_not_need_goes_to_the_others() -> None:
    given = shared_out(1_000, USUAL, {"task": 0, "project": 900, "global": 50})
    assert given == {"task": 0, "project": 900, "global": 50}
    given = shared_out(1_000, USUAL, {"task": 100, "project": 9_000, "global": 9_000})
    assert given == {"task": 100, "project": 600, "global": 300}


@given(st.integers(0, 20_000), WANTED, st.lists(st.integers(0, 9), min_size=3, max_size=3))
def test_the_budget_is_kept_and_used(budget: int, wanted: dict[str, int], parts: list[int]) -> None:
    shares = check_split(dict(zip(TIERS, parts if any(parts) else [1, 1, 1], strict=True)))
    given_out = shared_out(budget, shares, wanted)
    assert sum(given_out.values()) <= budget
    assert all(0 <= given_out[tier] <= wanted[tier] for tier in TIERS)
    # Rounding costs less than a token for each tier.
    assert sum(given_out.values()) >= min(budget, sum(wanted.values())) - len(TIERS)


@pytest.mark.parametrize("split", ["40/40", "a/b/c", {"team": 1}, {"task": -1}, {}, 5, "0/0/0"])
def test_shares_that_are_none_are_refused(split: object) -> None:
    with pytest.raises(InvalidInputError, match="split"):
        check_split(split)


@given(st.text(max_size=2_000), st.integers(1, 200))
def test_a_text_that_is_cut_fits(text: str, most: int) -> None:
    found = cut_to(text, most, estimate_tokens)
    assert found is None or estimate_tokens(found) <= most


def test_head_and_tail_are_kept() -> None:
    text = "It began with a heron. " + "Nothing happened. " * 300 + "It ended with an owl."
    found = cut_to(text, 60, estimate_tokens)
    assert found is not None
    assert found.startswith("It began with a heron.")
    assert found.endswith("an owl.")
    assert "characters…]" in found
