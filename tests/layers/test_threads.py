"""Threads: a later session continues, cites and searches an earlier one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import ConflictError, InvalidInputError, Memory, NotFoundError
from tests.places import STORES, where


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


def three(finn: Memory) -> None:
    """Three sessions that continue one another, and one that has nothing to do with them."""
    finn.session("s-1").append("user", "the heron nests by the river", id="m-1")
    finn.session("s-2", continues="s-1").append("user", "count the heron eggs")
    finn.session("s-3", continues="s-2").append("assistant", "four heron eggs")
    finn.session("other").append("user", "a heron of another talk")


def test_a_thread_is_told_in_order(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    three(finn)
    again = whole.agent("finn", project="web").session("s-3")
    assert [one.name for one in again.thread()] == ["s-1", "s-2", "s-3"]
    assert [one.name for one in finn.session("s-1").thread()] == ["s-1"]
    said = [message.text for one in again.thread() for message in one.read()]
    assert said == ["the heron nests by the river", "count the heron eggs", "four heron eggs"]


def test_a_session_that_is_only_opened_shows_its_thread_and_keeps_nothing(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    three(finn)
    opened = finn.session("s-4", continues="s-3")
    assert [one.name for one in opened.thread()] == ["s-1", "s-2", "s-3", "s-4"]
    assert "s-4" not in finn.session.names()


def test_a_thread_is_searched_whole_and_nothing_beside_it(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    three(finn)
    last = finn.session("s-3")
    texts = {hit.record.text for hit in last.search("heron", thread=True, k=10).hits}
    assert texts == {"the heron nests by the river", "count the heron eggs", "four heron eggs"}
    assert [hit.record.text for hit in last.search("heron", k=10).hits] == ["four heron eggs"]
    users = last.search("heron", thread=True, k=10, where={"kind": "user"}).hits
    assert {hit.record.kind for hit in users} == {"user"}
    assert len(users) == 2


def test_no_session_continues_itself_by_whatever_way(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    three(finn)
    for earlier in ("s-1", "s-2", "s-3"):
        with pytest.raises(InvalidInputError, match="continue each other"):
            finn.session("s-1", continues=earlier)
    with pytest.raises(InvalidInputError, match="continue each other"):
        finn.session("s-1").append("user", "again", continues="s-3")


def test_circles_that_were_written_past_the_face_are_not_followed(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    three(finn)
    finn.remember("back", layer="session", kind="user", scope="project/web/agent/finn/session/s-1",
                  data={"continues": "s-3"})  # fmt: skip
    finn.remember("odd", layer="session", kind="user", scope="project/web/agent/finn/session/odd",
                  data={"continues": ["no", "name"]})  # fmt: skip
    assert [one.name for one in finn.session("s-3").thread()] == ["s-1", "s-2", "s-3"]
    assert [one.name for one in finn.session("odd").thread()] == ["odd"]


def test_what_cannot_be_continued_is_refused(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    three(finn)
    with pytest.raises(NotFoundError, match="nothing was said"):
        finn.session("s-9", continues="nowhere")
    with pytest.raises(NotFoundError, match="nothing was said"):
        maya.session("s-9", continues="s-1")
    with pytest.raises(ConflictError, match="continues 's-1' already"):
        finn.session("s-2", continues="other")
    finn.session("s-2", continues="s-1").append("user", "the same again is nothing new")
    assert [one.name for one in finn.session("s-2").thread()] == ["s-1", "s-2"]


def test_a_message_cites_earlier_ones(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    three(finn)
    last = finn.session("s-3")
    [second] = finn.session("s-2").read()
    receipt = last.append("assistant", "as said before", cites=["m-1", second.id])
    message = finn.get(receipt.outcomes[0].id)
    assert [one.text for one in last.cited(message)] == [
        "the heron nests by the river", "count the heron eggs",
    ]  # fmt: skip
    assert last.cited(second) == []
    for unknown in ("m-7", "0" * 26):
        with pytest.raises(NotFoundError, match="not known"):
            last.append("assistant", "as said before", cites=[unknown])
    with pytest.raises(NotFoundError, match="not known"):
        maya.session("s-1").append("assistant", "what finn said", cites=[second.id])
    with pytest.raises(InvalidInputError, match="`cites`"):
        last.append("assistant", "as said before", cites="m-1")
    whole.erase(second.id)
    assert [one.text for one in last.cited(message)] == ["the heron nests by the river"]


def test_a_step_with_a_bad_citation_is_not_kept_at_all(whole: Memory) -> None:
    finn = whole.agent("finn", project="web")
    three(finn)
    with pytest.raises(NotFoundError):
        finn.session("s-1").extend(
            [{"role": "user", "text": "one"}, {"role": "user", "text": "two", "cites": ["m-7"]}]
        )
    assert len(finn.session("s-1").read()) == 1
