"""Public memories: others may ask for what an agent has shared, and for nothing else of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import ForbiddenError, InvalidInputError, Memory, NotFoundError
from lamina.core.access import PUBLIC
from tests.places import STORES, where

LATER = "2100-01-01T00:00:00Z"


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


def shared(maya: Memory, text: str, **fields: object) -> str:
    record = maya.remember(text, **fields).outcomes[0].id  # type: ignore[arg-type]
    maya.public.share(record)
    return record


def test_another_agent_asks_for_what_was_shared(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    shared(maya, "herons nest by the river")
    shared(maya, "the heron fact", layer="fact", key="heron")
    maya.notebook("t-1").note("a heron note")
    [note] = maya.notebook("t-1").read()
    maya.public.share(note.id)
    found = finn.public.ask("maya", "where do herons nest?")
    assert [hit.record.text for hit in found.hits][0] == "herons nest by the river"
    assert {record.text for record in finn.public.of("maya")} == {
        "herons nest by the river", "the heron fact", "a heron note",
    }  # fmt: skip
    assert [record.layer for record in finn.public.of("maya", {"layer": "fact"})] == ["fact"]
    assert len(maya.public.mine()) == 3
    assert finn.public.mine() == []
    assert finn.public.ask("maya", "the price of herring in Bergen").abstained


def test_nothing_private_comes_along(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    for layer in ("knowledge", "fact", "notebook", "now", "log", "session", "blackboard"):
        maya.remember(f"canary heron in {layer}", layer=layer)
        # A tag alone makes nothing public in a layer that is never shared.
        if layer not in ("knowledge", "fact", "notebook"):
            maya.remember(f"canary heron tagged in {layer}", layer=layer, tags=[PUBLIC])
    maya.remember("canary heron at work", scope="project/web/agent/maya/task/t-1")
    shared(maya, "the one heron that is public")
    everything = ["knowledge", "fact", "notebook", "now", "log", "session", "blackboard"]
    answers: list[object] = [
        finn.public.ask("maya", "canary heron", k=100, floor=0.0, layers=everything),
        finn.public.ask("maya", "canary heron", k=100, floor=0.0, where={"text": {"$ne": "x"}}),
        finn.public.of("maya", limit=1000),
        finn.public.of("maya", {"state": {"$in": ["current", "archived", "forgotten"]}}),
        finn.public.of("maya", {"scope": "project/web/agent/maya"}),
        finn.public.mine(),
        finn.recall("canary heron", k=100, floor=0.0, layers=everything),
        finn.query({"tags": [PUBLIC]}),
        list(finn.changes()),
    ]
    assert "canary" not in repr(answers)
    assert len(finn.public.of("maya")) == 1
    # A plain recall shows not even what is public: others find it when they ask for it.
    assert finn.recall("heron", k=100).abstained


def test_what_is_private_moves_no_score(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    for n in range(5):
        shared(maya, f"heron number {n} eats fish by the river")

    def scores() -> list[tuple[str, float]]:
        asked = finn.public.ask("maya", "heron river trees", k=50, floor=0.0, now=LATER)
        return [(hit.record.id, hit.score) for hit in asked.hits]

    before = scores()
    assert len(before) == 5
    maya.remember_many([{"text": f"heron river trees {n}"} for n in range(300)])
    assert scores() == before


def test_editing_and_taking_back_follow_at_once(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    first, second = shared(maya, "herons nest by the river"), shared(maya, "herons eat fish")
    third = shared(maya, "herons sleep standing")
    maya.edit(first, "herons nest in trees")
    assert [hit.record.text for hit in finn.public.ask("maya", "where do herons nest?").hits][
        0
    ] == "herons nest in trees"
    maya.public.unshare(first)
    maya.forget(second)
    assert [record.text for record in finn.public.of("maya")] == ["herons sleep standing"]
    whole.erase(third)
    assert finn.public.of("maya") == []
    assert finn.public.ask("maya", "herons", k=10, floor=0.0).abstained
    assert maya.get(first).text == "herons nest in trees"
    shared(maya, "herons of a moment", expires="2001-01-01T00:00:00Z")
    assert finn.public.of("maya") == []


def test_a_new_value_under_the_key_is_private_until_it_is_shared(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    shared(maya, "by the river", key="nest")
    maya.remember("canary", key="nest")
    assert finn.public.of("maya") == []
    maya.public.share("nest")
    assert [record.text for record in finn.public.of("maya")] == ["canary"]
    before = maya.get("nest").rev
    maya.public.share("nest")
    assert maya.get("nest").rev == before


def test_projects_never_see_each_other(whole: Memory) -> None:
    maya = whole.agent("maya", project="web")
    shared(maya, "herons nest by the river")
    alone = whole.agent("maya")
    alone.remember("herons of maya alone", tags=[PUBLIC])
    for project in ("web2", "we", "web_"):
        stranger = whole.agent("finn", project=project)
        assert stranger.public.of("maya") == []
        assert stranger.public.ask("maya", "herons", floor=0.0).abstained
    with pytest.raises(ForbiddenError):
        whole.agent("finn").public.of("maya")
    with pytest.raises(InvalidInputError):
        whole.agent("finn", project="web").public.of("maya/task/t-1")
    assert [record.scope for record in whole.agent("finn", project="web").public.of("maya")] == [
        "project/web/agent/maya"
    ]


def test_only_ones_own_is_shared_and_a_skill_asks_nobody(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    record = shared(maya, "herons nest by the river")
    for call in (finn.public.share, finn.public.unshare):
        with pytest.raises(NotFoundError):
            call(record)
    with pytest.raises(NotFoundError):
        finn.reveal(record, "secret://" + "a" * 26)
    common = finn.remember("for everybody", scope="project/web").outcomes[0].id
    log = finn.log.thought("mine").outcomes[0].id
    for one in (common, log):
        with pytest.raises(InvalidInputError, match="cannot be made public"):
            finn.public.share(one)
    skill = whole.agent("tool", project="web", role="skill")
    for ask in (lambda: skill.public.of("maya"), lambda: skill.public.ask("maya", "heron")):
        with pytest.raises(ForbiddenError):
            ask()
    with pytest.raises(ForbiddenError):
        skill.public.mine()


def test_nobody_makes_something_public_in_the_name_of_another(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    box = "project/web/agent/maya/session/from-finn"
    finn.remember("maya says so", layer="notebook", scope=box, tags=[PUBLIC])
    assert maya.query({"scope": box}) != []
    assert whole.agent("vera", project="web").public.of("maya") == []
    assert maya.public.mine() == []
    with pytest.raises(InvalidInputError, match="cannot be made public"):
        maya.public.share(maya.query({"scope": box})[0].id)


def test_the_past_is_not_asked(whole: Memory) -> None:
    finn, maya = whole.agent("finn", project="web"), whole.agent("maya", project="web")
    shared(maya, "herons nest by the river")
    with pytest.raises(InvalidInputError, match="`as_of`"):
        finn.public.ask("maya", "herons", as_of=finn.cursor())
    with pytest.raises(InvalidInputError, match="`scope`"):
        finn.public.ask("maya", "herons", scope="project/web/agent/maya")


def test_meaning_counts_where_there_is_an_embedder() -> None:
    with lamina.open(":memory:") as mem:
        finn, maya = mem.agent("finn", project="web"), mem.agent("maya", project="web")
        shared(maya, "the tests take too long to run")
        found = finn.public.ask("maya", "our checks are slow", k=1)
        assert [hit.record.text for hit in found.hits] == ["the tests take too long to run"]
