"""The blackboard: live, with history, published by hand without running over anybody."""

import re

from playwright.sync_api import Browser, Page, expect

from lamina import Memory
from tests.ui.fixtures import show, signed_in
from tests.ui.serving import Server


def test_the_board_is_live_and_written_by_hand(page: Page, memory: Memory) -> None:
    show(page, "board")
    status = page.get_by_role("row", name="build:web:status")
    expect(status).to_contain_text("green")
    memory.agent("otto", project="web").blackboard.publish("build:web:status", "broken")
    expect(status).to_contain_text("broken")
    expect(status).to_contain_text(re.compile(r"\d+ s ago"))
    young = status.locator("time").inner_text()
    expect(status.locator("time")).not_to_have_text(young)
    page.get_by_role("button", name="Publish").click()
    form = page.get_by_role("dialog")
    form.get_by_label("Project").select_option("web")
    form.get_by_label("Key").fill("deploy/web:wanted")
    form.get_by_label("Value").fill('{"by": "ann"}')
    expect(form).to_contain_text("Published as an object.")
    form.get_by_label("Stands for").fill("2h")
    form.get_by_role("button", name="Publish").click()
    wanted = page.get_by_role("row", name="deploy/web:wanted")
    expect(wanted).to_contain_text('{"by":"ann"}')
    expect(wanted).to_contain_text("ends in 2 h")
    read = memory.project("web").blackboard.read("deploy/web:wanted")
    assert read is not None
    assert read.value == {"by": "ann"}
    assert read.expires_at is not None
    wanted.get_by_role("button", name="Clear").click()
    expect(wanted).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").last.click()
    expect(wanted).to_have_count(1)


def test_a_key_has_its_history_and_a_line(page: Page, memory: Memory) -> None:
    board = memory.agent("mira", project="web").blackboard
    for value in (4, 9, 2):
        board.publish("queue:length", value)
    show(page, "board?prefix=queue")
    row = page.get_by_role("row", name="queue:length")
    expect(row.get_by_role("img")).to_have_accessible_name("3 versions, from 2 to 9, now 2")
    expect(row.locator("polyline")).to_have_count(1)
    row.get_by_role("link").focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("article", name="History of a key")
    values = panel.get_by_role("listitem").locator(".value")
    expect(values).to_have_text(["2", "9", "4"])
    expect(panel).to_contain_text("mira")
    expect(page).to_have_url(re.compile(r"#/board/[0-9a-z]{26}\?prefix=queue"))
    board.publish("queue:length", 7)
    expect(values).to_have_text(["7", "2", "9", "4"])
    page.reload()
    expect(values).to_have_text(["7", "2", "9", "4"])
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)


def test_who_publishes_at_the_same_time_sees_both(
    browser: Browser, server: Server, memory: Memory
) -> None:
    with signed_in(browser, server, allowed=("409",)) as page:
        board = memory.agent("otto", project="web").blackboard
        board.publish("lock:deploy", "free")
        show(page, "board?prefix=lock")
        page.get_by_role("link", name="lock:deploy").click()
        page.get_by_role("button", name="Change…").click()
        form = page.get_by_role("dialog")
        expect(form.get_by_label("Value")).to_have_value("free")
        form.get_by_label("Value").fill("taken by ann")
        board.publish("lock:deploy", "taken by otto")
        form.get_by_role("button", name="Publish").click()
        both = form.get_by_role("alert")
        expect(both).to_contain_text("Somebody published meanwhile.")
        expect(both).to_contain_text("taken by otto")
        expect(both).to_contain_text("taken by ann")
        both.get_by_role("button", name="Publish mine over it").click()
        expect(page.get_by_role("row", name="lock:deploy")).to_contain_text("taken by ann")
        page.get_by_role("button", name="Publish…").click()
        form.get_by_label("Project").select_option("web")
        form.get_by_label("Key").fill("lock:deploy")
        form.get_by_label("Value").fill("mine too")
        form.get_by_role("button", name="Publish").click()
        expect(both).to_contain_text("Something stands under this key already.")
        both.get_by_role("button", name="Leave theirs").click()
        expect(page.get_by_role("row", name="lock:deploy")).to_contain_text("taken by ann")


def test_what_runs_out_goes_and_an_empty_board_teaches(page: Page, memory: Memory) -> None:
    memory.project("web").blackboard.publish("brief:one", "here", ttl="2s")
    show(page, "board?prefix=brief")
    expect(page.get_by_role("row", name="brief:one")).to_have_count(0, timeout=15_000)
    show(page, "board?prefix=no-such-key")
    expect(page.get_by_text("No key begins with “no-such-key”")).to_be_visible()
