"""How it looks and feels: on a phone, in the dark, to a screen reader, with ten thousand rows."""

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from lamina import Memory
from tests.ui.fixtures import PHONE, WIDE, show, signed_in
from tests.ui.places import VIEWS, visit
from tests.ui.serving import Server

ROWS = 10_000


def test_a_phone_shows_every_view_without_scrolling_sideways(
    browser: Browser, server: Server, memory: Memory
) -> None:
    with signed_in(browser, server, viewport=PHONE, has_touch=True) as page:
        for name in VIEWS:
            visit(page, name, memory)
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            assert wide <= PHONE["width"], (name, wide)


def test_the_switch_wins_over_the_system(browser: Browser, server: Server) -> None:
    def colour(page: Page) -> str:
        found: str = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        return found

    with signed_in(browser, server, color_scheme="dark") as page:
        dark = colour(page)
        page.get_by_role("button", name="Colours: auto").click()
        expect(page.locator("body")).not_to_have_css("background-color", dark)
        light = colour(page)
        page.reload()
        page.wait_for_selector(".shell")
        expect(page.locator("body")).to_have_css("background-color", light)
        page.get_by_role("button", name="Colours: light").click()
        expect(page.locator("body")).to_have_css("background-color", dark)


def test_ten_thousand_rows_scroll(browser: Browser, server: Server, memory: Memory) -> None:
    memory.configure("recall.embedder", "off")
    many = memory.project("many")
    for begin in range(0, ROWS, 1_000):
        many.remember_many(
            [{"text": f"Memory number {n}", "key": f"k-{n}"} for n in range(begin, begin + 1_000)]
        )
    with signed_in(browser, server, viewport=WIDE) as page:
        page.evaluate("() => localStorage.setItem('lamina.project', 'many')")
        page.reload()
        show(page, "knowledge")
        expect(page.locator(".head")).to_contain_text("10,000")
        assert page.locator(".vrow").count() < 60
        told = page.evaluate(SCROLL)
        assert page.locator(".vrow").count() < 60
        expect(page.locator(".vrow", has_text="Memory number 0").last).to_be_visible(timeout=30_000)
    # How fast depends on the machine, so it is written down and not judged here.
    Path("build/ui").mkdir(parents=True, exist_ok=True)
    Path("build/ui/scrolling.txt").write_text(f"{told:.1f} frames/s\n", encoding="utf-8")


SCROLL = """async () => {
  const box = document.querySelector('.vbody');
  const frame = () => new Promise(requestAnimationFrame);
  let frames = 0;
  const begun = performance.now();
  const end = box.scrollHeight - box.clientHeight - 50;
  while (box.scrollTop < end && performance.now() - begun < 20000) {
    box.scrollTop += 1500;
    await frame();
    frames++;
  }
  const rate = frames / ((performance.now() - begun) / 1000);
  box.scrollTop = box.scrollHeight;
  return rate;
}"""
