"""What a person waits for in the web interface, measured in a real browser over a large store."""

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from lamina.bench.measure import Phase, Spread, check_disk, machine
from lamina.bench.texts import BLOCK, Texts, drafts
from lamina.core.settings import EMBEDDER
from lamina.errors import InvalidInputError
from lamina.opening import open as open_memory
from lamina.tokens.local import ensure_owner_key, read_owner_key

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MOST_RECORDS: Final = 1_000_000
_MOST_ROUNDS: Final = 1_000
_BATCH: Final = 1_000
_PATIENCE_MS: Final = 60_000
_HOST: Final = "127.0.0.1"
_FLAGS: Final = ("--no-sandbox", "--disable-dev-shm-usage")
_WINDOW: Final = {"width": 1_360, "height": 860}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and where."""

    folder: Path
    records: int = 100_000
    embedder: str | None = None
    """What makes the vectors; that of every new store unless given."""
    rounds: int = 10
    """How often the page is opened, and how many questions are typed."""

    def __post_init__(self) -> None:
        if not 1 <= self.records <= _MOST_RECORDS:
            raise InvalidInputError(f"`records` must be from 1 to 1,000,000, not {self.records}")
        if not 1 <= self.rounds <= _MOST_ROUNDS:
            raise InvalidInputError(f"`rounds` must be from 1 to 1,000, not {self.rounds}")


def find_browser() -> str | None:
    """The browser of this machine, if it has one that can be driven."""
    return next((found for name in _BROWSERS if (found := shutil.which(name))), None)


def measure(plan: Plan, browser: str, phase: Phase) -> dict[str, Any]:
    """Everything, as one document; `browser` is the program that is driven."""
    from playwright.sync_api import sync_playwright

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=plan.folder)))
        kind = check_disk(folder)
        key = _fill(plan, folder / "store", phase)
        port = stack.enter_context(_serving(folder / "store"))
        play = stack.enter_context(sync_playwright())
        opened = play.chromium.launch(executable_path=browser, args=_FLAGS)
        stack.callback(opened.close)
        found: dict[str, Any] = {
            "bench": "ui", "machine": machine(), "filesystem": kind,
            "load": round(os.getloadavg()[0], 2), "browser": opened.version,
            "records": plan.records, "first_load": _weights(port),
        }  # fmt: skip
        with phase("Open", plan.rounds) as advance:
            found["opened"] = _opened(plan, opened, port, key, advance)
        page = _page(opened, port, key)
        with phase("Type", plan.rounds) as advance:
            found["typed"] = _typed(plan, page, port, advance)
        with phase("Scroll", 1) as advance:
            found["scrolled_frames_per_second"] = round(_scrolled(page, port), 1)
            advance(1)
    return found


def _fill(plan: Plan, store: Path, phase: Phase) -> str:
    texts = Texts()
    with open_memory(store) as mem, phase("Fill", plan.records) as advance:
        if plan.embedder is not None:
            mem.configure(EMBEDDER, plan.embedder)
        for first in range(0, plan.records, BLOCK):
            block = drafts(texts.block(first // BLOCK)[: plan.records - first], first)
            for begin in range(0, len(block), _BATCH):
                mem.remember_many(block[begin : begin + _BATCH])
            advance(len(block))
        mem.reindex()
        path = ensure_owner_key(mem)
        assert path is not None, "a store in a directory has a place for it"
        return read_owner_key(path) or ""


@contextmanager
def _serving(store: Path) -> Iterator[int]:
    """A server of its own process; its port."""
    options = ("--dir", str(store), "--json")
    command = [sys.executable, "-m", "lamina", *options, "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(json.loads(process.stdout.readline())["url"].rpartition(":")[2])
        finally:
            process.terminate()


def _asked(port: int, method: str, path: str, headers: dict[str, str]) -> bytes:
    line = http.client.HTTPConnection(_HOST, port, timeout=60)
    try:
        line.request(method, path, headers=headers)
        return line.getresponse().read()
    finally:
        line.close()


def _weights(port: int) -> dict[str, int]:
    """How many bytes come with the first load, as they are sent."""
    packed = {"Accept-Encoding": "gzip"}
    index = _asked(port, "GET", "/", {}).decode()
    names = [part.partition('"')[0] for part in index.split('"/assets/')[1:]]
    sizes = {name: len(_asked(port, "GET", f"/assets/{name}", packed)) for name in names}
    return {
        ending: sum(size for name, size in sizes.items() if name.endswith(f".{ending}"))
        for ending in ("js", "css", "svg")
    }


def _page(browser: Any, port: int, key: str) -> Any:
    """A page of the owner in a browser that has seen nothing yet."""
    page = browser.new_context(viewport=_WINDOW).new_page()
    page.set_default_timeout(_PATIENCE_MS)
    shown = {"Authorization": f"Bearer {key}"}
    code = json.loads(_asked(port, "POST", "/api/auth/codes", shown))["code"]
    page.goto(f"http://{_HOST}:{port}/#/enter/{code}")
    return page


def _opened(plan: Plan, browser: Any, port: int, key: str, advance: Any) -> dict[str, Any]:
    """From the first byte asked for until there is something, and until it says something."""
    painted, told = [], []
    for _ in range(plan.rounds):
        page = _page(browser, port, key)
        whole = page.wait_for_function(
            "() => document.querySelector('.figures b') && performance.now()", polling="raf"
        )
        told.append(float(whole.json_value()) / 1_000)
        # A browser may tell of its first paint only after the page has gone on.
        first = page.wait_for_function(
            "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        )
        painted.append(float(first.json_value()) / 1_000)
        page.context.close()
        advance(1)
    return {"first_paint": asdict(Spread.of(painted)), "meaningful": asdict(Spread.of(told))}


def _typed(plan: Plan, page: Any, port: int, advance: Any) -> dict[str, Any]:
    """From a key pressed until what it finds stands there, for every letter of some questions."""
    page.wait_for_selector(".shell")
    page.goto(f"http://{_HOST}:{port}/#/search")
    page.wait_for_selector("input[type=search]")
    waits: list[float] = []
    for number in range(plan.rounds):
        question = " ".join(Texts().block(number)[number].split()[:4])
        waits += [one / 1_000 for one in page.evaluate(_TYPE, question)]
        advance(1)
    return {"letters": len(waits), **asdict(Spread.of(waits))}


def _scrolled(page: Any, port: int) -> float:
    page.goto(f"http://{_HOST}:{port}/#/knowledge?layer=every+layer")
    page.wait_for_selector(".vrow")
    return float(page.evaluate(_SCROLL))


_TYPE: Final = """async (question) => {
  const box = document.querySelector('input[type=search]');
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const waits = [];
  for (let end = 3; end <= question.length; end++) {
    const begun = performance.now(), wanted = question.slice(0, end).trim();
    // A blank asks nothing new, and would count as found at once.
    if (document.querySelector('[data-of]')?.dataset.of === wanted) continue;
    set.call(box, wanted);
    box.dispatchEvent(new Event('input', { bubbles: true }));
    while (document.querySelector('[data-of]')?.dataset.of !== wanted) {
      await new Promise(requestAnimationFrame);
      if (performance.now() - begun > 60000) throw new Error('nothing came for ' + wanted);
    }
    waits.push(performance.now() - begun);
  }
  return waits;
}"""
_SCROLL: Final = """async () => {
  const box = document.querySelector('.vbody');
  const frame = () => new Promise(requestAnimationFrame);
  const rows = 10000 * document.querySelector('.vrow').offsetHeight, begun = performance.now();
  let frames = 0;
  while (box.scrollTop < Math.min(rows, box.scrollHeight - box.clientHeight - 50)) {
    box.scrollTop += 300;
    await frame();
    frames++;
    if (performance.now() - begun > 60000) break;
  }
  return frames / ((performance.now() - begun) / 1000);
}"""
