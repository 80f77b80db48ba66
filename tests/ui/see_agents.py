"""Agents: what they do, said, noted and have in mind, steering them, and what a model is told."""

import re

from playwright.sync_api import Browser, Page, Route, expect

from lamina import Memory
from tests.ui.fixtures import show, signed_in
from tests.ui.serving import Server

MIRA = "agents/project%2Fweb%2Fagent%2Fmira"
FINN = "agents/project%2Fweb%2Fagent%2Ffinn"


def test_an_agent_is_seen_live_and_steered(page: Page, memory: Memory) -> None:
    mira = memory.agent("mira", project="web")
    show(page, MIRA)
    now, log = page.get_by_role("region", name="Now"), page.get_by_role("region", name="Log")
    expect(now).to_contain_text("Load-test the login")
    expect(log).to_contain_text("Connection to staging was refused")
    mira.log.append("THOUGHT", "The cache was cold")
    expect(log.get_by_role("listitem").first).to_contain_text("The cache was cold")
    log.get_by_label("Which entries").select_option("ERROR")
    expect(log.get_by_role("listitem")).to_have_count(1)
    expect(page).to_have_url(re.compile("kind=ERROR"))
    now.get_by_role("button", name="Steer").click()
    now.get_by_label("Objective").fill("Help otto with the invoices")
    now.get_by_role("button", name="Save").click()
    expect(now.locator(".objective")).to_have_text("Help otto with the invoices")
    assert mira.now.read().objective == "Help otto with the invoices"


def test_what_an_agent_says_meanwhile_is_not_overwritten(
    browser: Browser, server: Server, memory: Memory
) -> None:
    finn = memory.agent("finn", project="web")
    with signed_in(browser, server, allowed=("409",)) as page:
        show(page, FINN)
        now = page.get_by_role("region", name="Now")
        now.get_by_role("button", name="Steer").click()
        now.get_by_label("Objective").fill("Write the other guide")
        finn.now.update("Answer Ann")
        changed = now.get_by_role("alert")
        expect(changed).to_contain_text("This was changed while you were writing")
        expect(changed.locator("ins").first).to_contain_text("Answer")
        expect(now.get_by_role("button", name="Save")).to_be_disabled()
        changed.get_by_role("button", name="Keep mine").click()
        read = finn.now.read().rev
        with page.expect_request(lambda one: one.method == "PUT") as told:
            now.get_by_role("button", name="Save").click()
        assert told.value.post_data_json["expect"] == read
        expect(now.locator(".objective")).to_have_text("Write the other guide")


def test_a_transcript_folds_tools_cuts_outputs_and_marks_what_was_compacted(
    page: Page, memory: Memory
) -> None:
    show(page, f"{MIRA}?tab=sessions&session=s-1")
    talk = page.get_by_role("list", name="Transcript")
    expect(talk).to_contain_text("What is left is t-5")
    expect(talk.get_by_text("TTL 45 minutes")).to_be_hidden()
    talk.get_by_text("1 tool call").click()
    expect(talk.get_by_text("TTL 45 minutes")).to_be_visible()
    long = memory.agent("mira", project="web").session("s-2")
    for number in range(12):
        long.extend(
            [
                {"role": "user", "text": f"Question {number}"},
                {"role": "tool_call", "text": "ls", "tool": "shell"},
                {"role": "tool_result", "text": f"{'a line ' * 400}the end {number}"},
                {"role": "assistant", "text": f"Answer {number}"},
            ]
        )
    assert long.compact(force=True) is not None
    page.get_by_role("list", name="Sessions").get_by_role("link", name="s-2").click()
    expect(talk).to_contain_text("Compacted up to here")
    expect(talk.locator(".compacted").first).to_contain_text("Question 0")
    talk.get_by_text("1 tool call: shell").last.click()
    expect(talk.get_by_text("the end 11")).to_have_count(0)
    talk.get_by_role("button", name="Show all").last.click()
    expect(talk.get_by_text("the end 11")).to_be_visible()
    page.get_by_role("button", name="What a model is told").click()
    expect(talk.locator(".bubble.summary")).to_be_visible()
    expect(talk.get_by_text("Question 0", exact=True)).to_have_count(0)


