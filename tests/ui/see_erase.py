"""Erasing, as a person does it: seen before, typed to confirm, and looked for afterwards."""

import json
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from lamina import Memory
from tests.ui.fixtures import show, signed_in
from tests.ui.serving import Server

SAID = "The staging database is called heron-nine"


def test_what_is_erased_is_shown_before_and_found_no_more(
    page: Page, memory: Memory, tmp_path: Path
) -> None:
    web = memory.project("web")
    found = web.remember("The staging database is called heron", key="staging-db").id
    web.remember(SAID, key="staging-db")
    told = web.remember(f"Otto wrote: {SAID}", layer="session").id
    show(page, "search?q=what+is+the+staging+database+called")
    expect(page.locator(".hit").first).to_contain_text("heron-nine")
    show(page, f"record/{found}")
    page.get_by_role("article").get_by_role("button", name="Erase").click()

    expect(page.get_by_role("region", name="This goes")).to_contain_text(SAID)
    expect(page.get_by_role("region", name="And with it")).to_contain_text("2 versions of its")
    stays = page.get_by_role("region", name="This stays")
    expect(stays).to_contain_text("1 other memory says the same, in conversations")
    sure = page.get_by_role("button", name="Erase for good")
    expect(sure).to_be_disabled()
    stays.get_by_role("button", name="Erase it too").click()
    expect(page.get_by_role("region", name="This goes")).to_contain_text("Otto wrote")
    page.get_by_label("to go on").fill("erase 2")
    sure.click()

    report = page.get_by_role("status").filter(has_text="Erased")
    expect(report).to_contain_text("adds up", timeout=30_000)
    expect(report).to_contain_text("Left behindnothing")
    expect(report).to_contain_text("no version is left; erased by")
    with page.expect_download() as kept:
        page.get_by_role("button", name="Save this report").click()
    saved = json.loads(Path(kept.value.path()).read_text(encoding="utf-8"))
    assert {*saved["records"]} == {found, told}
    assert saved["complete"]
    assert "heron" not in json.dumps(saved)

    page.get_by_role("link", name="See it in the feed").click()
    expect(page.locator(".vrow").first).to_contain_text("erased")
    show(page, "feed?action=erased")
    expect(page.locator(".vrow")).to_have_count(2)
    show(page, "feed")
    expect(page.locator(".vrow").nth(3)).to_contain_text("what it was is erased")
    # Also what this tab had been told before.
    expect(page.locator("main")).not_to_contain_text("heron-nine")
    show(page, "search?q=what+is+the+staging+database+called")
    expect(page.locator(".tally, .empty").first).to_be_visible()
    expect(page.locator(".hit", has_text="heron")).to_have_count(0)


def test_everything_somebody_said_is_chosen_at_once(page: Page, memory: Memory) -> None:
    gone = memory.agent("gus", project="web")
    gone.remember_many([{"text": f"Gus noted a thing, number {n}"} for n in range(12)])
    show(page, "erase")
    expect(page.get_by_text("Nothing is chosen yet")).to_be_visible()
    page.get_by_label("Said by").fill("gus")
    page.get_by_label("all 12").check()
    page.get_by_role("button", name="Show what erasing 12 memories touches").click()
    expect(page.get_by_role("region", name="This goes").get_by_role("listitem")).to_have_count(12)
    page.reload()
    expect(page.get_by_role("region", name="And with it")).to_contain_text("12 versions of their")
    page.get_by_label("to go on").fill("erase 12")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_role("status").filter(has_text="Erased")).to_contain_text(
        "Memories12", timeout=30_000
    )
    assert gone.count() == memory.agent("gus", project="web").count()
    assert memory.project("web").count({"source": "gus"}) == 0


def test_who_may_not_erase_is_told_so(browser: Browser, server: Server, memory: Memory) -> None:
    found = memory.project("web").get("session-store").id
    with signed_in(browser, server, allowed=("404",)) as page:
        show(page, f"erase/{found}/nothing-of-that-name")
        expect(page.get_by_role("alert")).to_contain_text("nothing-of-that-name")
        show(page, "erase?q=session-store")
        expect(page.locator(".pick", has_text="session-store").first).to_be_visible()
