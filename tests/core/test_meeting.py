"""Where two reaches meet: what both see, and no more, whatever one of them asks for."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from lamina.core.access import EVERYTHING, Grant, Reach
from lamina.core.layers import LAYERS

SCOPES = (
    "global", "project/web", "project/web/task/t", "project/web/agent/a", "project/webs",
    "project/web/agent/a/task/t", "user/ann",
)  # fmt: skip
GRANTS = st.builds(
    Grant,
    st.frozensets(st.sampled_from(sorted(LAYERS)), min_size=1),
    st.sampled_from([None, "project/web/task", *SCOPES]),
    st.booleans(),
)
REACHES = st.builds(Reach, st.lists(GRANTS, max_size=4).map(tuple))


@given(REACHES, REACHES)
def test_it_is_what_both_see_and_no_more(one: Reach, other: Reach) -> None:
    met = one.meeting(other)
    for scope, layer in product(SCOPES, LAYERS):
        both = one.covers(scope, layer) and other.covers(scope, layer)
        assert met.covers(scope, layer) is both
    for stream in ("global", "project/web", "user/ann"):
        both = one.sees_stream(stream) and other.sees_stream(stream)
        assert both or not met.sees_stream(stream)


@given(REACHES)
def test_a_reach_meets_itself_and_everything_as_itself(one: Reach) -> None:
    for met in (one.meeting(one), one.meeting(EVERYTHING), EVERYTHING.meeting(one)):
        for scope, layer in product(SCOPES, LAYERS):
            assert met.covers(scope, layer) is one.covers(scope, layer)
