"""Every view with something in it, for the tests that look at all of them."""

from playwright.sync_api import Page

from lamina import Memory
from tests.ui.fixtures import settle, show

MIRA = "agents/project%2Fweb%2Fagent%2Fmira"
VIEWS = {
    "overview": "overview",
    "search": "search?q=where+do+sessions+live",
    "knowledge": "knowledge/{deploy-day}",
    "agent": MIRA,
    "context": f"{MIRA}?tab=context&q=how+do+sessions+work&budget=500",
    "session": f"{MIRA}?tab=sessions",
    "tasks": "tasks/t-2",
    "blackboard": "board",
    "review": "review",
    "feed": "feed",
    "erase": "erase/{circular-import}",
    "transfer": "transfer",
}


def visit(page: Page, name: str, memory: Memory) -> None:
    """Go to a view, and wait until it has said what it has to say."""
    place = VIEWS[name]
    if "{" in place:
        key = place.partition("{")[2].rstrip("}")
        place = place.partition("{")[0] + memory.project("web").get(key, layer="knowledge").id
    show(page, place)
    page.wait_for_selector("main h1")
    settle(page)
