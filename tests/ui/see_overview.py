"""The overview: what there is, how good it is, what it cost, and the way to act on it."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from lamina import Memory
from lamina.tokens import Keys
from tests.ui.fixtures import show, signed_in
from tests.ui.serving import Server


def asked(server: Server, key: str, path: str, body: Any = None) -> Any:
    """What somebody with a key is told by the server, without a browser."""
    said = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    sent = json.dumps(body).encode()
    with urlopen(Request(server.url + path, sent, said, method="POST"), timeout=30) as answer:
        return json.loads(answer.read())


@pytest.fixture
def reader(browser: Browser, server: Server, memory: Memory) -> Iterator[Page]:
    """The page of somebody who only reads, and only one project."""
    key = Keys(memory).create("rita", "reader", project="finance").text
    code = asked(server, key, "/api/auth/codes")["code"]
    with signed_in(browser, server) as page:
        page.evaluate("() => { sessionStorage.clear(); localStorage.clear(); }")
        page.goto("about:blank")
        page.goto(f"{server.url}/#/enter/{code}")
        page.wait_for_selector(".shell")
        yield page


def test_the_overview_tells_what_there_is_and_what_happens(page: Page, memory: Memory) -> None:
    lines: list[str] = []
    page.on("request", lambda one: lines.append(one.url))
    show(page, "overview")
    expect(page.get_by_role("link", name="Memories")).to_contain_text("8")
    size = page.get_by_role("region", name="Layers").get_by_role("link", name="knowledge")
    expect(size).to_contain_text(re.compile(r"\d+ tokens"))
    before = int(size.locator("b").inner_text())
    agents = page.get_by_role("region", name="Agents")
    expect(agents.get_by_role("link", name="mira")).to_contain_text("Load-test the login")
    activity = page.get_by_role("region", name="Live activity")
    memory.agent("mira", project="web").remember("Staging was rebuilt", key="staging")
    expect(activity.locator(".change").first).to_contain_text("Staging was rebuilt")
    expect(size.locator("b")).to_have_text(str(before + 1))
    memory.agent("mira", project="web").now.update("Write the report")
    expect(agents.get_by_role("link").first).to_contain_text("Write the report")
    assert not [one for one in lines if "/api/now" in one], "the overview tells it by itself"


def test_every_figure_says_what_it_is_and_leads_to_where_one_acts(
    browser: Browser, server: Server
) -> None:
    for query in ("where do sessions live", "the colour of the moon"):
        asked(server, server.key, "/api/search", {"query": query})
    with signed_in(browser, server) as page:
        figures = page.locator(".figure")
        for name, value, about, leads in (
            ("Near-duplicates", re.compile(r"^[45]\.\d%$"), "1 of 2", "review/consolidation"),
            ("Stale", re.compile(r"^[45]\.\d%$"), "1 of 2", "review/stale"),
            ("Recalls abstained", "50%", "1 of 2", "search"),
            ("Tokens on tasks", "224 k", "8 attempts", "tasks"),
            ("Waiting for review", "2", "accept", "review"),
        ):
            figure = figures.filter(has_text=name)
            expect(figure.locator("b")).to_have_text(value)
            expect(figure.locator("small")).to_contain_text(about)
            expect(figure).to_have_attribute("href", f"#/{leads}")
            assert len(figure.get_attribute("title") or "") > 40, name
        spend = page.get_by_role("region", name="Token spend")
        expect(spend.get_by_role("img")).to_have_attribute("aria-label", re.compile("14 days"))
        expect(spend.get_by_role("link").first).to_contain_text("finn")
        figures.filter(has_text="Stale").click()
        expect(page).to_have_url(re.compile("review/stale"))


def test_health_tells_of_power_loss_and_of_what_waits(page: Page) -> None:
    health = page.get_by_role("region", name="Health").get_by_role("listitem")
    expect(health.filter(has_text="Durability")).to_contain_text("survives power loss")
    expect(health.filter(has_text="Backlog")).to_contain_text(re.compile("vector"))
    expect(health.filter(has_text="Writing").get_by_role("link")).to_have_attribute(
        "href", "#/feed"
    )


def test_a_project_is_chosen_by_its_size_and_left_again(page: Page) -> None:
    projects = page.get_by_role("region", name="Projects")
    expect(projects.get_by_role("button").first).to_contain_text("3 agents")
    projects.get_by_role("button", name="finance").click()
    expect(page.get_by_text("What the project finance remembers")).to_be_visible()
    expect(page.get_by_role("link", name="Memories")).to_contain_text("2")
    expect(page.get_by_role("combobox", name="Project")).to_have_value("finance")
    expect(projects).to_have_count(0)
    page.get_by_role("button", name="All projects").click()
    expect(projects.get_by_role("button", name="web")).to_be_visible()


def test_who_reads_one_project_sees_that_and_no_errors(reader: Page) -> None:
    expect(reader.get_by_role("link", name="Memories")).to_contain_text("2")
    expect(reader.locator(".figure").filter(has_text="Tokens on tasks")).to_contain_text(
        "0 attempts"
    )
    expect(reader.get_by_role("region", name="Agents")).to_contain_text("No agent has said")
    expect(reader.get_by_role("region", name="Health")).to_contain_text("survives power loss")
    expect(reader.get_by_role("region", name="Projects")).to_have_count(0)
    expect(reader.get_by_role("region", name="Health")).not_to_contain_text("Backlog")
    expect(reader.get_by_role("alert")).to_have_count(0)


def test_what_another_chose_here_does_not_lock_out_who_sees_one_project(reader: Page) -> None:
    reader.evaluate("() => localStorage.setItem('lamina.project', 'web')")
    reader.reload()
    expect(reader.get_by_role("link", name="Memories")).to_contain_text("2")
    show(reader, "knowledge")
    expect(reader.locator(".vrow")).to_have_count(2)


def test_where_nothing_is_remembered_it_teaches(page: Page, memory: Memory) -> None:
    page.evaluate("() => localStorage.setItem('lamina.project', 'fresh')")
    page.reload()
    expect(page.get_by_text("Nothing is remembered here yet")).to_be_visible()
    expect(page.get_by_text("lamina --project fresh remember")).to_be_visible()
    memory.project("fresh").remember("The first thing")
    expect(page.get_by_role("link", name="Memories")).to_contain_text("1")
