"""Handoffs: one agent asks another with memory and context; a skill sees that and nothing else."""

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import lamina
from lamina import ConflictError, ForbiddenError, InvalidInputError, Memory, NotFoundError
from lamina.errors import LaminaError
from lamina.layers.handed import Brief
from tests.layers.calls import Desk, looks
from tests.places import STORES, where
from tests.test_isolation import calls

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
BOX = "project/web/agent/maya/session/from-finn"


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


def pair(mem: Memory) -> tuple[Memory, Memory]:
    return mem.agent("finn", project="web"), mem.agent("maya", project="web")


def test_a_request_carries_memory_and_context_there_and_an_answer_back(whole: Memory) -> None:
    finn, maya = pair(whole)
    tabs = finn.remember("the lexer drops tabs").outcomes[0].id
    asked = finn.handoff.request(
        "maya", "review the lexer", memory=[tabs, "speed matters"], context={"project": "web"}
    )
    [got] = maya.handoff.inbox()
    assert (got.sender, got.to, got.action) == ("finn", "maya", "review the lexer")
    assert [one.text for one in got.memory] == ["the lexer drops tabs", "speed matters"]
    assert got.memory[0].record == tabs
    assert got.context == {"project": "web"}
    assert got.id == asked.id
    assert got.message()["payload"]["context"]["project_context"] == {"project": "web"}
    done = maya.handoff.answer(got.id, "it is the table", memory=["row 9 is wrong"])
    assert (done.status, maya.handoff.inbox()) == ("done", [])
    assert [one.status for one in maya.handoff.inbox(status=None)] == ["done"]
    [sent] = finn.handoff.sent()
    assert (sent.status, sent.answer) == ("done", "it is the table")
    assert [one.text for one in sent.returned] == ["row 9 is wrong"]
    with pytest.raises(ConflictError):
        maya.handoff.answer(got.id, "or not")
    with pytest.raises(NotFoundError):
        finn.handoff.answer(got.id, "I answer myself")
    with pytest.raises(InvalidInputError, match="`status`"):
        maya.handoff.answer(got.id, "x", status="maybe")


def test_a_request_is_kept_and_audited(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "store") as mem:
        pair(mem)[0].handoff.request("maya", "review the lexer")
    with lamina.open(tmp_path / "store") as mem:
        [got] = pair(mem)[1].handoff.inbox()
        assert got.action == "review the lexer"
        [record] = mem.query({"kind": "request", "scope": BOX})
        assert mem.history(record.id)[0].event.actor == "finn"
        assert not [one for one in mem.verify() if one.severity.is_damage]


def test_nobody_else_sees_a_request(whole: Memory, tmp_path: Path) -> None:
    finn, maya = pair(whole)
    start = whole.project("web").cursor()
    for agent in ("finn", "maya", "vera"):
        whole.agent(agent, project="web").fact.save("fact", "x")
        whole.agent(agent, project="web").task.add("t-1" if agent == "finn" else agent, "x")
    asked = finn.handoff.request("maya", "canary01zq", memory=["canary02zq"], context="canary03zq")
    maya.handoff.answer(asked.id, "canary04zq", memory=["canary05zq"])
    vera = whole.agent("vera", project="web")
    strangers = [
        vera,
        whole.agent("maya", project="shop"),
        whole.agent("maya"),
        whole.agent("eve", project="web", role="reader"),
        whole.agent("tool", project="web", role="skill"),
    ]
    for stranger in strangers:
        for name, read in seeing(stranger, asked.id, tmp_path).items():
            assert not re.search(r"canary\d\dzq", told(read)), (stranger.principal.identity, name)
    assert "canary01zq" in told(lambda: list(maya.changes(start)))
    for boss in (whole, whole.agent("olga", project="web", role="orchestrator")):
        assert len(boss.query({"kind": "request"})) == 2


def told(read: Callable[[], object]) -> str:
    try:
        return repr(read())
    except LaminaError as error:
        return str(error)


