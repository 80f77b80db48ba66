"""Items are what the files say: no more, no less, and the same ones as long as they say it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina import Memory
from lamina.core.principal import Surface
from lamina.core.record import Record, Trust
from lamina.core.scope import Scope
from lamina.core.sealed import references
from lamina.errors import InvalidInputError, NotFoundError
from tests.extraction.conftest import NOTES
from tests.sources.trees import happened, write


def held(project: Memory) -> dict[str, Record]:
    return {str(one.data["title"]): one for one in project.item.query(limit=10_000)}


def stamps(project: Memory) -> dict[str, tuple[str, int]]:
    return {title: (one.id, one.rev) for title, one in held(project).items()}


def replaced(root: Path, file: str, change: Callable[[str], str]) -> None:
    write(root, {file: change((root / file).read_text())})


def test_an_item_says_what_where_and_how_sure(project: Memory, root: Path) -> None:
    report = project.item.extract(root)
    assert (report.files, report.added, report.expired, report.applied) == (2, 5, 0, True)
    assert report.kinds == {"decision": 1, "note": 1, "task": 3}
    task = held(project)["close the file"]
    assert (task.layer, task.kind, task.scope) == ("item", "task", "project/web")
    assert (task.text, task.data["file"], task.data["line"]) == ("close the file", "src/app.py", 2)
    assert (task.confidence, task.trust, task.source) == (0.95, Trust.FILE, "tree")
    assert task.key == "tree/src/app.py#task:close the file~1"
    assert task.data["extracted_at"].endswith("Z")


def test_the_same_bytes_twice_change_nothing(project: Memory, root: Path) -> None:
    project.item.extract(root)
    before = happened(project)
    report = project.item.extract(root)
    assert happened(project) == before
    assert (report.added, report.replaced, report.unchanged, report.expired) == (0, 0, 5, 0)
    assert report.kinds == {"decision": 1, "note": 1, "task": 3}


def test_lines_that_move_change_nothing_but_their_number(project: Memory, root: Path) -> None:
    project.item.extract(root)
    before = held(project)
    replaced(root, "plan.md", lambda text: "Words in front.\n\n" + text)
    report = project.item.extract(root)
    assert (report.added, report.replaced, report.expired) == (0, 4, 0)
    now = held(project)
    assert {one.id for one in now.values()} == {one.id for one in before.values()}
    assert now["Write the guide"].data["line"] == before["Write the guide"].data["line"] + 2
    assert now["Write the guide"].rev == 2
    assert now["close the file"].rev == 1


def test_an_edit_replaces_what_it_touches_alone(project: Memory, root: Path) -> None:
    project.item.extract(root)
    before = stamps(project)
    replaced(root, "plan.md", lambda text: text.replace("- [ ] Measure", "- [x] Measure"))
    report = project.item.extract(root)
    assert (report.replaced, report.unchanged) == (1, 4)
    after = stamps(project)
    assert held(project)["Measure the start"].data["done"] is True
    assert after.pop("Measure the start")[0] == before.pop("Measure the start")[0]
    assert after == before


def test_what_no_file_says_any_more_expires_and_comes_back(project: Memory, root: Path) -> None:
    project.item.extract(root)
    task = held(project)["Write the guide"]
    replaced(root, "plan.md", lambda text: text.replace("- [ ] Write the guide\n", ""))
    report = project.item.extract(root)
    assert (report.expired, report.unchanged) == (1, 4)
    assert "Write the guide" not in held(project)
    write(root, {"plan.md": NOTES})
    assert project.item.extract(root).added == 1
    assert held(project)["Write the guide"].id == task.id


def test_items_of_a_deleted_file_expire(project: Memory, root: Path) -> None:
    project.item.extract(root)
    (root / "plan.md").unlink()
    report = project.item.extract(root)
    assert (report.expired, report.files, report.kinds) == (4, 1, {"task": 1})
    assert set(held(project)) == {"close the file"}


def test_a_part_of_the_folder_leaves_the_rest_alone(project: Memory, root: Path) -> None:
    project.item.extract(root)
    (root / "plan.md").unlink()
    assert project.item.extract(root / "src").expired == 0
    assert len(held(project)) == 5


def test_a_folder_read_by_itself_first_is_not_said_twice(project: Memory, root: Path) -> None:
    project.item.extract(root / "src")
    assert held(project)["close the file"].key == "src/app.py#task:close the file~1"
    report = project.item.extract(root)
    assert (report.added, report.expired) == (5, 1)
    assert [one.data["root"] for one in project.item.query(type="task")] == ["tree"] * 3


def test_items_that_came_with_an_import_are_not_said_twice(project: Memory, root: Path) -> None:
    door = project.path_for(Surface.IMPORT)
    told: list[Any] = [
        {"layer": "item", "kind": "task", "text": text, "data": {"title": text, "file": file}}
        for text, file in (("Write the guide", "plan.md"), ("Something else", "elsewhere.md"))
    ]
    door.commit(door.puts(told, Scope.of("project/web")))
    report = project.item.extract(root)
    assert (report.added, report.expired) == (5, 1)
    assert held(project)["Write the guide"].data["line"] == 8
    assert "Something else" in held(project)


def test_a_renamed_file_keeps_its_items_under_the_new_name(project: Memory, root: Path) -> None:
    project.item.extract(root)
    project.item.remove(held(project)["Write the guide"].id)
    (root / "plan.md").rename(root / "todo.md")
    report = project.item.extract(root)
    assert (report.added, report.expired, report.kept_out) == (3, 3, 1)
    assert {one.data["file"] for one in held(project).values()} == {"todo.md", "src/app.py"}
    assert "Write the guide" not in held(project)


def test_duplicates_are_told_apart_by_their_order(project: Memory, root: Path) -> None:
    write(root, {"plan.md": "- [ ] Call Ann\n- [ ] Call Ann\n- [x] Call Ann\n"})
    project.item.extract(root)
    keys = sorted(str(one.key) for one in project.item.query(file="plan.md"))
    assert keys == [f"tree/plan.md#task:call ann~{n}" for n in (1, 2, 3)]


def test_what_a_hand_removed_stays_out_while_the_file_says_the_same(
    project: Memory, root: Path
) -> None:
    project.item.extract(root)
    receipt = project.item.remove(held(project)["Measure the start"].id)
    assert project.item.extract(root).unchanged == 4
    replaced(root, "plan.md", lambda text: "More words.\n\n" + text)
    report = project.item.extract(root)
    assert (report.kept_out, report.added, report.replaced) == (1, 0, 3)
    assert "Measure the start" not in held(project)
    replaced(root, "plan.md", lambda text: text.replace("- [ ] Measure", "- [x] Measure"))
    assert project.item.extract(root).added == 1
    assert held(project)["Measure the start"].id == receipt.id


def test_what_was_removed_comes_back_when_it_is_asked_for(project: Memory, root: Path) -> None:
    project.item.extract(root)
    receipt = project.item.remove(held(project)["Measure the start"].id)
    project.undo(receipt.tx)
    assert project.item.extract(root).unchanged == 5
    project.item.remove(receipt.id)
    assert project.item.extract(root, reread=True).added == 1
    assert held(project)["Measure the start"].id == receipt.id


def test_what_was_erased_stays_erased(project: Memory, root: Path) -> None:
    project.item.extract(root)
    erased = project.erase(held(project)["Measure the start"].id)
    assert erased.sources == (str(root / "plan.md"),)
    replaced(root, "plan.md", lambda text: "More words.\n\n" + text)
    assert project.item.extract(root).kept_out == 1
    assert "Measure the start" not in held(project)


def test_a_dry_run_tells_and_writes_nothing(project: Memory, root: Path) -> None:
    before = happened(project)
    report = project.item.extract(root, dry_run=True)
    assert (report.applied, report.added) == (False, 5)
    assert report.kinds == {"decision": 1, "note": 1, "task": 3}
    assert happened(project) == before
    assert held(project) == {}


def test_items_are_asked_for_by_type_file_and_text(project: Memory, root: Path) -> None:
    project.item.extract(root)
    [decision] = project.item.query(type="decision")
    assert decision.text.startswith("We chose SQLite")
    assert [one.kind for one in project.item.query(file="src")] == ["task"]
    assert project.item.query(file="sr") == []
    assert project.item.query(text="which database was chosen, SQLite?")[0].id == decision.id
    assert len(project.item.query(limit=2)) == 2
    with pytest.raises(InvalidInputError, match="`type` 'poem'"):
        project.item.query(type="poem")


def test_only_items_are_removed(project: Memory, root: Path) -> None:
    project.item.extract(root)
    kept = project.remember("something else")
    with pytest.raises(NotFoundError, match="`ids` names no item"):
        project.item.remove(kept.id)
    assert project.get(kept.id).state.value == "current"


def test_secrets_are_sealed_and_name_nothing(project: Memory, root: Path) -> None:
    secret = "ghp_" + "a8Fh2kLm9QwXz4Rt7Yv1Bn6Cd3Ge5Hj0Kp2S"
    write(root, {"plan.md": f"TODO: rotate the token {secret} today\n"})
    report = project.item.extract(root)
    assert report.sealed == 1
    [task] = project.item.query(file="plan.md")
    assert secret not in repr(task)
    assert references(task.text)
    assert secret.lower() not in str(task.key)
    before = happened(project)
    assert project.item.extract(root).unchanged == 2
    assert happened(project) == before


def test_progress_ends_at_one(project: Memory, root: Path) -> None:
    told: list[float] = []
    project.item.extract(root, on_progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_indexing_and_extracting_do_not_disturb_each_other(project: Memory, root: Path) -> None:
    project.item.extract(root)
    before = stamps(project)
    assert project.index(root).indexed == 3
    assert project.item.extract(root).unchanged == 5
    assert stamps(project) == before
    (root / "plan.md").unlink()
    assert project.item.extract(root).expired == 4
    assert project.index(root).removed == 1


def test_several_who_extract_at_once_end_with_the_same_items(tmp_path: Path, root: Path) -> None:
    write(root, {f"page{n}.md": f"- [ ] Task number {n}\n" for n in range(150)})
    stores = [lamina.open(tmp_path / "store") for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(one.project("web").item.extract, root, vectors=False) for one in stores]
        reports = [run.result() for run in runs]
    project = stores[0].project("web")
    found = project.item.query(limit=10_000)
    assert len(found) == len({one.key for one in found}) == 155
    assert sum(report.added for report in reports) == 155
    assert project.item.extract(root, vectors=False).unchanged == 155
    assert {one.rev for one in found} == {1}
    for one in stores:
        one.close()