def test_notes_working_memory_and_requests_are_read_and_put_right(
    page: Page, memory: Memory
) -> None:
    otto = memory.agent("otto", project="web")
    otto.notebook("t-4").note("Numbers are reused in May")
    otto.working.set("plan", ["migrate", "replay"])
    otto.working.snapshot()
    memory.agent("mira", project="web").handoff.request("otto", "Check the invoices of June")
    show(page, "agents/project%2Fweb%2Fagent%2Fotto?tab=notebook")
    book = page.get_by_role("region", name="Notebook on t-4")
    expect(page.get_by_role("region", name="Working memory")).to_contain_text('"replay"')
    book.get_by_role("button", name="Edit").click()
    book.get_by_label("The note").fill("Numbers are reused in June")
    with page.expect_request(lambda one: one.method == "PATCH") as saved:
        book.get_by_role("button", name="Save").click()
    assert saved.value.headers["if-match"] == '"1"'
    expect(book).to_contain_text("reused in June")
    book.get_by_label("Add a note on t-4").fill("Ask the accountant")
    book.get_by_role("button", name="Add").click()
    expect(book).to_contain_text("Ask the accountant")
    notes = [one.text for one in otto.notebook("t-4").read()]
    assert notes == ["Numbers are reused in June", "Ask the accountant"]
    page.get_by_role("tab", name="Notebook").press("ArrowRight")
    asked = page.get_by_role("region", name="Asked of it")
    expect(asked).to_contain_text("Check the invoices of June")
    expect(asked).to_contain_text("1 request open")


def test_the_context_is_previewed_within_its_budget(page: Page) -> None:
    show(page, f"{MIRA}?tab=context&budget=500")
    page.get_by_label("The model is asked").fill("how do sessions work")
    seen = page.get_by_role("region", name="What the model would see")
    expect(seen).to_contain_text("Objective:")
    expect(seen.get_by_role("img", name="How likely").first).to_be_visible()
    expect(page.get_by_role("img", name="of 500 tokens used")).to_be_visible()
    tier = page.locator(".tiers [data-part=project]")
    expect(tier).to_contain_text(re.compile(r"\d+, room \d+"))
    out = page.get_by_role("region", name="What was left out")
    expect(out.get_by_role("heading", level=3)).to_contain_text("no room")
    expect(out.get_by_role("heading", level=3)).to_contain_text(re.compile(r"\d+ memories"))
    expect(out.get_by_role("listitem").first).not_to_be_empty()
    page.get_by_label("Compare with").select_option("250")
    expect(page.get_by_role("img", name="of 250 tokens used")).to_be_visible()
    expect(seen.get_by_text("only here").first).to_be_visible()
    page.get_by_label("Budget").select_option("16000")
    expect(page.get_by_role("img", name="of 16000 tokens used")).to_be_visible()
    page.get_by_label("Compare with").select_option("")
    seen.get_by_role("button", name="As text").click()
    # Each answer is fenced in by another mark, so it is this very one that must be shown.
    with page.expect_response("**/api/context?*") as answer:
        page.reload()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown = page.locator("pre.raw")
    expect(shown).to_have_text(answer.value.json()["text"])
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("() => navigator.clipboard.readText()") == shown.inner_text()


def test_an_overview_from_before_is_asked_for_again(page: Page, memory: Memory) -> None:
    """It may be kept for a moment, and what it misses was told of before anybody looked."""
    show(page, "feed")
    memory.agent("mira", project="web").now.update("Said before anybody looked")
    expect(page.get_by_text("Said before anybody looked").first).to_be_visible()
    old: list[Route] = []

    def kept(route: Route) -> None:
        if old:
            route.continue_()
            return
        old.append(route)
        said = route.fetch().json()
        route.fulfill(json={**said, "agents": said["agents"][:2], "again_ms": 50})

    page.route(re.compile("/api/overview"), kept)
    show(page, "agents")
    listed = page.get_by_role("list", name="Agents").get_by_role("link")
    expect(listed).to_have_count(2)
    expect(listed).not_to_have_count(2)


def test_an_agent_is_found_among_hundreds(page: Page, memory: Memory) -> None:
    crew = memory.project("crew")
    crew.remember_many(
        [
            {"layer": "now", "kind": "objective", "key": "objective", "text": f"Sort box {n}",
             "scope": f"project/crew/agent/w-{n}"}
            for n in range(200)
        ]
    )  # fmt: skip
    show(page, "agents")
    page.get_by_label("Find an agent").fill("box 177")
    found = page.get_by_role("list", name="Agents").get_by_role("link")
    expect(found).to_have_count(1)
    found.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("w-177")
    expect(page.get_by_role("region", name="Now")).to_contain_text("Sort box 177")