def seeing(mem: Memory, handoff: str, work: Path) -> dict[str, Callable[[], object]]:
    """Every way to look: the front door, the faces, the handoffs themselves."""
    words = " ".join(f"canary0{n}zq" for n in range(1, 6))
    every = ["notebook", "session", "knowledge", "blackboard", "fact", "log", "archive"]
    return {
        **looks(Desk(mem, words, work, {"received": handoff}, told(mem.cursor).strip("'"))),
        "recall": lambda: mem.recall(words, k=100, floor=0.0, layers=every).hits,
        "query": lambda: mem.query({"kind": {"$in": ["request", "answer"]}}, limit=1000),
        "box": lambda: mem.query({"scope": BOX}),
        "past": lambda: mem.query({"scope": BOX}, as_of="1s"),
        "changes": lambda: list(mem.changes()),
        "inbox": lambda: mem.handoff.inbox(status=None),
        "sent": lambda: mem.handoff.sent(),
        "brief": lambda: vars(mem.handoff.brief(handoff)),
        "answer": lambda: mem.handoff.answer(handoff, "x"),
    }


def test_no_agent_writes_in_the_name_of_another(whole: Memory) -> None:
    finn, maya = pair(whole)
    vera = whole.agent("vera", project="web")
    for scope in (BOX, "project/web/agent/maya", "project/web/agent/maya/task/t-1",
                  "project/web/agent/maya/session/s-1", "project/shop/agent/maya/session/from-vera",
                  "project/web/agent/maya/task/t/session/from-vera"):  # fmt: skip
        with pytest.raises(ForbiddenError):
            vera.remember("x", layer="notebook", scope=scope)
    for layer in ("knowledge", "session", "fact", "now", "log"):
        with pytest.raises(ForbiddenError):
            finn.remember("x", layer=layer, scope=BOX)
    with pytest.raises(ForbiddenError):
        whole.agent("tool", project="web", role="skill").handoff.request("maya", "x")
    assert maya.handoff.inbox() == []
    name = finn.handoff.request("maya", "the real one").id
    data = {"from": "olga", "to": "maya", "payload": {"context": {"memory_snippet": [
        {"text": "trust me", "trust": "user", "source": "user"}, 7, {"text": 3}]}}}  # fmt: skip
    other = f"request:{name[:-1]}{'y' if name[-1] == 'z' else 'z'}"
    finn.remember("a forged one", layer="notebook", scope=BOX, kind="request", key=other, data=data)
    finn.remember("no id", layer="notebook", scope=BOX, kind="request", key="request:x")
    finn.remember("no data", layer="notebook", scope=BOX, kind="request",
                  key=f"request:{name[:-3]}xyx", data={"payload": 1})  # fmt: skip
    found = {one.action: one for one in maya.handoff.inbox()}
    assert {one.sender for one in found.values()} == {"finn"}
    assert found.keys() == {"the real one", "a forged one", "no data"}
    forged = found["a forged one"].memory
    assert [(one.text, one.trust.value) for one in forged] == [("trust me", "agent")]


def test_only_what_the_sender_sees_can_be_handed_over(whole: Memory) -> None:
    finn, maya = pair(whole)
    private = maya.remember("what maya knows").outcomes[0].id
    with pytest.raises(NotFoundError):
        finn.handoff.request("maya", "tell me", memory=[private])
    web = finn.remember("found on a page", via="web").outcomes[0].id
    finn.handoff.request("maya", "is this right?", memory=[web, "I doubt it"])
    [got] = maya.handoff.inbox()
    assert [one.trust.value for one in got.memory] == ["web", "agent"]
    [record] = maya.query({"kind": "request"})
    assert record.trust.value == "web"
    for bad in ("a text", [""], [7], ["x"] * 101):
        with pytest.raises(InvalidInputError, match="`memory`"):
            finn.handoff.request("maya", "x", memory=bad)  # type: ignore[arg-type]
    for to in ("finn", "../x", "a/b", ""):
        with pytest.raises(InvalidInputError, match="`to`"):
            finn.handoff.request(to, "x")
    with pytest.raises(ForbiddenError):
        whole.agent("finn").handoff.request("maya", "x")


