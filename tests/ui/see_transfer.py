"""Files in and out of the pages: looked at before, with progress, stopped, and taken back."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lamina import Memory
from tests.ui.fixtures import show

CARD = "Import"


@pytest.fixture(scope="module", autouse=True)
def words_alone(memory: Memory) -> None:
    """No vectors: they have nothing to do with this, and take a while for thousands."""
    memory.configure("recall.embedder", "off")


def rows(folder: Path, number: int, word: str = "kettle") -> Path:
    """An export of another tool with so many memories."""
    said = [
        {"id": f"{word}-{n}", "memory": f"Ann noted about the {word}, number {n}: " + "tea " * 60}
        for n in range(number)
    ]
    path = folder / f"{word}.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def test_two_thousand_memories_come_in_with_progress_and_go_again(
    page: Page, memory: Memory, tmp_path: Path
) -> None:
    before = memory.count()
    show(page, "transfer")
    card = page.get_by_role("region", name=CARD)
    page.evaluate(WATCH)
    card.get_by_label("File to import").set_input_files(rows(tmp_path, 2_000))
    expect(card).to_contain_text("This would come in", timeout=30_000)
    expect(card.locator(".tallies")).to_contain_text("new2,000")
    expect(card).to_contain_text("Mem0")
    assert memory.count() == before
    card.get_by_role("button", name="Import", exact=True).click()
    expect(card.get_by_role("status")).to_have_text("Imported", timeout=30_000)
    expect(card.locator(".tallies")).to_contain_text("new2,000")
    assert memory.count() == before + 2_000
    seen = page.evaluate("() => window.seenShares")
    assert len({*seen}) > 4
    show(page, "search?q=kettle+number+1999&layer=knowledge")
    expect(page.locator(".hit", has_text="number 1999").first).to_be_visible()
    # It is still there when one comes back.
    show(page, "transfer")
    card.get_by_role("button", name="Undo the import").click()
    expect(card.get_by_role("status")).to_have_text("Undone", timeout=30_000)
    assert memory.count() == before


def test_an_import_is_stopped_in_the_middle_and_goes_on(
    page: Page, memory: Memory, tmp_path: Path
) -> None:
    before = memory.count()
    show(page, "transfer")
    card = page.get_by_role("region", name=CARD)
    card.get_by_label("File to import").set_input_files(rows(tmp_path, 2_400, "printer"))
    card.get_by_role("button", name="Import", exact=True).click(timeout=30_000)
    expect(card.get_by_text("written. Closing this tab stops it")).to_be_visible()
    card.get_by_role("button", name="Stop").click()
    expect(card.get_by_role("status")).to_have_text("Stopped")
    expect(card).to_contain_text("Import it again to go on")
    assert 0 < memory.count() - before < 2_400
    card.get_by_role("button", name="Go on").click()
    expect(card.get_by_role("status")).to_have_text("Imported", timeout=60_000)
    assert memory.count() == before + 2_400
    # Also what was written before it was stopped.
    card.get_by_role("button", name="Undo the import").click()
    expect(card.get_by_role("status")).to_have_text("Undone", timeout=60_000)
    assert memory.count() == before


def test_what_cannot_be_taken_says_why(page: Page, tmp_path: Path) -> None:
    show(page, "transfer?from=lamina")
    card = page.get_by_role("region", name=CARD)
    (tmp_path / "mine.jsonl").write_text('{"id": "x"}\nnonsense\n', encoding="utf-8")
    card.get_by_label("File to import").set_input_files(tmp_path / "mine.jsonl")
    expect(card.locator(".tallies")).to_contain_text("cannot be taken2")
    expect(card.get_by_role("region", name="To look at")).to_contain_text("line 1")
    card.get_by_role("button", name="Another file").click()
    card.get_by_label("What it is").select_option("markdown")
    expect(card).to_contain_text("Each item and paragraph becomes knowledge")


def test_an_export_is_saved_and_holds_what_was_asked_for(page: Page, memory: Memory) -> None:
    show(page, "transfer?as=jsonl&layers=fact")
    card = page.get_by_role("region", name="Export")
    card.get_by_label("knowledge").check()
    with page.expect_download() as kept:
        card.get_by_role("button", name="Export").click()
    expect(card.get_by_role("status")).to_contain_text("Saved lamina-memory")
    assert "lmk_" not in kept.value.url
    lines = Path(kept.value.path()).read_text(encoding="utf-8").splitlines()
    layers = {json.loads(line)["layer"] for line in lines}
    assert layers <= {"fact", "knowledge"}
    assert len(lines) >= memory.count({"layer": {"$in": ["fact", "knowledge"]}})


WATCH = """
() => {
  window.seenShares = [];
  const note = () => {
    const bar = document.querySelector("progress");
    if (bar && bar.position > 0) window.seenShares.push(bar.value);
  };
  const all = {subtree: true, childList: true, attributes: true};
  new MutationObserver(note).observe(document.body, all);
}
"""
