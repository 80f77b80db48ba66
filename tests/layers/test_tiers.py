"""The three tiers by their own words, and what is promoted from one to the next."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import lamina
from lamina import ConflictError, ForbiddenError, InvalidInputError, Memory, NotFoundError
from tests.places import STORES, where


@pytest.fixture(params=STORES)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with lamina.open(where(request.param, tmp_path / "store")) as opened:
        opened.configure("recall.embedder", "off")
        yield opened


@pytest.fixture
def finn(whole: Memory) -> Memory:
    return whole.agent("finn", project="web")


def test_a_task_gathers_reasoning_and_tool_output_by_stage(finn: Memory) -> None:
    tier = finn.task_tier("t-1")
    tier.add_reasoning("a table is simpler", "design")
    tier.add_tool_output("grep", "3 hits", stage="design")
    tier.add_tool_output("pytest", {"failed": 3})
    tier.add_reasoning("tabs are the trouble", "debug")
    assert [one.text for one in tier.stage_outputs("design")] == ["a table is simpler", "3 hits"]
    assert tier.stage_outputs("ship") == []
    [output] = tier.read(kind="tool_output")[1:]
    assert (output.text, output.data["output"]) == ('{"failed":3}', {"failed": 3})
    assert {one.kind: one.importance for one in tier.read()} == {
        "reasoning": 0.5, "tool_output": 0.7,
    }  # fmt: skip
    assert finn.task_tier("t-2").read() == []
    assert finn.notebook("t-1").read() == tier.read()


def test_kinds_of_the_tiers_have_the_importance_of_the_design(whole: Memory) -> None:
    tier = whole.project("web").project_tier
    tier.add_decision("raw SQL")
    tier.add_convention("absolute imports", "python")
    tier.add_failure("deadlock in the pool", "one writer at a time")
    tier.add_pattern("retry with jitter", "network")
    tier.add_preference("short answers", "style")
    found = whole.project("web").knowledge.query()
    assert {one.kind: one.importance for one in found} == {
        "decision": 0.9, "convention": 0.8, "failure": 0.85, "pattern": 0.7, "preference": 0.9,
    }  # fmt: skip
    [failure] = whole.project("web").knowledge.query("failure")
    assert failure.text == "deadlock in the pool: one writer at a time"
    assert failure.data == {"failure": "deadlock in the pool", "lesson": "one writer at a time"}


def test_decisions_are_found_by_any_of_their_tags(whole: Memory, finn: Memory) -> None:
    tier = whole.project("web").project_tier
    tier.add_decision("raw SQL", ["db"])
    tier.add_decision("no ORM", ["db", "style"])
    tier.add_decision("dark mode", ["ui"])
    tier.add_convention("snake case", "db")
    assert [one.text for one in tier.query_decisions(["db"])] == ["no ORM", "raw SQL"]
    assert [one.text for one in tier.query_decisions(["style", "ui"])] == ["dark mode", "no ORM"]
    assert len(finn.project_tier.query_decisions()) == 3
    assert whole.project("shop").project_tier.query_decisions() == []


def test_what_is_said_again_stands_once(whole: Memory, finn: Memory) -> None:
    finn.project_tier.add_decision("raw SQL", ["db"])
    finn.project_tier.add_decision("raw SQL", ["style"])
    [one] = finn.project_tier.query_decisions()
    assert (one.tags, one.trust) == (("db", "style"), "agent")
    whole.project("web").project_tier.add_decision("raw SQL")
    [one] = finn.project_tier.query_decisions()
    assert (one.tags, one.trust) == (("db", "style"), "user")
    again = finn.project_tier.add_decision("raw SQL", ["db"])
    assert again.receipt.action == "unchanged"


def test_over_the_bound_the_least_important_tenth_goes_the_oldest_first(whole: Memory) -> None:
    web = whole.project("web")
    for number in range(10):
        web.knowledge.put("fact", f"f{number}", f"fact {number}", importance=0.3)
    for number in range(9):
        web.project_tier.add_decision(f"decision {number}")
    web.knowledge.put("fact", "f0", "fact 0, corrected", importance=0.3)
    web.knowledge.put("fact", "low", "not worth much", importance=0.1)
    assert web.project_tier(max_items=20).evict() is None
    added = web.project_tier(max_items=20).add_decision("one too many")
    assert added.eviction is not None
    assert added.eviction.receipt is not None
    # Two of 21: the lowest, then of the equals the one that nobody touched for longest.
    assert [one.key for one in added.eviction.records] == ["low", "f1"]
    assert web.knowledge.get("fact", "low") is None
    assert web.count({"layer": "knowledge"}) == 19
    web.undo(added.eviction.receipt.tx)
    assert web.count({"layer": "knowledge"}) == 21
    assert len(web.project_tier.query_decisions(limit=50)) == 10


def test_what_goes_is_what_sorting_everything_would_say(whole: Memory) -> None:
    web, dice = whole.project("web"), random.Random(7)
    for number in range(60):
        importance = dice.choice([0.1, 0.3, 0.3, 0.5])
        web.knowledge.put("fact", f"f{number}", f"fact {number}", importance=importance)
    every = sorted(web.knowledge.query(limit=100), key=lambda one: (one.importance, one.updated_at))
    for bound in (59, 50):
        gone = web.project_tier(max_items=bound).evict()
        assert gone is not None
        count = len(every) // 10
        assert list(gone.records) == every[:count]
        every = every[count:]


def test_who_adds_at_the_same_time_gets_no_error_for_what_another_evicts(whole: Memory) -> None:
    tier = whole.project("web").project_tier(max_items=20)

    def adding(who: int) -> int:
        return sum(
            tier.add_pattern(f"{who} {n}", "x").receipt.action == "created" for n in range(20)
        )

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(adding, range(4))) == 80
    while tier.evict():
        pass
    assert whole.project("web").count({"layer": "knowledge"}) <= 20


def test_the_bound_belongs_to_the_tier_and_to_one_project(whole: Memory) -> None:
    web, shop = whole.project("web"), whole.project("shop")
    shop.knowledge.put("fact", "k", "theirs", importance=0)
    for number in range(3):
        web.knowledge.put("fact", f"f{number}", f"fact {number}")
    added = web.project_tier(max_items=3).add_pattern("retry", "network")
    assert added.eviction is not None
    assert len(added.eviction.records) == 1
    assert shop.knowledge.get("fact", "k") is not None
    web.knowledge.put("fact", "f9", "the layer itself has no bound")
    assert web.count({"layer": "knowledge"}) == 4
    assert web.project_tier.max_items == 1_000
    for bad in (0, -1, True, "many"):
        with pytest.raises(InvalidInputError, match="max_items"):
            web.project_tier(max_items=bad)  # type: ignore[arg-type]


def test_an_agent_says_what_should_go_and_leaves_it_to_who_may(whole: Memory, finn: Memory) -> None:
    boss = whole.agent("boss", project="web", role="orchestrator")
    whole.project("web").knowledge.put("fact", "k", "the user's word", importance=0.1)
    due = finn.project_tier(max_items=1).add_pattern("retry", "network").eviction
    assert due is not None
    assert ([one.key for one in due.records], due.receipt) == (["k"], None)
    assert finn.knowledge.get("fact", "k") is not None
    done = boss.project_tier(max_items=1).evict()
    assert done is not None
    assert done.receipt is not None
    assert finn.knowledge.get("fact", "k") is None


def test_a_handle_of_no_project_has_no_project_tier(whole: Memory) -> None:
    with pytest.raises(InvalidInputError, match="no project"):
        whole.project_tier  # noqa: B018


def test_a_note_is_promoted_once_and_says_where_it_came_from(whole: Memory, finn: Memory) -> None:
    note = finn.notebook("t-1").tool_output("curl", "the API answers in XML", stage="probe")
    assert finn.task_tier("t-1").promote(note.id, kind="pitfall") is not None
    assert finn.task_tier("t-1").promote(note.id, kind="pitfall") is None
    [known] = finn.knowledge.query()
    assert (known.kind, known.text, known.source) == ("pitfall", "the API answers in XML", "finn")
    assert known.data["promoted"] == {
        "id": note.id, "layer": "notebook", "scope": "project/web/agent/finn/task/t-1",
        "source": "finn",
    }  # fmt: skip
    assert known.data["stage"] == "probe"
    assert [one.id for one in finn.notebook("t-1").read()] == [note.id]
    assert whole.project("shop").knowledge.query() == []


def test_promotion_adds_no_trust_and_keeps_the_author(whole: Memory, finn: Memory) -> None:
    web = finn.remember("seen on a page", layer="notebook", via="web")
    boss = whole.agent("boss", project="web", role="orchestrator")
    added = boss.project_tier.promote(web.id, kind="fact")
    assert added is not None
    known = boss.get(added.receipt.id)
    assert (known.trust, known.source) == ("web", "finn")


def test_a_corrected_note_promoted_again_corrects_its_knowledge(
    whole: Memory, finn: Memory
) -> None:
    tier = finn.task_tier("t-1")
    note = tier.note("the port is 80")
    tier.promote(note.id, kind="fact")
    finn.edit(note.id, "the port is 8080")
    tier.promote(note.id, kind="fact")
    [known] = finn.knowledge.query()
    assert (known.text, known.rev) == ("the port is 8080", 2)
    whole.edit(known.id, "the port is 443")
    for _ in range(2):
        tier.promote(note.id, kind="fact")
    [known] = finn.knowledge.query()
    assert known.text == "the port is 443"
    [waiting] = finn.knowledge.proposals()
    assert waiting.text == "the port is 8080"
    whole.accept(waiting.id)
    assert [one.text for one in finn.knowledge.query()] == ["the port is 8080"]


def test_where_review_is_asked_for_promotion_waits_once(whole: Memory, finn: Memory) -> None:
    whole.configure("knowledge.accept", "review")
    note = finn.notebook("t-1").note("tabs count as one")
    assert finn.task_tier("t-1").promote(note.id, kind="pitfall") is not None
    assert finn.task_tier("t-1").promote(note.id, kind="pitfall") is None
    assert finn.knowledge.query() == []
    [waiting] = finn.knowledge.proposals()
    whole.project("web").accept(waiting.id)
    assert [one.text for one in finn.knowledge.query()] == ["tabs count as one"]


def test_only_what_is_seen_can_be_promoted(whole: Memory, finn: Memory) -> None:
    theirs = whole.agent("maya", project="web").notebook("t-1").note("private")
    with pytest.raises(NotFoundError):
        finn.task_tier("t-1").promote(theirs.id, kind="fact")
    with pytest.raises(InvalidInputError, match="id"):
        finn.task_tier("t-1").promote(kind="fact")
    note = finn.notebook("t-1").note("mine")
    with pytest.raises(InvalidInputError, match="kind"):
        finn.task_tier("t-1").promote(note.id, kind="no kind")
    with pytest.raises(NotFoundError):
        finn.task_tier("t-1").promote(note.id, theirs.id, kind="fact")
    assert finn.knowledge.query() == []


def test_a_secret_stays_behind_when_its_note_is_promoted(whole: Memory, finn: Memory) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    note = finn.notebook("t-1").note(f"the token is {token}")
    [reference] = note.sealed
    finn.task_tier("t-1").promote(note.id, kind="fact")
    [known] = finn.knowledge.query()
    assert token not in repr(known)
    assert reference in known.text
    with pytest.raises(NotFoundError):
        whole.reveal(known.id, reference)


class Asked:
    """Somebody who is asked, and always answers the same."""

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.questions: list[str] = []

    def __call__(self, question: str) -> bool:
        self.questions.append(question)
        return self.answer  # type: ignore[return-value]  # what a careless caller gives back


def test_a_global_preference_asks_first(whole: Memory, finn: Memory) -> None:
    yes, no = Asked(True), Asked(False)
    assert whole.global_tier(confirm=no).add_preference("long answers", "style") is None
    assert whole.global_tier.query_preferences() == []
    assert whole.global_tier(confirm=yes).add_preference("short answers", "style", key="length")
    assert "short answers" in yes.questions[0]
    whole.global_tier(confirm=yes).add_preference("use fish", "tools")
    # What stands there already needs no second yes.
    assert whole.global_tier(confirm=no).add_preference("use fish", "tools") is not None
    assert len(no.questions) == 1
    tier = finn.global_tier
    assert [one.text for one in tier.query_preferences("style")] == ["short answers"]
    assert {one.text for one in tier.query_preferences()} == {"short answers", "use fish"}


def test_changing_a_global_preference_asks_and_shows_both(whole: Memory) -> None:
    yes, no = Asked(True), Asked(False)
    whole.global_tier(confirm=yes).add_preference("short answers", "style", key="length")
    assert whole.global_tier(confirm=no).add_preference("essays", "style", key="length") is None
    assert "short answers" in no.questions[0]
    assert "essays" in no.questions[0]
    whole.global_tier(confirm=yes).add_preference("two lines", "style", key="length")
    [one] = whole.global_tier.query_preferences()
    assert (one.text, one.rev) == ("two lines", 2)


def test_a_key_is_given_to_words_that_had_none(whole: Memory) -> None:
    tier = whole.global_tier(confirm=Asked(True))
    tier.add_preference("short answers", "style")
    tier.add_preference("short answers", "style", key="length")
    assert whole.knowledge.get("preference", "length") is not None


def test_a_yes_is_for_the_change_that_was_shown(whole: Memory) -> None:
    whole.global_tier(confirm=Asked(True)).add_preference("short", "style", key="length")

    def meanwhile(_: str) -> bool:
        whole.global_tier(confirm=Asked(True)).add_preference("medium", "style", key="length")
        return True

    with pytest.raises(ConflictError):
        whole.global_tier(confirm=meanwhile).add_preference("long", "style", key="length")
    assert [one.text for one in whole.global_tier.query_preferences()] == ["medium"]


def test_without_anybody_to_ask_a_preference_waits(whole: Memory) -> None:
    for _ in range(2):
        receipt = whole.global_tier.add_preference("short answers", "style")
    assert receipt is not None
    assert whole.global_tier.query_preferences() == []
    [waiting] = whole.knowledge.proposals()
    assert waiting.id == receipt.id
    # Somebody who can be asked says yes to what waits, rather than to a second one.
    assert whole.global_tier(confirm=Asked(True)).add_preference("short answers", "style")
    assert [one.id for one in whole.global_tier.query_preferences()] == [waiting.id]
    assert whole.knowledge.proposals() == []


def test_only_yes_or_no_is_an_answer(whole: Memory) -> None:
    for answer in ("no", None, 1):
        with pytest.raises(InvalidInputError, match="confirm"):
            whole.global_tier(confirm=Asked(answer)).add_preference("x", "style")
    assert whole.global_tier.query_preferences() == []


def test_global_patterns_need_no_consent(whole: Memory) -> None:
    no = Asked(False)
    for _ in range(2):
        whole.global_tier(confirm=no).add_pattern("retry with jitter", "network")
    assert no.questions == []
    [pattern] = whole.knowledge.query("pattern")
    assert (pattern.scope, pattern.importance) == ("global", 0.7)


def test_an_agent_changes_nothing_global(finn: Memory) -> None:
    yes = Asked(True)
    note = finn.notebook("t").note("mine")
    changes: list[Callable[[], object]] = [
        lambda: finn.global_tier(confirm=yes).add_preference("mine", "style"),
        lambda: finn.global_tier.add_preference("mine", "style"),
        lambda: finn.global_tier.add_pattern("mine", "style"),
        lambda: finn.global_tier.promote(note.id, kind="fact"),
    ]
    for change in changes:
        with pytest.raises(ForbiddenError):
            change()
    assert yes.questions == []


def test_promotion_to_everybody_is_explicit_and_asks_for_preferences(whole: Memory) -> None:
    web = whole.project("web")
    web.project_tier.add_pattern("retry with jitter", "network")
    added = web.project_tier.add_preference("short answers", "style")
    assert whole.knowledge.query() == []
    [pattern] = web.knowledge.query("pattern")
    for _ in range(2):
        whole.global_tier.promote(pattern.id, kind="pattern")
    [shared] = whole.knowledge.query()
    assert (shared.scope, shared.tags) == ("global", ("network",))
    assert shared.data["promoted"]["scope"] == "project/web"
    assert (
        whole.global_tier(confirm=Asked(False)).promote(added.receipt.id, kind="preference") is None
    )
    whole.global_tier.promote(added.receipt.id, kind="preference")
    assert whole.global_tier.query_preferences() == []
    assert [one.text for one in whole.knowledge.proposals()] == ["short answers"]


def test_what_two_projects_promote_under_one_key_stands_side_by_side(whole: Memory) -> None:
    for name, port in (("web", "8080"), ("shop", "9090")):
        project = whole.project(name)
        project.knowledge.put("fact", "port", port)
        [record] = project.knowledge.query()
        for _ in range(2):
            whole.global_tier.promote(record.id, kind="fact")
    found = {one.key: one.text for one in whole.knowledge.query()}
    assert found == {"port": "8080", "port (project/shop)": "9090"}


def test_clearing_global_memory_asks_and_can_be_undone(whole: Memory) -> None:
    whole.global_tier.add_pattern("retry with jitter", "network")
    whole.global_tier(confirm=Asked(True)).add_preference("short answers", "style")
    whole.global_tier.add_preference("this one waits", "style")
    web = whole.project("web")
    web.project_tier.add_decision("raw SQL")
    with pytest.raises(ForbiddenError, match="asking"):
        whole.global_tier.clear_all()
    assert whole.global_tier(confirm=Asked(False)).clear_all() is None
    yes = Asked(True)
    receipt = whole.global_tier(confirm=yes).clear_all()
    assert receipt is not None
    assert "all 3 records" in yes.questions[0]
    assert whole.knowledge.query() == []
    assert whole.knowledge.proposals() == []
    assert len(web.project_tier.query_decisions()) == 1
    whole.undo(receipt.tx)
    assert len(whole.knowledge.query()) == 2