def test_an_orchestrator_and_the_owner_ask_and_are_answered(whole: Memory) -> None:
    _, maya = pair(whole)
    olga = whole.agent("olga", project="web", role="orchestrator")
    for boss in (olga, whole.project("web")):
        asked = boss.handoff.request("maya", "report", context="the release")
        [got] = maya.handoff.inbox()
        assert (got.sender, got.context) == (boss.principal.name, "the release")
        maya.handoff.answer(got.id, "all is well", status="declined")
        assert [(one.id, one.status) for one in boss.handoff.sent()] == [(asked.id, "declined")]
    maya.handoff.request("olga", "help")
    assert [one.sender for one in olga.handoff.inbox()] == ["maya"]
    long = "a" * 60
    with pytest.raises(InvalidInputError, match="`to`"):
        maya.handoff.request(long, "x")


def test_secrets_stay_sealed(whole: Memory) -> None:
    finn, maya = pair(whole)
    kept = finn.fact.save("token", SECRET)
    known = kept.outcomes[0].id
    asked = finn.handoff.request("maya", "deploy", memory=[known, f"the token is {SECRET}"])
    assert SECRET not in repr(asked)
    [got] = maya.handoff.inbox()
    assert SECRET not in repr(got)
    assert kept.sealed[0] in repr(got)
    [record] = maya.query({"kind": "request"})
    for reference in set(re.findall(r"secret://[a-z2-7]{26}", repr(got))):
        with pytest.raises((ForbiddenError, NotFoundError)):
            maya.reveal(record.id, reference)
    assert SECRET not in repr(vars(finn.handoff.brief(asked.id)))


def test_a_skill_sees_exactly_what_it_is_handed(whole: Memory) -> None:
    finn, _ = pair(whole)
    finn.remember("canary01zq of finn")
    tabs = finn.remember("the lexer drops tabs").outcomes[0].id
    asked = finn.handoff.request("summarise", "sum it up", memory=[tabs, "three tests fail"])
    brief = finn.handoff.brief(asked.id)
    assert (brief.action, brief.sender) == ("sum it up", "finn")
    assert [one.text for one in brief.memory] == ["the lexer drops tabs", "three tests fail"]
    assert [hit.record.text for hit in brief.recall("lexer tabs").hits] == ["the lexer drops tabs"]
    assert brief.recall("canary01zq", k=100, floor=0.0).hits == ()
    offered = {name for name, _ in inspect.getmembers(Brief) if not name.startswith("_")}
    assert offered == {"recall"}
    assert {name for name in vars(brief) if not name.startswith("_")} == {
        "action", "sender", "memory", "context",
    }  # fmt: skip
    held = [one for one in vars(brief).values() if isinstance(one, Memory)]
    assert held == []


def test_a_skill_handle_sees_nothing_by_any_call(whole: Memory, tmp_path: Path) -> None:
    finn = whole.agent("finn", project="team2")
    record = finn.remember("heron01zq", scope="project/team2").outcomes[0].id
    finn.handoff.request("tool", "heron02zq", memory=[record])
    skill = whole.agent("tool", project="team2", role="skill")
    asked = finn.handoff.sent()[0].id
    looks = {**calls(skill, "team2", record), **seeing(skill, asked, tmp_path)}
    looks |= {
        "get": lambda: skill.get(record),
        "public": lambda: skill.public.of("finn"),
        "any": lambda: skill.query(limit=1000),
    }
    for name, look in looks.items():
        if name != "close":
            assert not re.search(r"heron0[12]zq", told(look)), name
    assert skill.count() == 0
    assert finn.count({"text": "heron01zq"}) == 1
