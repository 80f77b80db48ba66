"""A browser, a store with something in it, and a server between them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from lamina import Memory
from lamina.bench.pages import find_browser
from tests.ui import demo_store
from tests.ui.serving import Server

FLAGS = ["--no-sandbox", "--disable-dev-shm-usage"]
COUNTING = """(() => {
  window.__asking = 0;
  const counted = (work) => (...said) => {
    window.__asking++;
    return work(...said).finally(() => window.__asking--);
  };
  window.fetch = counted(window.fetch.bind(window));
  const json = Response.prototype.json;
  Response.prototype.json = function () { return counted(() => json.call(this))(); };
})()"""
CALM = """() => {
  const calm = !window.__asking && !document.querySelector('main .waiting');
  window.__calm = calm ? (window.__calm ?? 0) + 1 : 0;
  return window.__calm > 5;
}"""
PATIENCE_MS = 20_000
"""For what must be seen, on a machine that may be busy; what is there at once is not waited for."""
WIDE, PHONE = {"width": 1360, "height": 860}, {"width": 390, "height": 844}


@dataclass
class Seen:
    """What must not happen on any page."""

    own: str
    complaints: list[str] = field(default_factory=list)
    allowed: tuple[str, ...] = ()

    def watch(self, context: BrowserContext) -> None:
        """Take note of dialogs, errors, and requests to anywhere else."""
        context.on("dialog", self._dialog)
        context.on("weberror", lambda one: self._note("error", str(one.error)))
        context.on("console", self._console)
        context.on("request", lambda one: self._request(one.url))

    def _dialog(self, one: Any) -> None:
        self._note("dialog", one.message)
        one.dismiss()

    def _console(self, one: Any) -> None:
        if one.type == "error":
            self._note("console", one.text)

    def _request(self, url: str) -> None:
        if not url.startswith((self.own, "data:")):
            self._note("request", url)

    def _note(self, kind: str, text: str) -> None:
        if not any(one in text for one in self.allowed):
            self.complaints.append(f"{kind}: {text}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, headless."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a fortnight in it, to be copied."""
    folder = tmp_path_factory.mktemp("demo") / "store"
    demo_store.main(str(folder))
    return folder


@pytest.fixture(scope="module")
def server(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a store that no other file of tests has changed."""
    store = tmp_path_factory.mktemp("served") / ".lamina"
    shutil.copytree(filled, store)
    served = Server(store).start()
    yield served
    served.kill()


@pytest.fixture(scope="module")
def memory(server: Server) -> Iterator[Memory]:
    """What an agent would do meanwhile, from another process."""
    with server.memory() as opened:
        yield opened


@contextmanager
def signed_in(browser: Browser, server: Server, **how: Any) -> Iterator[Page]:
    """A page of somebody who is signed in; nothing on it may go wrong."""
    allowed, before = how.pop("allowed", ()), how.pop("before", None)
    context = browser.new_context(**{"viewport": WIDE, **how})
    context.add_init_script(COUNTING)
    seen = Seen(server.url, allowed=allowed)
    seen.watch(context)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    if before is not None:
        before(page)
    page.goto(server.entry())
    page.wait_for_selector(".shell")
    yield page
    context.close()
    assert seen.complaints == []


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """The page of the owner."""
    with signed_in(browser, server) as opened:
        yield opened


def show(page: Page, place: str) -> None:
    """Go to a view."""
    page.evaluate("place => { location.hash = place; }", f"#/{place}")


def settle(page: Page) -> None:
    """Wait until a page asks for nothing more and waits for nothing, for a few frames."""
    page.evaluate("() => { window.__calm = 0; }")
    page.wait_for_function(CALM, polling="raf")
