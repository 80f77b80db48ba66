"""What agents write stays theirs, whatever it looks like in a file that a person edits."""

import json
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import lamina
from lamina import LaminaError
from tests.files.desk import NOW, TASKS, WEB, Desk
from tests.files.test_pages import AWKWARD, TEXTS

AGENT = "projects/web/agents/finn/AGENT.md"
OWN = "projects/web/agents/finn/MEMORY.md"
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.sampled_from(AWKWARD), TEXTS,
    st.lists(st.sampled_from(("t-1", "TASK 1", "done", "---")), max_size=3),
)  # fmt: skip
KEYS = st.sampled_from(
    (None, "objective", "Objective", "Next Steps", "next_steps", "a  b", "# x", "x #", "untitled",
     "profile:identity", "profile:Rules", "identity", "**k**", "t-1", "TASK-7", "a/b", "^x", "é")
)  # fmt: skip
PLACES = st.sampled_from(
    (("knowledge", "fact"), ("knowledge", "Facts"), ("knowledge", "UPPER"), ("now", "note"),
     ("now", "profile"), ("now", "objective"), ("now", "next_steps"), ("task", "task"))
)  # fmt: skip
FIELDS = st.dictionaries(
    st.sampled_from(("section", "steps", "status", "priority", "blocked_by", "milestone", "id",
                     "created", "completed", "description", "acceptance", "acceptance_criteria")),
    ODD, max_size=4,
)  # fmt: skip
FRAMES = st.dictionaries(
    st.sampled_from(("front", "title", "sections", "order", "taken")),
    st.one_of(TEXTS, st.lists(TEXTS, max_size=3)), max_size=3,
)  # fmt: skip
RECORDS = st.lists(st.tuples(PLACES, KEYS, TEXTS, FIELDS), min_size=1, max_size=8)


def by_people(desk: Desk) -> set[str]:
    found = desk.mem.query(limit=1_000)
    return {one.text for one in found if one.trust.value == "user" and one.kind != "frame"}


def write(desk: Desk, place: tuple[str, str], key: str | None, said: dict[str, Any]) -> None:
    layer, kind = place
    try:
        desk.finn.remember(said["text"], layer=layer, kind=kind, key=key, data=said["data"])
        if layer != "now":
            desk.finn.remember(
                said["text"], layer=layer, kind=kind, key=key, data=said["data"],
                scope="project/web",
            )  # fmt: skip
    except LaminaError:
        pass


@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(RECORDS, FRAMES, FRAMES)
def test_a_person_who_adds_a_line_says_that_line_alone(
    tmp_path_factory: Any,
    drawn: list[tuple[tuple[str, str], str | None, str, dict[str, Any]]],
    around: dict[str, Any],
    beside: dict[str, Any],
) -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        desk = Desk(mem, tmp_path_factory.mktemp("files"))
        for place, key, text, data in drawn:
            write(desk, place, key, {"text": text, "data": data})
        for file, frame in (("NOW.md", around), ("MEMORY.md", beside), ("AGENT.md", around)):
            write(desk, ("now", "frame"), f"file:{file}", {"text": "x", "data": frame})
        desk.finn.remember("something", scope="project/web")
        desk.finn.remember("something")
        desk.finn.now.update("Ship it")
        desk.finn.task.add("t-0", "Parser")
        assert desk.sync().notices == []
        count = mem.count({"kind": {"$ne": "frame"}})
        for file in (WEB, OWN):
            desk.edit(lambda text: text + "- said by a person\n", file)
        for file in (NOW, AGENT):
            desk.edit(lambda text: text + "\n## Mine alone\n\nsaid by a person\n", file)
        desk.edit(_one_more_task, TASKS)
        report = desk.sync()
        assert (report.notices, report.asides, report.clashes) == ([], [], [])
        assert (report.added, report.changed, report.forgotten) == (5, 0, 0)
        assert by_people(desk) == {"said by a person"}
        assert mem.count({"kind": {"$ne": "frame"}}) == count + 5
        desk.sync()
        before = desk.snapshot()
        assert desk.sync().written == []
        assert desk.snapshot() == before


def _one_more_task(text: str) -> str:
    found = json.loads(text)
    found["tasks"].append({"id": "mine", "description": "said by a person"})
    return json.dumps(found)


def test_an_agent_cannot_write_an_entry_around_its_entries(desk: Desk) -> None:
    desk.finn.now.update("Ship it")
    frame = {
        "front": ["---", "", "## Objective", "forged", "revision: 1"],
        "title": "T\n## Mood\nx",
    }
    desk.finn.remember("x", layer="now", kind="frame", key="file:NOW.md", data=frame)
    desk.sync()
    desk.edit(lambda text: text + "\n## Mine\n\nfine\n", NOW)
    desk.sync()
    assert by_people(desk) == {"fine"}
    assert desk.finn.now.read().objective == "Ship it"


def test_a_line_that_is_carried_to_another_project_is_new_there(desk: Desk) -> None:
    desk.finn.remember("a fact about owls", scope="project/web")
    desk.mem.project("ops").remember("something else")
    desk.sync()
    line = next(one for one in desk.read().split("\n") if "owls" in one)
    desk.edit(lambda text: f"{text}{line}\n", "projects/ops/MEMORY.md")
    assert desk.sync().added == 1
    assert "a fact about owls" in desk.read("projects/ops/MEMORY.md")
    assert desk.texts() == ["a fact about owls"]


def test_a_line_with_the_id_of_another_sort_of_record_is_new(desk: Desk) -> None:
    logged = desk.finn.log.thought("as it was").id
    desk.finn.remember("something")
    desk.sync()
    desk.edit(lambda text: f"{text}- by a person ^{logged}\n", OWN)
    assert desk.sync().added == 1
    assert [one.text for one in desk.finn.log.tail()] == ["as it was"]
