"""Search: as one types, never out of date, filtered, in the past, and why a memory is missing."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from lamina import Memory
from tests.ui.fixtures import show

SEARCH = re.compile(r"/api/search(\?|$)")
TYPED_AT_ONCE = """(box, text) => {
  for (let end = 1; end <= text.length; end++) {
    box.value = text.slice(0, end);
    box.dispatchEvent(new InputEvent('input', {bubbles: true}));
  }
}"""


def test_search_finds_as_one_types_and_says_why(page: Page) -> None:
    page.keyboard.press("/")
    box = page.get_by_role("searchbox")
    expect(box).to_be_focused()
    box.press_sequentially("where do sessions live", delay=15)
    first = page.locator(".hit").first
    expect(first).to_contain_text("session-store")
    expect(first.locator(".hit-text mark")).to_have_text(["Sessions", "live"])
    expect(first.locator(".key mark")).to_have_text("session")
    expect(first.locator(".parts")).to_contain_text("meaning")
    expect(page).to_have_url(re.compile(re.escape("q=where+do+sessions+live")))
    bars = first.locator(".parts i").evaluate_all("all => all.map(one => one.style.width)")
    others = page.locator(".parts i").evaluate_all("all => all.map(one => one.style.width)")
    assert len(set(bars)) > 1
    assert others.count("100%") == 1, "one scale for all hits"
    page.get_by_text("What the bars mean").click()
    expect(page.locator(".score-legend")).to_contain_text("How near it comes in meaning")
    box.press("ArrowDown")
    expect(page.locator(".hit").nth(1)).to_have_class("hit chosen")
    box.press("ArrowUp")
    box.press("Enter")
    expect(page.get_by_role("article")).to_contain_text("TTL of 45 minutes")


def test_a_late_answer_is_never_shown_for_a_new_question(page: Page) -> None:
    late: list[Route] = []
    asked: list[str] = []

    def hold(route: Route) -> None:
        query = route.request.post_data_json["query"]
        asked.append(query)
        if query == "payroll":
            late.append(route)
        else:
            route.continue_()

    page.route(SEARCH, hold)
    show(page, "search?q=gateway")
    hits = page.locator(".answer:not([inert]) .hit")
    expect(hits.first).to_contain_text("terminates TLS")
    box = page.get_by_role("searchbox")
    box.fill("payroll")
    # The old answer is dimmed, cannot be opened, and the wait is told.
    expect(page.locator(".answer")).to_have_attribute("aria-busy", "true")
    expect(page.get_by_text("Searching…")).to_have_count(1)
    expect(hits).to_have_count(0)
    box.press("Enter")
    expect(page).to_have_url(re.compile("search"))
    box.fill("branches are named")
    expect(hits.first).to_contain_text("feature/ISSUE-words")
    for route in late:
        route.continue_()
    expect(hits.first).to_contain_text("feature/ISSUE-words")
    expect(page.locator("[data-of]")).to_have_attribute("data-of", "branches are named")
    asked.clear()
    box.evaluate(TYPED_AT_ONCE, "outbox table")
    expect(page.locator("[data-of='outbox table']")).to_have_count(1)
    assert asked == ["outbox table"], "one question for what is typed without a pause"


def test_a_search_with_less_than_usual_says_what_is_missing(page: Page) -> None:
    told = {
        "hits": [], "abstained": True, "suppressed": 0, "expired": 1, "doubtful": 2,
        "repeated": 0, "unfit": 0, "took_ms": 1.0,
        "degraded": ["vectors: the embedder does not answer"],
    }  # fmt: skip
    page.route(SEARCH, lambda route: route.fulfill(json=told))
    show(page, "search?q=sessions")
    expect(page.get_by_role("note")).to_contain_text("Vectors: the embedder does not answer")
    expect(page.locator(".empty")).to_contain_text("2 memories came into question")
    expect(page.locator(".empty")).to_contain_text("1 memory matches, but its time has run out")


def test_filters_offer_what_there_is_and_stand_in_the_address(page: Page) -> None:
    held: list[Route] = []
    page.route(re.compile("/api/facets"), lambda route: held.append(route))
    show(page, "search?q=where+do+sessions+live")
    expect(page.locator(".hit").first).to_contain_text("session-store")
    filters = page.get_by_role("group", name="Filters")
    with page.expect_request(re.compile("/api/facets")):
        filters.get_by_label("Kind").focus()
    filters.get_by_label("Kind").press_sequentially("half a wo")
    for route in held:
        route.continue_()
    page.unroute(re.compile("/api/facets"))
    offered = page.locator("#offered-kind option")
    expect(offered.first).to_be_attached()
    # What is offered does not take away what is being typed.
    expect(filters.get_by_label("Kind")).to_have_value("half a wo")
    filters.get_by_label("Kind").fill("")
    kinds = offered.evaluate_all("all => all.map(one => one.value)")
    assert {"decision", "pitfall", "signal"} <= set(kinds)
    filters.get_by_label("Layer").select_option("knowledge")
    filters.get_by_label("Tag").fill("decision, web")
    filters.get_by_label("Tag").press("Enter")
    filters.get_by_label("Scope").fill("project/web")
    filters.get_by_label("Scope").press("Enter")
    expect(page).to_have_url(re.compile(r"layer=knowledge&tag=decision%2C\+web&scope=project"))
    filters.get_by_label("Changed").select_option("range")
    page.get_by_label("Changed from").fill("2020-01-01")
    page.get_by_label("Changed until").fill("2020-01-02")
    expect(page.get_by_text("Nothing that passes the filters")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Changed until")).to_have_value("2020-01-02")
    page.get_by_role("button", name="Clear 4 filters").click()
    expect(page.locator(".hit").first).to_contain_text("session-store")
    assert page.url.endswith("#/search?q=where+do+sessions+live")


def test_search_reads_the_past_and_shows_what_changed_since(page: Page, memory: Memory) -> None:
    show(page, "search?q=session+store+TTL&layer=knowledge")
    first = page.locator(".answer:not([inert]) .hit").first
    expect(first).to_contain_text("TTL of 45 minutes")
    slider = page.get_by_role("slider", name="As of")
    slider.focus()
    while "7 days" not in (slider.get_attribute("aria-valuetext") or ""):
        slider.press("ArrowLeft")
    expect(page).to_have_url(re.compile("as_of=7d"))
    expect(first).to_contain_text("TTL of 30 minutes")
    expect(first.locator(".hit-since")).to_contain_text("changed since")
    first.get_by_role("button", name="What changed").click()
    expect(first.locator("ins")).to_have_text("45 minutes, refreshed on use")
    then = page.get_by_label("As of a moment").input_value()
    page.get_by_label("As of a moment").fill(f"{then[:11]}00:00")
    expect(page).to_have_url(re.compile(r"as_of=20\d\d-"))
    expect(first).to_contain_text("TTL of 30 minutes")
    memory.forget(memory.project("web").get("errors").id)
    show(page, "search?q=error+code+message+remedy&layer=knowledge&as_of=1d")
    expect(first.locator(".hit-since")).to_contain_text("forgotten since")
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".hit", has_text="Every error has a code")).to_have_count(0)


def test_a_search_that_abstains_teaches(page: Page) -> None:
    show(page, "search?q=favourite+ice+cream")
    expect(page.get_by_text("Nothing here is about that")).to_be_visible()
    expect(page.locator(".empty")).to_contain_text("would be told nothing")
    page.get_by_role("button", name="Look in conversations").click()
    expect(page).to_have_url(re.compile("layer=session"))


def test_why_not_is_asked_by_typing_and_from_a_memory(page: Page, memory: Memory) -> None:
    show(page, "search?q=where+do+sessions+live&kind=pitfall")
    page.get_by_role("button", name="Why not this one?").click()
    box = page.get_by_label("The memory you expected")
    expect(box).to_be_focused()
    box.press_sequentially("session-st", delay=10)
    found = page.get_by_role("list", name="Memories like that")
    expect(found.get_by_role("button").first).to_contain_text("session-store")
    box.press("ArrowDown")
    page.keyboard.press("Enter")
    card = page.get_by_role("region", name="Why not this one?")
    expect(card).to_contain_text("It does not come up")
    expect(card).to_contain_text("The filter on kind leaves it out.")
    card.get_by_role("button", name="Search without filters").click()
    expect(card).to_contain_text("It does come up, at place 1")
    expect(page).to_have_url(re.compile("why="))
    page.get_by_role("searchbox").fill("payroll closes")
    expect(card).to_contain_text("It does not come up")
    payroll = memory.project("finance").get("payroll").id
    show(page, f"record/{payroll}")
    page.get_by_role("button", name="Why not found?").click()
    expect(card).to_contain_text("Payroll closes on the 25th")
    page.get_by_role("searchbox").fill("when does payroll close")
    expect(card).to_contain_text("It does come up")
    page.keyboard.press("Escape")


@pytest.mark.parametrize("text", ["<b>x</b> falcon & co", "فالكون falcon"])
def test_words_are_marked_in_any_text(page: Page, memory: Memory, text: str) -> None:
    filler = "Nothing here says anything about it at all. " * 40
    memory.project("web").remember(f"{filler}{text} {filler}", key=f"long-{len(text)}")
    show(page, "search?q=falcon")
    hit = page.locator(".hit", has_text=text)
    expect(hit.locator("mark").first).to_have_text("falcon")
    said = hit.locator(".hit-text").inner_text()
    assert said.startswith("…")
    assert said.endswith("…")
    assert len(said) < 500
