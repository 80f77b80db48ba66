"""Sets are read as they are written, sampled fairly, and refused when they are none."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from lamina.bench.crossing import Origin, crossed
from lamina.bench.sets import load
from lamina.errors import InvalidInputError, NotFoundError
from tests.bench.small_sets import write


def test_packed_and_plain_files_are_sets_and_nothing_else_is(tmp_path: Path) -> None:
    found = load(write(tmp_path))
    assert [one.name for one in found] == ["garden", "harbour"]
    garden, kitchen = found[0].collections
    assert [one.name for one in (garden, kitchen)] == ["garden", "kitchen"]
    assert garden.questions[0].latest == {"d3"}
    assert not garden.questions[2].gold
    assert [one.session for one in garden.documents] == ["s 1", "s 1", "S 1!", None]


def test_times_without_a_zone_are_universal(tmp_path: Path) -> None:
    garden = load(write(tmp_path), ["garden"])[0].collections[0]
    assert garden.documents[0].timestamp == datetime(2024, 5, 1, tzinfo=UTC)
    assert garden.documents[1].timestamp == datetime(2024, 5, 2, 9, tzinfo=UTC)
    assert garden.newest == datetime(2024, 5, 3, 7, tzinfo=UTC)
    assert load(write(tmp_path), ["harbour"])[0].collections[0].newest is None


def test_a_sample_is_spread_over_the_stores_and_the_same_every_time(tmp_path: Path) -> None:
    garden = load(write(tmp_path), ["garden"])[0]
    two = garden.sampled(2)
    assert two.questions == 2
    assert two == garden.sampled(2)
    assert garden.sampled(None) is garden.sampled(99) is garden
    assert all(one.questions and one.documents for one in two.collections)


def test_a_folder_without_sets_and_an_unknown_set_are_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no sets"):
        load(tmp_path)
    with pytest.raises(NotFoundError, match="cannot be listed"):
        load(tmp_path / "missing")
    with pytest.raises(NotFoundError, match="no set 'attic'") as caught:
        load(write(tmp_path), ["attic"])
    assert "garden, harbour" in caught.value.remedy


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        '{"store": "a", "corpus": []}',
        '{"store": "a", "corpus": [{"id": "d1"}], "queries": []}',
        '{"store": "a", "corpus": [], "queries": [{"id": "q", "text": "?", "gold": ["d9"]}]}',
        '{"store": "a", "corpus": [{"id": "d", "text": "x"}, {"id": "d", "text": "y"}],'
        ' "queries": []}',
    ],
    ids=["no json", "no queries", "no text", "unknown gold", "an id twice"],
)
def test_what_is_no_set_is_refused_by_name(tmp_path: Path, line: str) -> None:
    (tmp_path / "odd.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"odd\.jsonl is no set"):
        load(tmp_path)


def test_a_store_is_asked_questions_of_others_and_never_its_own(tmp_path: Path) -> None:
    every = load(write(tmp_path))
    found = crossed(every[0], every, pairs=20)
    assert found == crossed(every[0], every, pairs=20)
    assert {one.origin for one in found} == {Origin.SAME_SET, Origin.OTHER_SETS}
    for one in found:
        own = {question.text for question in every[0].collections[one.store].questions}
        assert one.text not in own
    ferry = {one.text for one in found if one.origin is Origin.OTHER_SETS}
    assert ferry == {"When does the ferry leave?"}


def test_a_single_store_alone_has_nobody_to_ask(tmp_path: Path) -> None:
    harbour = load(write(tmp_path), ["harbour"])
    assert crossed(harbour[0], harbour) == []
