"""By keys alone: every view, every list, and a list of keys that says exactly what works."""

from playwright.sync_api import Page, expect

from tests.ui.fixtures import show

# Keys as they come while the browser is busy: the next one before it tells of a new address.
AT_ONCE = """async (list, keys) => {
  for (const key of keys) {
    list.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    for (let turn = 0; turn < 9; turn++) await null;
  }
}"""


def test_every_view_is_reached_by_keys_and_help_lists_them(page: Page) -> None:
    page.keyboard.press("?")
    views = page.get_by_role("region", name="Views")
    expect(views).to_be_visible()
    keys = views.locator("kbd").all_inner_texts()
    titles = views.locator("dd").all_inner_texts()
    assert len(keys) == len(titles) == page.get_by_role("navigation").get_by_role("link").count()
    # While a dialog is open, keys mean nothing else.
    page.keyboard.press("3")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    for key, title in zip(keys, titles, strict=True):
        page.evaluate("() => document.activeElement?.blur()")
        page.keyboard.press(key)
        expect(page).to_have_title(f"{title} · Lamina")
        expect(page.locator("main:focus-within")).to_have_count(1)
    show(page, "nowhere")
    expect(page.get_by_text("There is no view called")).to_be_visible()


def test_lists_are_walked_and_panels_closed_by_keys(page: Page) -> None:
    show(page, "knowledge")
    expect(page.locator(".vrow").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("j")
    expect(page.locator(".vrow.chosen")).to_have_attribute("aria-rowindex", "3")
    page.locator(".vbody").evaluate(AT_ONCE, ["j", "ArrowDown", "k"])
    expect(page.locator(".vrow.chosen")).to_have_attribute("aria-rowindex", "4")
    expect(page.get_by_role("article")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("article")).to_have_count(0)
    expect(page.locator(".vbody")).to_be_focused()
    page.keyboard.press("8")
    expect(page.locator(".view-feed .vrow").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("article", name="Change")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("article").locator(":focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.get_by_role("article")).to_have_count(0)
    page.keyboard.press("6")
    expect(page.get_by_role("link", name="build:web:status")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = page.locator("[data-row]").nth(1)
    expect(second).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("[data-row]").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("article", name="History of a key")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("article")).to_have_count(0)


def test_a_view_adds_its_keys_to_the_list(page: Page) -> None:
    show(page, "board")
    expect(page.get_by_role("button", name="Publish")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Publish a signal")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("n")
    form = page.get_by_role("dialog", name="Publish a signal")
    expect(form).to_be_visible()
    # What is typed into a field is text, whatever it means elsewhere.
    form.get_by_label("Key").press_sequentially("n?/1")
    expect(form.get_by_label("Key")).to_have_value("n?/1")
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    show(page, "review")
    expect(page.get_by_role("tablist", name="Queues")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Undo what was just decided")
    page.keyboard.press("Escape")
    show(page, "feed")
    expect(page.get_by_role("button", name="Hold")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).not_to_contain_text("Publish a signal")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    page.keyboard.press("/")
    box = page.get_by_role("searchbox")
    expect(box).to_be_focused()
    box.fill("sessions")
    expect(page.locator(".hit").first).to_be_visible()
    box.press("Tab")
    page.keyboard.press("Escape")
    page.locator(".hit-main").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".hit-main").nth(1)).to_be_focused()
    page.keyboard.press("/")
    expect(box).to_be_focused()
    page.keyboard.press("Escape")
    expect(box).to_have_value("")
