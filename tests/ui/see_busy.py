"""What a page asks while others write: only what a change is about, and one question at a time."""

import re

from playwright.sync_api import Page, Request, Route, expect

from lamina import Memory
from tests.ui.fixtures import settle, show

SEARCH = re.compile(r"/api/search(\?|$)")


def _asked(page: Page) -> list[str]:
    """The addresses that a page asks for from now on."""
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("request", note)
    return asked


def test_what_happens_elsewhere_is_not_asked_for(page: Page, memory: Memory) -> None:
    show(page, "tasks")
    settle(page)
    asked = _asked(page)
    agent = memory.agent("otto", project="web")
    for number in range(30):
        agent.log.thought(f"Thought {number}")
    agent.task.add("t-busy", "Added behind thirty thoughts")
    expect(page.get_by_text("Added behind thirty thoughts").first).to_be_visible()
    about = [one for one in asked if "layer=task" in one]
    assert len(about) == 1, "the list of tasks, once"
    assert not [one for one in asked if "/api/memory/" in one], "nothing was tried or made"


def test_a_list_takes_in_what_is_new_without_asking(page: Page, memory: Memory) -> None:
    web = memory.project("web")
    late = web.remember("Was somewhere else before", layer="knowledge", kind="fact")
    web.remember("Is there first", layer="knowledge", kind="habit")
    show(page, "knowledge?kind=habit&sort=-text")
    rows = page.locator(".vrow")
    expect(rows).to_have_count(1)
    settle(page)
    asked = _asked(page)
    web.edit(late.outcomes[0].id, kind="habit")
    web.remember("Comes first of all", layer="knowledge", kind="habit")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("Comes first of all")
    expect(rows.nth(2)).to_contain_text("Was somewhere else before")
    expect(page.locator("main header").get_by_text("3 memories")).to_be_visible()
    assert not [one for one in asked if "/api/records?" in one]


def test_a_sparkline_grows_by_what_the_feed_tells(page: Page, memory: Memory) -> None:
    board = memory.agent("otto", project="web").blackboard
    for number in range(3):
        board.publish("busy:done", number)
    show(page, "board")
    row = page.get_by_role("row", name="busy:done")
    expect(row.get_by_label("from 0 to 2, now 2")).to_be_visible()
    settle(page)
    asked = _asked(page)
    for number in range(3, 10):
        board.publish("busy:done", number)
    expect(row.get_by_label("10 versions, from 0 to 9, now 9")).to_be_visible()
    assert not [one for one in asked if "/history" in one]


def test_who_types_asks_one_question_at_a_time(page: Page) -> None:
    held: list[Route] = []
    asked: list[str] = []

    def hold(route: Route) -> None:
        asked.append(route.request.post_data_json["query"])
        if len(asked) == 1:
            held.append(route)
        else:
            route.continue_()

    page.route(SEARCH, hold)
    show(page, "search")
    box = page.get_by_role("searchbox")
    with page.expect_request(SEARCH):
        box.fill("sess")
    box.press_sequentially("ions", delay=150)
    assert asked == ["sess"], "the server is still busy with the first"
    held[0].continue_()
    expect(page.locator("[data-of='sessions']")).to_have_count(1)
    assert asked == ["sess", "sessions"]
