"""What an embedder says is checked, and a bad text is told from a bad embedder."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lamina.embedders.checking import checked
from lamina.embedders.protocol import Role
from lamina.embedders.separating import HARMLESS, embed_each
from lamina.errors import EmbedderError, EmbedderUnavailableError, InvalidInputError
from lamina.testing import FakeEmbedder, Fault, FaultyEmbedder

TEXTS = [f"text number {number}" for number in range(32)]


class Saying:
    """Answers with whatever it is given."""

    fingerprint = "saying"
    dimensions = 3
    is_local = True

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        return self.answer


def test_rows_are_brought_to_unit_length() -> None:
    rows = checked(Saying(np.array([[3.0, 4.0, 0.0], [0.0, 0.0, -2.0]]))).embed(
        ["a", "b"], Role.QUERY
    )
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, [[0.6, 0.8, 0.0], [0.0, 0.0, -1.0]], atol=1e-7)


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_very_small_and_very_large_vectors_have_a_direction(size: float) -> None:
    given = np.array([[3.0, 4.0, 0.0]], np.float32) * np.float32(size)
    np.testing.assert_allclose(checked(Saying(given)).embed(["a"], Role.QUERY), [[0.6, 0.8, 0]])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (np.ones((1, 3)), "1 vectors for 2 texts"),
        (np.ones((3, 3)), "3 vectors for 2 texts"),
        (np.ones((2, 4)), "4 dimensions instead of 3"),
        (np.ones(6), "1 axes"),
        (np.ones((2, 3, 1)), "3 axes"),
        (np.ones((2, 3), np.int64), "array of floats"),
        (np.full((2, 3), "a"), "array of floats"),
        ([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], "list"),
        (None, "NoneType"),
        (np.array([[1.0, 2.0, 3.0], [1.0, np.nan, 3.0]]), "not made of numbers"),
        (np.array([[1.0, 2.0, 3.0], [1.0, -np.inf, 3.0]]), "not made of numbers"),
        (np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]), "no length"),
    ],
)
def test_an_answer_that_is_wrong_is_refused(answer: Any, said: str) -> None:
    with pytest.raises(EmbedderError, match=said) as caught:
        checked(Saying(answer)).embed(["a", "b"], Role.DOCUMENT)
    assert caught.value.remedy


def test_no_texts_give_no_rows_and_ask_nobody() -> None:
    fake = FakeEmbedder(7)
    assert checked(fake).embed([], Role.DOCUMENT).shape == (0, 7)
    assert fake.calls == []


def test_one_text_that_is_not_in_a_list_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="`texts`"):
        checked(FakeEmbedder()).embed("text", Role.DOCUMENT)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault.DOWN, "down"),
        (Fault.SHORT, "31 vectors for 32"),
        (Fault.NAN, "not made of numbers"),
        (Fault.ZERO, "no length"),
        (Fault.WIDE, "128 dimensions instead of 64"),
        (Fault.CHANGED, "became another"),
        (Fault.ANGRY, "refuses"),
    ],
)
def test_every_fault_is_noticed_and_healing_is_too(fault: Fault, said: str) -> None:
    faulty = FaultyEmbedder(FakeEmbedder())
    embedder = checked(faulty)
    faulty.fault = fault
    with pytest.raises(EmbedderError, match=said):
        embedder.embed(TEXTS, Role.DOCUMENT)
    with pytest.raises(EmbedderError):
        embed_each(embedder, TEXTS, Role.DOCUMENT)
    faulty.fault = None
    assert embedder.embed(TEXTS, Role.DOCUMENT).shape == (32, 64)


def test_a_slow_embedder_answers_when_it_is_released() -> None:
    faulty = FaultyEmbedder(FakeEmbedder(), Fault.SLOW)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(faulty.embed(["a"], Role.QUERY)))
    thread.start()
    assert found == []
    faulty.release()
    thread.join(20)
    assert len(found) == 1


def test_a_good_batch_takes_one_call() -> None:
    fake = FakeEmbedder()
    found = embed_each(fake, TEXTS, Role.DOCUMENT)
    assert [call for call, _ in fake.calls] == [tuple(TEXTS)]
    assert (sorted(found.vectors), found.refused, found.untried) == (list(range(32)), {}, [])
    np.testing.assert_allclose(found.vectors[5], fake.embed([TEXTS[5]], Role.DOCUMENT)[0])


def test_no_texts_take_no_call() -> None:
    fake = FakeEmbedder()
    assert embed_each(fake, [], Role.DOCUMENT).vectors == {}
    assert fake.calls == []


@pytest.mark.parametrize("bad", [[0], [31], [3, 4], [0, 7, 19, 31]])
def test_bad_texts_stand_alone_and_the_others_are_embedded(bad: list[int]) -> None:
    texts = [f"{text} cursed" if place in bad else text for place, text in enumerate(TEXTS)]
    faulty = FaultyEmbedder(FakeEmbedder(), refuses="cursed")
    found = embed_each(faulty, texts, Role.DOCUMENT)
    assert sorted(found.refused) == bad
    assert all("refuses" in str(reason) for reason in found.refused.values())
    assert sorted(found.vectors) == [place for place in range(32) if place not in bad]
    assert found.untried == []


def test_the_number_of_calls_is_bounded_and_what_is_left_is_said() -> None:
    texts = [f"{text} cursed" for text in TEXTS]
    faulty = FaultyEmbedder(FakeEmbedder(), refuses="cursed")
    found = embed_each(faulty, texts, Role.DOCUMENT, calls=20)
    assert faulty.count <= 20
    assert found.refused
    assert found.untried
    assert sorted([*found.refused, *found.untried]) == list(range(32))


@pytest.mark.parametrize("fault", [Fault.DOWN, Fault.ANGRY, Fault.SHORT, Fault.NAN])
def test_an_embedder_that_fails_for_everything_blames_no_text(fault: Fault) -> None:
    faulty = FaultyEmbedder(FakeEmbedder(), fault)
    with pytest.raises(EmbedderError) as caught:
        embed_each(faulty, TEXTS, Role.DOCUMENT)
    assert caught.value.retryable == (fault is Fault.DOWN)
    assert faulty.count == 2


class Fainting(FakeEmbedder):
    """Is down for every text that is named, as often as it is named."""

    def __init__(self, faints: list[str]) -> None:
        super().__init__()
        self.faints = faints

    def embed(self, texts: Sequence[str], role: Role) -> Any:
        for text in texts:
            if text in self.faints:
                self.faints.remove(text)
                raise EmbedderUnavailableError("fainted")
        return super().embed(texts, role)


@pytest.mark.parametrize("faints", [1, 2, 4])
def test_a_short_outage_leaves_no_text_refused(faints: int) -> None:
    found = embed_each(Fainting([TEXTS[3]] * faints), TEXTS[:8], Role.DOCUMENT)
    assert sorted(found.vectors) == list(range(8))
    assert found.refused == {}


def test_a_text_that_brings_the_service_down_is_refused_for_now() -> None:
    found = embed_each(Fainting([TEXTS[3]] * 50), TEXTS[:8], Role.DOCUMENT)
    assert list(found.refused) == [3]
    assert found.refused[3].retryable


def test_a_service_that_goes_away_halfway_blames_no_text() -> None:
    embedder = Fainting([TEXTS[3]] * 50)
    embedder.faints += [HARMLESS]
    with pytest.raises(EmbedderUnavailableError):
        embed_each(embedder, TEXTS[:8], Role.DOCUMENT)
