"""What holds in every view alike: drafts wait, errors help, long things keep to their place."""

import json
import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from lamina import Memory
from lamina.tokens import Keys
from tests.ui.fixtures import PHONE, WIDE, show, signed_in
from tests.ui.serving import Server

LEAVING = """() => {
  const leaving = new Event('beforeunload', { cancelable: true });
  dispatchEvent(leaving);
  return leaving.defaultPrevented;
}"""


def test_what_is_typed_waits_while_one_looks_elsewhere(page: Page, memory: Memory) -> None:
    kept = memory.project("web").get("errors", layer="knowledge")
    show(page, f"knowledge/{kept.id}")
    panel = page.get_by_role("article", name="Memory")
    panel.get_by_role("button", name="Edit", exact=True).click()
    assert not page.evaluate(LEAVING)
    panel.get_by_label("Text").fill("Every error has a code")
    assert page.evaluate(LEAVING)
    show(page, "feed")
    expect(page.get_by_role("heading", name="Feed")).to_be_visible()
    page.go_back()
    expect(panel.get_by_label("Text")).to_have_value("Every error has a code")
    panel.get_by_role("button", name="Cancel").click()
    assert not page.evaluate(LEAVING)
    expect(panel.locator(".said")).to_have_text(kept.text)
    # A dialog that was closed by a click beside it keeps what was written, until it is added.
    show(page, "knowledge?add=1")
    form = page.get_by_role("dialog", name="Add a memory")
    form.get_by_label("Text").fill("Half a thought")
    page.mouse.click(5, 5)
    expect(form).to_have_count(0)
    page.get_by_role("button", name="Add a memory").click()
    expect(form.get_by_label("Text")).to_have_value("Half a thought")
    form.get_by_role("button", name="Add").click()
    expect(page.locator(".toast", has_text="Added")).to_be_visible()
    assert not page.evaluate(LEAVING)


def test_the_feed_leaves_sign_ins_to_who_asks_for_them(page: Page) -> None:
    show(page, "feed")
    expect(page.locator(".vrow").first).to_be_visible()
    expect(page.locator(".vrow", has_text="is signed in")).to_have_count(0)
    page.get_by_label("Layer").select_option("access")
    expect(page.locator(".vrow", has_text="is signed in").first).to_be_visible()


def test_erasing_finds_what_is_meant_and_not_what_is_nearest(page: Page) -> None:
    show(page, "erase?q=redis")
    found = page.locator(".pick")
    expect(found.first).to_be_visible()
    for said in found.all_inner_texts():
        assert re.search("redis", said, re.IGNORECASE), said


def test_a_memory_that_is_not_there_says_so_in_a_sentence(browser: Browser, server: Server) -> None:
    with signed_in(browser, server, allowed=("404",)) as page:
        show(page, "record/nothing-like-it")
        trouble = page.get_by_role("article", name="Memory").get_by_role("alert")
        expect(trouble.locator("strong")).to_have_text(re.compile(r"^[A-Z].*\.$"))
        # It will not be there the next time either.
        expect(trouble.get_by_role("button")).to_have_count(0)


def test_a_long_value_keeps_to_its_row(browser: Browser, server: Server, memory: Memory) -> None:
    memory.agent("finn", project="web").blackboard.publish("long:value", "z" * 5_000)
    with signed_in(browser, server, viewport=PHONE, has_touch=True) as page:
        show(page, "board")
        row = page.get_by_role("row").filter(has_text="long:value")
        expect(row).to_be_visible()
        box = row.bounding_box()
        assert box is not None
        assert box["height"] < 120
        clear = row.get_by_role("button", name="Clear").bounding_box()
        assert clear is not None
        assert clear["height"] < 30


def test_a_signal_goes_to_no_project_that_nobody_chose(page: Page, memory: Memory) -> None:
    show(page, "board")
    page.get_by_role("button", name="Publish…").click()
    form = page.get_by_role("dialog", name="Publish a signal")
    expect(form.get_by_label("Project")).to_have_value("")
    form.get_by_label("Key").fill("chosen:by:nobody")
    form.get_by_label("Value").fill("1")
    form.get_by_role("button", name="Publish").click()
    expect(form).to_be_visible()
    form.get_by_label("Project").select_option("web")
    form.get_by_role("button", name="Publish").click()
    expect(form).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="chosen:by:nobody")).to_be_visible()


