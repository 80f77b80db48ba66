"""The browser of knowledge, a memory with its past, its neighbourhood, as a person uses them."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Route, expect

from lamina import Memory
from lamina.tokens import Keys
from tests.ui.fixtures import WIDE, show, signed_in
from tests.ui.serving import Server


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row", name=name)


def test_an_edit_in_one_tab_is_seen_in_another_and_undone(page: Page) -> None:
    show(page, "knowledge")
    row(page, "deploy-day").click()
    panel = page.get_by_role("article")
    expect(panel).to_contain_text("Deploys go out on Thursdays")
    other = page.context.new_page()
    other.goto(page.url)
    watched = other.get_by_role("article")
    expect(watched).to_contain_text("Deploys go out on Thursdays")

    panel.get_by_role("button", name="Edit").click()
    panel.get_by_label("Text").fill("Deploys go out on Fridays, after the stand-up")
    panel.get_by_label("Tags").fill("ops, release")
    panel.get_by_role("button", name="Save").click()
    expect(watched.locator(".said")).to_have_text("Deploys go out on Fridays, after the stand-up")
    latest = watched.get_by_role("region", name="History").get_by_role("listitem").first
    expect(latest.locator("del").first).to_have_text("Thursdays,")
    expect(latest.locator("ins").first).to_have_text("Fridays,")
    expect(latest.locator(".field-diff")).to_contain_text("ops, release")
    expect(latest).to_contain_text("through the server")
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(watched.locator(".said")).to_contain_text("Thursdays")


def test_a_text_is_edited_in_its_row(page: Page, memory: Memory) -> None:
    show(page, "knowledge?kind=pattern")
    row(page, "outbox").dblclick()
    box = page.get_by_label("Text of outbox")
    box.fill("never to be kept")
    box.press("Escape")
    expect(box).to_have_count(0)
    assert memory.project("web").get("outbox").rev == 1
    page.locator(".vbody").press("e")
    box.fill("Events go through an outbox, and nowhere else")
    box.press("Enter")
    expect(row(page, "outbox")).to_contain_text("and nowhere else")
    assert memory.project("web").get("outbox").text.endswith("and nowhere else")


def test_what_is_written_in_a_row_opens_no_second_form(page: Page, memory: Memory) -> None:
    found = memory.project("web").get("outbox")
    late: list[Route] = []
    page.route(f"**/api/records/{found.id}", lambda route: late.append(route))
    show(page, "knowledge?kind=pattern")
    row(page, "outbox").dblclick()
    box = page.get_by_label("Text of outbox")
    box.fill("begun before the panel had come")
    with page.expect_response(f"**/api/records/{found.id}"):
        late.pop().continue_()
    panel = page.get_by_role("article")
    expect(panel.locator(".said")).to_have_text(found.text)
    expect(box).to_be_focused()
    box.press("Escape")
    expect(box).to_have_count(0)
    expect(panel.get_by_label("Text")).to_have_count(0)


def test_what_was_begun_in_the_panel_goes_along_with_the_row(page: Page, memory: Memory) -> None:
    web = memory.project("web")
    show(page, "knowledge?kind=pattern")
    row(page, "outbox").click()
    panel, box = page.get_by_role("article"), page.get_by_label("Text of outbox")
    panel.get_by_role("button", name="Edit").click()
    panel.get_by_label("Tags").fill("events, queue")
    page.locator(".vbody").press("e")
    expect(panel.get_by_label("Tags")).to_have_count(0)
    box.fill("Never to be kept")
    box.press("Escape")
    expect(panel.get_by_label("Tags")).to_have_value("events, queue")
    page.locator(".vbody").press("e")
    box.fill("Events go through an outbox, and are queued")
    box.press("Enter")
    expect(row(page, "outbox")).to_contain_text("and are queued")
    assert set(web.get("outbox").tags) == {"events", "queue"}


def test_an_answer_from_before_a_change_does_not_undo_it(page: Page, memory: Memory) -> None:
    web = memory.project("web")
    held: list[Route] = []

    def late(route: Route) -> None:
        held.append(route) if not held else route.continue_()

    page.route(re.compile(r"/api/records\?"), late)
    show(page, "knowledge?kind=pattern")
    with page.expect_request(re.compile(r"/api/records\?")):
        page.wait_for_selector(".view-knowledge")
    [route] = held
    before = route.fetch()
    web.edit(web.get("outbox").id, text="Said while the list was on its way")
    other = page.context.new_page()
    other.goto(page.url.partition("#")[0] + "#/feed")
    expect(other.get_by_text("Said while the list was on its way").first).to_be_visible()
    route.fulfill(response=before)
    expect(row(page, "outbox")).to_contain_text("Said while the list was on its way")


def test_who_edits_at_the_same_time_decides_side_by_side(
    browser: Browser, server: Server, memory: Memory
) -> None:
    with signed_in(browser, server, allowed=("412",)) as page:
        edit_together(page, memory)
        edit_in_the_table(page, memory)


def edit_together(page: Page, memory: Memory) -> None:
    found = memory.project("web").get("orm")
    show(page, f"knowledge/{found.id}")
    panel = page.get_by_role("article")
    panel.get_by_role("button", name="Edit").click()
    panel.get_by_label("Text").fill("No ORM: raw SQL through psycopg, one file per table")
    memory.edit(found.id, text="Never an ORM: raw SQL through psycopg, one module per table")
    expect(panel.get_by_role("alert")).to_contain_text("has just changed this")
    panel.get_by_role("button", name="Save").click()
    both = page.get_by_role("dialog")
    expect(both.get_by_role("region", name="Theirs")).to_contain_text("Never an")
    expect(both.get_by_role("region", name="Yours").locator("ins")).to_have_text("file")
    expect(both.get_by_label("both changes fit together")).to_have_value(
        "Never an ORM: raw SQL through psycopg, one file per table"
    )
    both.get_by_role("button", name="Save merged").click()
    expect(panel.locator(".said")).to_have_text(
        "Never an ORM: raw SQL through psycopg, one file per table"
    )
    assert memory.get(found.id).rev == found.rev + 2


def edit_in_the_table(page: Page, memory: Memory) -> None:
    """The same words were changed by both; theirs is taken, and nothing is written."""
    show(page, "knowledge?kind=codebase")
    row(page, "entry-point").dblclick()
    box = page.get_by_label("Text of entry-point")
    box.fill("The service starts in main.py")
    found = memory.project("web").get("entry-point")
    memory.edit(found.id, text="The service starts in src/web/app.py")
    expect(row(page, "entry-point").get_by_role("alert")).to_contain_text("has just changed this")
    box.press("Enter")
    both = page.get_by_role("dialog")
    expect(both.get_by_label("you both changed the same words")).to_be_visible()
    both.get_by_role("button", name="Take theirs").click()
    expect(row(page, "entry-point")).to_contain_text("src/web/app.py")
    assert memory.get(found.id).rev == found.rev + 1


def test_a_list_is_sorted_filtered_and_kept_in_the_address(page: Page, memory: Memory) -> None:
    show(page, "knowledge")
    first = page.locator(".vrow").first
    page.get_by_role("button", name="Confidence").click()
    expect(page).to_have_url(re.compile("sort=confidence"))
    page.get_by_role("button", name="Confidence").click()
    lowest = min(memory.query({"layer": "knowledge"}), key=lambda one: one.confidence)
    expect(first.locator(".meter")).to_have_attribute(
        "title", f"Confidence {round(lowest.confidence * 100)}%"
    )
    expect(page.get_by_role("columnheader", name="Confidence")).to_have_attribute(
        "aria-sort", "ascending"
    )
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Tag").fill("pitfall")
    page.get_by_label("Tag").press("Enter")
    expect(row(page, "timezones")).to_be_visible()
    expect(row(page, "gateway")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Tag")).to_have_value("pitfall")
    page.get_by_label("Words").fill("cron UTC")
    page.get_by_label("Words").press("Enter")
    expect(page.get_by_text("1 memory with these words")).to_be_visible()


def test_several_are_tagged_and_forgotten_as_one(page: Page, memory: Memory) -> None:
    show(page, "knowledge?kind=convention&scope=project%2Fweb")
    row(page, "branches").get_by_role("checkbox").check()
    row(page, "errors").get_by_role("checkbox").check()
    bar = page.get_by_role("group", name="The chosen memories")
    expect(bar).to_contain_text("2 memories chosen")
    bar.get_by_label("Tag or kind").fill("reviewed")
    bar.get_by_role("button", name="Add tag").click()
    expect(page.locator(".toast")).to_contain_text("Tagged “reviewed”: 2 memories")
    web = memory.project("web")
    assert [("reviewed" in web.get(key).tags) for key in ("branches", "errors")] == [True, True]
    row(page, "branches").get_by_role("checkbox").check()
    row(page, "errors").get_by_role("checkbox").check()
    bar.get_by_role("button", name="Forget").click()
    expect(row(page, "branches")).to_have_count(0)
    expect(row(page, "errors")).to_have_count(0)
    page.locator(".toast", has_text="Forgot").get_by_role("button", name="Undo").click()
    expect(row(page, "branches")).to_be_visible()
    expect(row(page, "errors")).to_be_visible()


def test_a_memory_is_added_by_hand(browser: Browser, server: Server, memory: Memory) -> None:
    with signed_in(browser, server, allowed=("409",)) as page:
        show(page, "knowledge")
        page.get_by_role("button", name="Add a memory").click()
        form = page.get_by_role("dialog")
        form.get_by_label("Text").fill("Logs are kept for thirty days")
        form.get_by_label("Key").fill("region")
        form.get_by_label("Scope").fill("project/web")
        form.get_by_role("button", name="Add").click()
        expect(form.get_by_role("alert")).to_contain_text("stands under “region”")
        form.get_by_label("Key").fill("log-retention")
        form.get_by_label("Kind").fill("convention")
        form.get_by_role("button", name="Add").click()
        expect(page.get_by_role("article")).to_contain_text("Logs are kept for thirty days")
        expect(row(page, "log-retention")).to_be_visible()
        found = memory.project("web").get("log-retention")
        assert (found.kind, found.source, found.trust.value) == ("convention", "user", "user")


def test_any_version_comes_back_and_an_undo_says_what_it_does(page: Page, memory: Memory) -> None:
    web = memory.project("web")
    name = web.remember("Cache for one minute", key="cache", tags=["first"]).id
    for minutes in range(2, 31):
        web.edit(name, text=f"Cache for {minutes} minutes")
    show(page, f"record/{name}")
    past = page.get_by_role("region", name="History")
    expect(past.get_by_role("listitem")).to_have_count(20)
    past.get_by_role("button", name="Show older").click()
    expect(past.get_by_role("listitem")).to_have_count(30)
    past.get_by_role("listitem").last.get_by_role("button", name="Restore").click()
    expect(page.locator(".said").first).to_have_text("Cache for one minute")
    past.get_by_role("listitem").first.get_by_role("button", name="Undo…").click()
    told = page.get_by_role("dialog")
    expect(told).to_contain_text("This changes 1 memory")
    expect(told.locator("ins")).to_contain_text("30 minutes")
    told.get_by_role("button", name="Undo it").click()
    expect(page.locator(".said").first).to_have_text("Cache for 30 minutes")


def test_an_undo_that_cannot_be_says_why(browser: Browser, server: Server, memory: Memory) -> None:
    name = memory.project("web").remember("One", key="counted").id
    memory.edit(name, text="Two")
    with signed_in(browser, server, allowed=("409",)) as page:
        show(page, f"record/{name}")
        first = page.get_by_role("region", name="History").get_by_role("listitem").last
        first.get_by_role("button", name="Undo…").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("has changed since")


def test_competing_statements_are_settled_where_they_stand(page: Page, memory: Memory) -> None:
    web = memory.project("web")
    standing = web.remember("The timeout is 30 seconds", key="timeout", kind="decision").id
    agent = memory.agent("otto", project="web")
    rival = agent.knowledge.put("decision", "timeout", "The timeout is 90 seconds").id
    assert rival != standing
    show(page, f"record/{standing}")
    both = page.get_by_role("region", name="Competing statements")
    expect(both).to_contain_text("Proposed instead")
    expect(both.locator("ins").first).to_have_text("90")
    both.get_by_role("button", name="Accept").click()
    expect(page.locator(".panel > .said")).to_have_text("The timeout is 90 seconds")
    chain = page.get_by_role("region", name="Supersession")
    expect(chain.get_by_role("listitem")).to_have_count(2)
    chain.get_by_role("link").click()
    expect(page).to_have_url(re.compile(rival))
    expect(page.get_by_role("article")).to_contain_text("This memory is superseded")


def test_an_item_is_forgotten_by_hand(page: Page, memory: Memory, tmp_path: Path) -> None:
    tmp_path.joinpath("plan.md").write_text("# Plan\n\n- [ ] Buy a kettle\n", encoding="utf-8")
    web = memory.project("web")
    web.item.extract(tmp_path)
    show(page, "knowledge?layer=item")
    row(page, "Buy a kettle").click()
    expect(page.get_by_role("region", name="History")).to_contain_text("rev 1")
    held: list[Route] = []
    page.route(re.compile("/history"), lambda route: held.append(route))
    page.get_by_role("article").get_by_role("button", name="Forget").click()
    expect(row(page, "Buy a kettle")).to_have_count(0)
    expect(page.get_by_role("article")).to_contain_text("This memory is forgotten")
    assert web.item.query(text="kettle") == []
    # Which change brings it back is not guessed from a past that is not up to date.
    expect(page.get_by_role("button", name="Bring it back")).to_have_count(0)
    for route in held:
        route.continue_()
    page.unroute(re.compile("/history"))
    page.get_by_role("button", name="Bring it back").click()
    expect(row(page, "Buy a kettle")).to_be_visible()


def test_a_neighbourhood_is_walked_by_click_and_by_keys(page: Page, memory: Memory) -> None:
    here = memory.project("web").get("session-store").id
    show(page, f"record/{here}")
    around = page.get_by_role("region", name="Neighbourhood")
    drawn = around.get_by_role("group", name="Memories that have to do with this one")
    listed = around.get_by_role("list", name="The same as a list")
    expect(drawn.get_by_role("link").first).to_be_visible()
    expect(drawn.get_by_role("link")).to_have_count(listed.get_by_role("listitem").count())
    drawn.get_by_role("link").first.click()
    expect(page).not_to_have_url(re.compile(here))
    expect(page.get_by_role("article").locator(".said").first).not_to_contain_text("TTL of 45")
    page.go_back()
    expect(page.get_by_role("article").locator(".said").first).to_contain_text("TTL of 45")
    drawn.get_by_role("img").focus()
    page.keyboard.press("ArrowDown")
    expect(drawn.get_by_role("link").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(re.compile(here))
    expect(drawn.get_by_role("img")).to_be_focused()


def test_a_reader_sees_its_project_and_changes_nothing(browser: Browser, server: Server) -> None:
    with server.memory() as memory:
        key = Keys(memory).create("rita", "reader", project="web").text
        found, hidden = (
            memory.project("web").get("orm").id,
            memory.project("finance").get("payroll"),
        )
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto(server.url)
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_selector(".shell")
    show(page, f"knowledge/{found}")
    panel = page.get_by_role("article")
    expect(panel.get_by_role("region", name="Neighbourhood")).to_be_visible()
    for name in ("Edit", "Forget", "Erase…", "Undo…", "Restore"):
        expect(panel.get_by_role("button", name=name)).to_have_count(0)
    expect(page.get_by_role("button", name="Add a memory")).to_have_count(0)
    expect(row(page, "payroll")).to_have_count(0)
    show(page, f"record/{hidden.id}")
    expect(panel.get_by_role("alert").first).to_be_visible()
    expect(panel).not_to_contain_text(hidden.text)
    context.close()
