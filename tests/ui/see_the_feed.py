"""The feed: live, filtered, read back, and without a gap when the server goes and comes back."""

import re

from playwright.sync_api import Browser, Page, expect

from lamina import Memory
from tests.ui.fixtures import show, signed_in
from tests.ui.serving import Server


def test_changes_come_in_and_are_opened_and_filtered(page: Page, memory: Memory) -> None:
    show(page, "feed")
    lines = page.locator(".vrow")
    expect(lines.first).to_be_visible()
    web = memory.project("web")
    web.remember("The build takes four minutes", key="build-time", kind="fact", tags=["ci"])
    expect(lines.first).to_contain_text("The build takes four minutes")
    web.remember("The build takes three minutes", key="build-time", kind="fact", tags=["ci", "x"])
    expect(lines.first).to_contain_text("revised")
    lines.first.click()
    panel = page.get_by_role("article", name="Change")
    expect(panel.locator("p.diff ins")).to_have_text("three")
    expect(panel.locator(".field-diff")).to_contain_text("tags")
    # Exactly that change, whatever has happened to the memory since, also from its address.
    web.remember("The build takes two minutes", key="build-time", kind="fact")
    expect(lines.first).to_contain_text("two minutes")
    page.reload()
    expect(panel.locator("p.diff ins")).to_have_text("three")
    panel.get_by_role("link", name="Open the memory").click()
    expect(page.get_by_role("article", name="Memory")).to_contain_text("two minutes")
    page.go_back()
    panel.get_by_role("button", name="Close").click()
    page.get_by_label("Layer").select_option("task")
    expect(page.locator(".vrow .layer").first).to_have_text("task")
    expect(page.get_by_text("build-time")).to_have_count(0)
    page.get_by_label("Layer").select_option("")
    page.get_by_label("Who").fill("otto")
    page.get_by_label("Words").fill("STATUS")
    expect(page).to_have_url(re.compile("actor=otto&text=STATUS"))
    expect(lines).to_have_count(2)
    page.get_by_role("button", name="Clear filters").click()
    page.get_by_role("button", name="Hold").click()
    web.remember("Said while held")
    expect(page.get_by_role("button", name="Go on (1 new)")).to_be_visible()
    expect(page.get_by_text("Said while held")).to_have_count(0)
    page.get_by_role("button", name="Go on (1 new)").click()
    expect(lines.first).to_contain_text("Said while held")


def test_the_log_is_read_back_as_far_as_one_scrolls(page: Page, memory: Memory) -> None:
    many = memory.project("many")
    for begin in range(0, 3_000, 1_000):
        many.remember_many([{"text": f"Change number {begin + n}"} for n in range(1_000)])
    page.reload()
    show(page, "feed")
    body = page.locator(".vbody")
    expect(page.locator(".feed-foot")).to_contain_text("of 200 read")
    assert page.locator(".vrow").count() < 60
    body.evaluate("one => { one.scrollTop = one.scrollHeight; }")
    expect(page.locator(".feed-foot")).to_contain_text(re.compile("of [468]00 read"))
    # What one reads stays where it is while more comes in above.
    top = body.evaluate("one => one.scrollTop")
    many.remember("Above it all")
    page.wait_for_function("top => document.querySelector('.vbody').scrollTop > top", arg=top)
    assert page.locator(".vrow").count() < 60
    # Something rare is looked for through all of it, on demand.
    page.get_by_label("Words").fill("old wiki lists")
    further = page.get_by_role("button", name="Look further back")
    while page.locator(".vrow", has_text="old wiki").count() == 0:
        further.click()
        expect(page.get_by_role("button", name="Looking…")).to_have_count(0, timeout=30_000)
    expect(page.locator(".feed-foot")).to_contain_text("That is the beginning of the log.")


def test_a_killed_server_leaves_no_gap(browser: Browser, server: Server) -> None:
    refused = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION_RESET")
    with signed_in(browser, server, allowed=refused) as page, server.memory() as memory:
        show(page, "feed?text=n-")
        expect(page.locator(".standing.live")).to_be_visible()
        web = memory.project("web")
        web.remember("Said before", key="n-0")
        expect(page.get_by_text("Said before")).to_be_visible()
        server.kill()
        expect(page.locator(".standing.broken")).to_be_visible()
        for number in range(1, 13):
            web.remember(f"Said while it was away, {number}", key=f"n-{number}")
        server.start()
        expect(page.locator(".standing.live")).to_be_visible(timeout=30_000)
        expect(page.locator(".resumed")).to_contain_text("12 changes happened meanwhile")
        web.remember("Said after", key="n-13")
        expect(page.get_by_text("Said after")).to_be_visible()
        keys = page.locator(".vrow .key").all_inner_texts()
        assert [one.strip() for one in keys[:14]] == [f"n-{number}" for number in range(13, -1, -1)]