def test_what_goes_wrong_in_a_dialog_is_said_in_it(
    browser: Browser, server: Server, memory: Memory
) -> None:
    with signed_in(browser, server, allowed=("status of 4",)) as page:
        show(page, "board")
        page.get_by_role("button", name="Publish…").click()
        form = page.get_by_role("dialog", name="Publish a signal")
        form.get_by_label("Project").select_option("web")
        form.get_by_label("Key").fill("said:in:it")
        form.get_by_label("Value").fill("1")
        form.get_by_label("Stands for").fill("9999999999w")
        form.get_by_role("button", name="Publish").click()
        # Whatever is outside of a dialog cannot be reached while it is open.
        wrong = form.get_by_role("alert").filter(has_text="9999999999w")
        expect(wrong).to_be_visible()
        expect(page.locator(".toasts")).to_have_count(1)
        wrong.get_by_role("button", name="Dismiss").click()
        expect(wrong).to_have_count(0)
        form.get_by_label("Stands for").fill("2h")
        form.get_by_role("button", name="Publish").click()
        expect(form).to_have_count(0)
    assert memory.project("web").blackboard.read("said:in:it") is not None


def test_who_signs_in_next_finds_nothing_of_who_was_there(
    browser: Browser, server: Server, memory: Memory, tmp_path: Path
) -> None:
    key = Keys(memory).create("next", "admin").text
    file = tmp_path / "mine.json"
    file.write_text(json.dumps([{"id": "m-1", "memory": "The kettle is mine"}]), encoding="utf-8")
    with signed_in(browser, server) as page:
        show(page, "transfer")
        page.get_by_label("File to import").set_input_files(file)
        expect(page.get_by_text("This would come in")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_label("Key").fill(key)
        page.get_by_role("button", name="Sign in").click()
        show(page, "transfer")
        expect(page.get_by_label("File to import")).to_be_attached()
        expect(page.get_by_text("This would come in")).to_have_count(0)


def test_who_only_reads_is_offered_nothing_else(browser: Browser, server: Server) -> None:
    with server.memory() as memory:
        key = Keys(memory).create("rolf", "reader", project="web").text
    page = browser.new_context(viewport=WIDE).new_page()
    page.goto(server.url)
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector(".shell")
    for place, seen, offered in (
        ("board", "build:web:status", ("Publish…", "Clear")),
        ("tasks/t-4", "Make invoices idempotent", ("blocked", "dropped")),
        ("agents/project%2Fweb%2Fagent%2Fmira", "Only the agent itself", ("Steer",)),
        ("erase", "Your key only reads", ("Erase for good",)),
        ("transfer", "Your key only reads", ("Import",)),
    ):
        show(page, place)
        expect(page.get_by_role("main").get_by_text(seen).first).to_be_visible(timeout=10_000)
        for name in offered:
            expect(page.get_by_role("main").get_by_role("button", name=name)).to_have_count(0)
    expect(page.get_by_role("button", name="Export")).to_be_visible()
    page.context.close()


def test_every_view_goes_on_by_itself_when_the_server_is_back(
    browser: Browser, server: Server
) -> None:
    refused = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION_RESET")
    with signed_in(browser, server, allowed=refused) as page:
        views = {"search?q=redis": ".hit", "knowledge": ".vrow", "review": ".case"}
        tabs = [page, *(page.context.new_page() for _ in range(len(views) - 1))]
        for tab in tabs[1:]:
            tab.goto(server.url)
        for tab in tabs:
            expect(tab.locator(".standing.live")).to_be_visible(timeout=30_000)
        server.kill()
        for tab, place in zip(tabs, views, strict=True):
            show(tab, place)
            expect(tab.locator(".trouble").first).to_be_visible()
        server.start()
        for tab, seen in zip(tabs, views.values(), strict=True):
            expect(tab.locator(seen).first).to_be_visible(timeout=30_000)
            expect(tab.locator(".trouble")).to_have_count(0)
