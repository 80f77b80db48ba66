"""For those who do not see, do not use a mouse, enlarge, or want no movement."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from lamina import Memory
from tests.ui.fixtures import PHONE, settle, show, signed_in
from tests.ui.places import VIEWS, visit
from tests.ui.serving import Server

AXE = Path("web/node_modules/axe-core/axe.min.js")
ALL = "{resultTypes: ['violations']}"
COLOURS = "{resultTypes: ['violations'], runOnly: ['color-contrast']}"
SHAPES = (
    "{resultTypes: ['violations'],"
    " rules: {'color-contrast': {enabled: false}, 'target-size': {enabled: true}}}"
)
DIALOGS = (("overview", "Keyboard"), ("board", "Publish"), ("knowledge", "Add a memory"))
# Every view, on a machine that may be busy.
pytestmark = pytest.mark.timeout(240)


def looked_at(page: Page, memory: Memory) -> Iterator[str]:
    """Every view, and every dialog that a button of one opens."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for name in VIEWS:
        visit(page, name, memory)
        yield name
    for place, button in DIALOGS:
        show(page, place)
        settle(page)
        opens = page.get_by_role("button", name=button, exact=True).first
        if opens.count():
            opens.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            yield f"{place}: {button}"
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)


def found_by_axe(page: Page, where: str, how: str) -> list[tuple[str, Any, Any, Any]]:
    told = page.evaluate(f"() => axe.run(document, {how})")
    return [
        (where, one["id"], one["impact"], [node["html"][:160] for node in one["nodes"][:3]])
        for one in told["violations"]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("how", "rules"),
    [
        ({}, ALL),
        ({"color_scheme": "dark"}, COLOURS),
        ({"viewport": PHONE, "has_touch": True}, SHAPES),
        ({"viewport": PHONE, "has_touch": True, "color_scheme": "dark"}, COLOURS),
    ],
    ids=["light", "dark", "phone", "dark phone"],
)
def test_axe_finds_nothing(
    browser: Browser, server: Server, memory: Memory, how: dict[str, Any], rules: str
) -> None:
    with signed_in(browser, server, **how) as page:
        found = [
            one for where in looked_at(page, memory) for one in found_by_axe(page, where, rules)
        ]
    assert found == []


def test_axe_finds_nothing_before_one_is_signed_in(browser: Browser, server: Server) -> None:
    page = browser.new_context().new_page()
    page.goto(server.url)
    expect(page.get_by_label("Key")).to_be_focused()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert found_by_axe(page, "sign-in", ALL) == []
    page.context.close()


def test_each_view_has_a_title_and_one_heading(page: Page, memory: Memory) -> None:
    titles = {}
    for name in VIEWS:
        visit(page, name, memory)
        titles[name] = page.title()
        assert page.locator("h1").count() == 1, name
        assert titles[name].endswith(" · Lamina")
    assert titles["tasks"] == "t-2 · Tasks · Lamina"
    assert titles["agent"] == "mira · Agents · Lamina"
    same = {"context", "session"}
    assert len(set(titles.values())) == len(VIEWS) - len(same)
    show(page, "nowhere")
    expect(page).to_have_title("Not found · Lamina")


def test_the_menu_can_be_skipped_and_focus_comes_back(page: Page) -> None:
    page.evaluate("() => document.activeElement?.blur()")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    opener = page.get_by_role("button", name="Keyboard")
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.evaluate("() => document.querySelector('dialog').contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()
    # A view that is gone takes no focus with it.
    page.locator("main").focus()
    page.keyboard.press("3")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Knowledge")
    expect(heading).to_be_focused()


def test_changes_are_not_read_out_one_by_one(page: Page, memory: Memory) -> None:
    for place in ("feed", "overview"):
        show(page, place)
        settle(page)
        assert page.locator("main [aria-live], main [role=log], main [role=alert]").count() == 0
    show(page, "feed")
    memory.project("web").remember("Nobody is told aloud")
    expect(page.get_by_role("table", name="Changes")).to_contain_text("Nobody is told aloud")


def test_twice_as_large_nothing_is_out_of_reach(
    browser: Browser, server: Server, memory: Memory
) -> None:
    size = {"width": 640, "height": 400}
    with signed_in(browser, server, viewport=size, device_scale_factor=2) as page:
        for name in VIEWS:
            visit(page, name, memory)
            assert page.evaluate("() => document.documentElement.scrollWidth") <= 640, name
            expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_movement_and_colours_are_left_to_the_system(browser: Browser, server: Server) -> None:
    how = {"reduced_motion": "reduce", "forced_colors": "active"}
    with signed_in(browser, server, **how) as page:
        show(page, "review")
        settle(page)
        assert page.evaluate("() => document.getAnimations().length") == 0
        slow = page.evaluate(
            "() => [...document.querySelectorAll('*')].filter((one) =>"
            " parseFloat(getComputedStyle(one).transitionDuration) > 0).length"
        )
        assert slow == 0
        # The view at hand is marked by more than a colour, which is not ours here.
        current = page.locator("nav [aria-current]")
        other = page.locator("nav a:not([aria-current])").first
        border = "one => getComputedStyle(one).outlineStyle + getComputedStyle(one).borderColor"
        assert current.evaluate(border) != other.evaluate(border)
        current.focus()
        page.keyboard.press("Tab")
        ring = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        assert ring != "none"
