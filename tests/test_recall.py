"""Recall as a user meets it: by meaning, silent where nothing fits, explained either way."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import InvalidInputError, Memory
from lamina.testing import FakeEmbedder
from tests.places import STORES, where

FACTS = (
    "Caroline adopted a puppy from the animal shelter",
    "The build server runs Debian and has 64 GB of memory",
    "Deploys go out on Thursday afternoons after the review",
    "Our invoices are sent through the billing service in Dublin",
    "Marcus prefers window seats on long flights",
    "The database password rotates every ninety days",
)


@pytest.fixture(params=STORES)
def mem(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        project = opened.project("web")
        project.remember_many([{"text": text} for text in FACTS])
        yield project


def texts(found: lamina.Recall) -> list[str]:
    return [hit.record.text for hit in found.hits]


def test_meaning_is_found_without_a_common_word(mem: Memory) -> None:
    assert texts(mem.recall("who has a dog?", floor=0.0))[0] == FACTS[0]
    assert texts(mem.recall("travelling by plane", floor=0.0))[0] == FACTS[4]


def test_nothing_relevant_means_nothing_returned(mem: Memory) -> None:
    for query in ("the weather in Paris", "how do I bake bread", "capital of Mongolia"):
        found = mem.recall(query)
        assert found.abstained, texts(found)
        assert found.doubtful > 0
    assert texts(mem.recall("when do deploys go out?"))[0] == FACTS[2]


def test_a_score_is_a_probability_and_its_parts_add_up(mem: Memory) -> None:
    for hit in mem.recall("window seats on flights", floor=0.0).hits:
        assert 0 <= hit.score <= 1
        odds = math.fsum(hit.parts.values())
        assert hit.score == pytest.approx(1 / (1 + math.exp(-odds)))
    best = mem.recall("window seats on flights").hits[0]
    assert best.score > 0.5
    assert {"meaning", "coverage"} <= set(best.parts)


def test_a_floor_holds_for_every_hit(mem: Memory) -> None:
    found = mem.recall("database password", floor=0.3)
    assert found.hits
    assert all(hit.score >= 0.3 for hit in found.hits)
    mem_wide = mem.recall("database password", floor=0.0)
    assert len(mem_wide.hits) > len(found.hits)


def test_weights_choose_between_words_and_meaning(mem: Memory) -> None:
    mem.remember("zebra crossing")
    plain = mem.recall("zebra", floor=0.0, weights={"meaning": 0.0})
    assert "meaning" not in plain.hits[0].parts
    for wrong in ({"meaning": -1}, {"charm": 1.0}, {"words": True}, "words"):
        with pytest.raises(InvalidInputError, match="weights"):
            mem.recall("zebra", weights=wrong)  # type: ignore[arg-type]


def test_a_time_in_the_question_counts(mem: Memory) -> None:
    for day in ("2024-03-05", "2024-06-11"):
        mem.remember(f"met the auditors in room {day[-1]}", valid_from=f"{day}T10:00:00Z")
    found = texts(mem.recall("meeting with the auditors in March 2024", floor=0.0))
    assert found[0] == "met the auditors in room 5"
    found = texts(mem.recall("auditors last month", now="2024-07-10T00:00:00Z", floor=0.0))
    assert found[0] == "met the auditors in room 1"


def test_a_turn_that_answers_is_found_by_its_question(mem: Memory) -> None:
    said = ("Where did you go for your anniversary?", "Lisbon, and it was lovely", "How nice!")
    for text in said:
        mem.remember(text, layer="session", kind="user", scope="project/web/session/s1")
    found = texts(mem.recall("anniversary trip", layers=["session"], floor=0.0))
    assert said[1] in found[:2]
    assert said[0] not in texts(mem.recall("anniversary trip", floor=0.0))


def test_near_duplicates_stand_behind_the_best_of_them(mem: Memory) -> None:
    said = "The staging cluster is rebooted every Sunday night at 2 am"
    for text in (said, f"{said}.", said.upper(), f"({said})"):
        mem.remember(text)
    found = mem.recall("when is the staging cluster rebooted?")
    assert sum("staging cluster" in text.lower() for text in texts(found)) == 1
    assert found.repeated == 3


def test_a_budget_of_tokens_is_kept(mem: Memory) -> None:
    found = mem.recall("database password", floor=0.0, budget=25)
    assert found.hits
    assert sum(hit.record.tokens for hit in found.hits) <= 25


def test_what_does_not_fit_into_a_budget_is_not_denied(mem: Memory) -> None:
    mem.remember("the espresso machine is descaled monthly", key="espresso")
    found = mem.recall("espresso machine", budget=2)
    assert (found.hits, found.unfit, found.abstained) == ((), 1, False)
    missed = mem.why_not("espresso", "espresso machine", budget=2)
    assert (missed.rank, "budget" in missed.reasons[0]) == (None, True)


def test_no_unlikely_tail_unless_so_many_are_asked_for(mem: Memory) -> None:
    query = "when do deploys go out?"
    assert texts(mem.recall(query)) == [FACTS[2]]
    assert texts(mem.recall(query, k=4))[0] == FACTS[2]
    assert len(mem.recall(query, k=4).hits) == 4
    # Variety is no reason to show what is hardly likely.
    assert texts(mem.recall(query, k=4, diversity=1.0)) == [FACTS[2]]


def test_expired_records_are_left_out_and_counted(mem: Memory) -> None:
    mem.remember("the guest network is called heron", expires="1h")
    assert texts(mem.recall("guest network heron"))
    found = mem.recall("guest network heron", as_of=mem.cursor())
    assert found.expired == 0
    mem.remember("the guest network is called egret", key="net", expires="2020-01-01T00:00:00Z")
    found = mem.recall("guest network egret")
    assert "the guest network is called egret" not in texts(found)
    assert found.expired == 1


def test_why_not_says_what_kept_a_record_out(mem: Memory) -> None:
    kept = mem.remember("the espresso machine is descaled monthly", key="espresso")
    beaten = mem.why_not("espresso", "database password", k=1, floor=0.0)
    assert beaten.rank is None
    assert beaten.reasons
    assert beaten.score is not None
    found = mem.why_not("espresso", "espresso machine")
    assert (found.rank, found.reasons) == (1, ())
    layer = mem.why_not("espresso", "espresso machine", layers=["log"])
    assert "layer" in layer.reasons[0]
    mem.forget(kept.id)
    assert "forgotten" in mem.why_not(kept.id, "espresso machine").reasons[0]


def test_why_not_names_the_place_that_recall_gives(mem: Memory) -> None:
    for how in ({"k": 6}, {"k": 6, "diversity": 0.9, "floor": 0.0}):
        hits = mem.recall("the billing database", **how).hits
        for place, hit in enumerate(hits, 1):
            found = mem.why_not(hit.record.id, "the billing database", **how)
            assert (found.rank, found.reasons) == (place, ())


@pytest.mark.parametrize("place", STORES)
def test_why_not_does_not_claim_what_recall_never_saw(place: str, tmp_path: Path) -> None:
    with lamina.open(where(place, tmp_path / "store")) as mem:
        mem.configure("recall.embedder", "off")
        kept = mem.remember("the espresso machine is descaled monthly")
        mem.remember("the database password rotates")
        assert kept.id not in {hit.record.id for hit in mem.recall("database password", k=9).hits}
        missed = mem.why_not(kept.id, "database password", k=9)
        assert missed.rank is None
        assert "neither among the best by words" in missed.reasons[0]


def test_a_past_recall_can_be_replayed(mem: Memory) -> None:
    mem.remember("the mascot is an otter", key="mascot")
    then = mem.cursor()
    mem.remember("the mascot is a badger", key="mascot")
    assert texts(mem.recall("which animal is the mascot?"))[0] == "the mascot is a badger"
    past = mem.recall("which animal is the mascot?", as_of=then)
    assert texts(past)[0] == "the mascot is an otter"
    assert "meaning" in past.hits[0].parts


def test_an_agents_notebook_is_searched_by_meaning(mem: Memory, tmp_path: Path) -> None:
    with lamina.open(tmp_path / "notes") as opened:
        finn = opened.agent("finn", project="web")
        finn.remember("retry with backoff fixed the flaky upload", layer="notebook")
        finn.remember("the parser rejects tabs", layer="notebook")
        found = finn.recall("unreliable file transfer", layers=["notebook"], floor=0.0)
        assert texts(found)[0] == "retry with backoff fixed the flaky upload"
        gwen = opened.agent("gwen", project="web")
        assert gwen.recall("flaky upload", layers=["notebook"]).abstained


def test_experience_is_searched_with_categories_and_tags(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store", embedder=FakeEmbedder()) as opened:
        finn = opened.agent("finn", project="web")
        home = "project/web/agent/finn"
        for kind in ("pitfall", "pattern"):
            finn.remember(f"cache keys, a {kind}", kind=kind, tags=[f"lang:{kind}"], scope=home)
        found = finn.recall("cache keys", where={"kind": "pitfall"})
        assert [hit.record.kind for hit in found.hits] == ["pitfall"]
        found = finn.recall("cache keys", where={"tags": ["lang:pattern"]})
        assert [hit.record.kind for hit in found.hits] == ["pattern"]
        assert found.hits[0].record.created_at is not None


def test_sessions_are_searched_when_named_and_cold_memory_only_by_recall(mem: Memory) -> None:
    mem.remember("we spoke of the lighthouse", layer="session", kind="user",
                 scope="project/web/session/s9")  # fmt: skip
    assert mem.recall("lighthouse").abstained
    assert texts(mem.recall("lighthouse", layers=["session"]))
    assert all(record.layer != "session" for record in mem.query({"layer": "knowledge"}))
