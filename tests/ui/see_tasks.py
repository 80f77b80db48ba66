"""Tasks: attempts in time, what they cost, files, what waits for what, and moving on."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from lamina import Memory
from tests.ui.fixtures import PHONE, show, signed_in
from tests.ui.serving import Server

MANY = 3_000


@contextmanager
def in_project(page: Page, name: str) -> Iterator[None]:
    """Look at one project, and at all of them again afterwards."""
    page.evaluate("name => localStorage.setItem('lamina.project', name)", name)
    page.reload()
    yield
    page.evaluate("() => localStorage.removeItem('lamina.project')")


def attempt(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="Attempts in time").get_by_role("link", name=name)


def test_attempts_in_time_are_zoomed_moved_and_opened(page: Page) -> None:
    show(page, "tasks")
    bars = page.locator(".attempt")
    expect(bars).to_have_count(8)
    expect(page.locator(".axis .now")).to_have_text("now")
    # A failure is told by its shape as well, which is not that of a success.
    bodies = [
        page.locator(f".attempt .m-{one} .mark-body").first.get_attribute("d")
        for one in ("completed", "failed")
    ]
    assert bodies[0] != bodies[1]
    box = page.get_by_role("group", name="Attempts in time").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 20)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    expect(bars).not_to_have_count(8)
    expect(page).to_have_url(re.compile(r"from=2\d{3}-.*to=2\d{3}-"))
    kept = page.url
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 20, steps=4)
    page.mouse.up()
    expect(page).not_to_have_url(kept)
    page.get_by_role("button", name="Show all").click()
    expect(bars).to_have_count(8)
    expect(page).not_to_have_url(re.compile("from="))
    page.get_by_role("button", name="By agent").click()
    expect(page.locator(".row text").first).to_contain_text("finn")
    page.get_by_role("button", name="By task").click()

    first = attempt(page, "Read the code and write it up, completed by finn, 22 min")
    first.focus()
    expect(page.locator(".looked")).to_contain_text("18,400 tokens in")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".looked")).to_contain_text("Signed cookies")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"tasks/t-2\?episode="))
    opened = page.get_by_role("article")
    expect(opened).to_contain_text("4 kB is not enough")
    expect(opened.get_by_role("region", name="History")).to_contain_text("finn added it")


def test_two_fingers_zoom(browser: Browser, server: Server) -> None:
    with signed_in(browser, server, viewport=PHONE, has_touch=True) as page:
        show(page, "tasks")
        bars = page.locator(".attempt")
        expect(bars.first).to_be_visible()
        shown = bars.count()
        box = page.get_by_role("group", name="Attempts in time").bounding_box()
        assert box is not None
        across, down = box["x"] + box["width"] * 0.6, box["y"] + 40
        fingers = page.context.new_cdp_session(page)
        for kind, apart in (("touchStart", 20), ("touchMove", 60), ("touchMove", 140)):
            points = [
                {"x": across - apart, "y": down, "id": 0},
                {"x": across + apart, "y": down, "id": 1},
            ]
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(page).to_have_url(re.compile("from="))
        expect(bars).not_to_have_count(shown)


def test_a_task_tells_what_was_tried_and_compares(page: Page) -> None:
    show(page, "tasks/t-2")
    tried = page.get_by_role("region", name="Attempts")
    expect(tried.locator(".totals")).to_contain_text("3 times")
    expect(tried.locator(".totals")).to_contain_text("99.4 k")
    expect(tried.locator(".totals [title='99,400']")).to_be_visible()
    expect(tried).to_contain_text("Because 4 kB is not enough")
    tried.get_by_role("checkbox", name="Compare Redis with TTL").check()
    tried.get_by_role("checkbox", name="Compare Signed cookies").check()
    beside = tried.get_by_role("region", name="Attempts side by side")
    expect(beside.get_by_role("row", name="Tokens in")).to_contain_text("27,300 (least)")
    page.reload()
    expect(beside.get_by_role("row", name="Tokens in")).to_contain_text("40,900")


def test_a_task_is_moved_by_who_has_seen_how_it_stands(
    browser: Browser, server: Server, memory: Memory
) -> None:
    web = memory.project("web")
    with signed_in(browser, server, allowed=("409",)) as page:
        show(page, "tasks")
        graph = page.get_by_role("region", name="Task graph")
        graph.get_by_role("link", name="t-5").click()
        expect(page.locator(".graph-says")).to_contain_text("Nothing holds t-5 up")
        card = page.get_by_role("region", name="t-5")
        card.get_by_label("Why, if you like").fill("all is measured")
        card.get_by_role("button", name="active").click()
        expect(card.locator(".status")).to_have_text("active")
        assert web.task.get("t-5").data["note"] == "all is measured"
        # Somebody else is faster, and this page has not heard of it yet.
        page.route("**/api/records?layer=task*", lambda route: route.abort())
        web.task.move("t-5", "blocked")
        card.get_by_role("button", name="done").click()
        expect(card.get_by_role("alert")).to_contain_text("it is blocked now")
        assert web.task.get("t-5").data["status"] == "blocked"
        page.unroute("**/api/records?layer=task*")


def test_files_are_verified_where_the_server_looks(
    page: Page, memory: Memory, server: Server
) -> None:
    work = Path(server.store).parent
    mira = memory.agent("mira", project="web")
    for name in ("same", "other", "gone"):
        (work / name).write_text(name, encoding="utf-8")
        mira.artifact.register(name, task="t-6", workspace=work)
    (work / "other").write_text("x", encoding="utf-8")
    (work / "gone").unlink()
    show(page, "tasks/t-6")
    files = page.get_by_role("region", name="Artifacts").get_by_role("listitem")
    expect(files.filter(has_text="same")).to_contain_text("not looked at")
    page.get_by_role("button", name="Verify now").click()
    expect(files.filter(has_text="same")).to_contain_text("as registered")
    expect(files.filter(has_text="other")).to_contain_text("changed since")
    expect(files.filter(has_text="gone")).to_contain_text("missing")


def test_thousands_of_attempts_and_hundreds_of_tasks_stay_readable(
    page: Page, memory: Memory
) -> None:
    memory.configure("recall.embedder", "off")
    much = memory.project("much")
    much.remember_many(
        [
            {"layer": "task", "key": f"m-{n}", "text": f"Step {n}",
             "data": {"status": "open", "blocked_by": [f"m-{n - 7}"] if n >= 7 else []}}
            for n in range(200)
        ]
    )  # fmt: skip
    much.remember_many(
        [
            {"layer": "episode", "kind": ("completed", "failed")[n % 2], "text": f"Try {n}",
             "data": {"task": f"m-{n % 40}", "approach": f"Try {n}", "duration_ms": n}}
            for n in range(MANY)
        ]
    )  # fmt: skip
    with in_project(page, "much"):
        show(page, "tasks/m-100")
        expect(page.locator(".head")).to_contain_text("3,000")
        assert page.locator(".attempt").count() < 400
        expect(attempt(page, "75 attempts on m-0: ").first).to_be_visible()
        # Of the graph, what has to do with the chosen one: three steps either way.
        nodes = page.get_by_role("region", name="Task graph").get_by_role("link")
        expect(nodes).to_have_count(7)
        page.get_by_label("Find a task").fill("m-199")
        expect(page.locator(".task-list li")).to_have_count(1)
        much.episode.record("m-100", "failed", approach="One more")
        expect(page.get_by_role("region", name="Attempts")).to_contain_text("One more")
        expect(page.locator(".head")).to_contain_text("3,001")
