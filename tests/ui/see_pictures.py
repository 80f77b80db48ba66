"""Pictures of every view, on the demo store, at a moment at which time stands still."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

from lamina import Memory
from tests.ui import demo_store, moment
from tests.ui.fixtures import PHONE, signed_in
from tests.ui.pictures import draw
from tests.ui.places import VIEWS, visit
from tests.ui.serving import Server

THEN = datetime(2026, 3, 12, 15, 30, tzinfo=UTC)
DRAWN, SHOWN = Path("build/ui/pictures"), Path("docs/images")
SIZE = {"width": 1200, "height": 760}
# Eleven views, on a machine that may be busy.
pytestmark = pytest.mark.timeout(240)
DARK, SMALL = ("overview", "search", "tasks"), ("overview", "search", "knowledge")


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for which it is always then."""
    store = tmp_path_factory.mktemp("still") / "store"
    with moment.at(THEN, "the demo"):
        demo_store.main(str(store))
    served = Server(store, THEN).start()
    yield served
    served.kill()


@pytest.fixture(scope="module")
def memory(still: Server) -> Iterator[Memory]:
    with still.memory() as opened:
        yield opened


def as_quick_as_ever(route: Route) -> None:
    """How long a search took is told, and never the same."""
    answer = route.fetch()
    route.fulfill(response=answer, json={**answer.json(), "took_ms": 4.2})


def stopped(page: Page) -> None:
    page.clock.set_fixed_time(THEN)
    page.route("**/api/search*", as_quick_as_ever)
    page.emulate_media(reduced_motion="reduce")


@pytest.mark.parametrize(
    ("how", "names", "ending"),
    [
        ({"viewport": SIZE, "color_scheme": "light"}, tuple(VIEWS), ""),
        ({"viewport": SIZE, "color_scheme": "dark"}, DARK, "-dark"),
        ({"viewport": PHONE, "has_touch": True}, SMALL, "-phone"),
    ],
)
def test_every_view_is_drawn(
    browser: Browser, still: Server, memory: Memory, how: dict[str, object],
    names: tuple[str, ...], ending: str,
) -> None:  # fmt: skip
    with signed_in(browser, still, before=stopped, **how) as page:
        for name in names:
            visit(page, name, memory)
            picture = f"ui-{name}{ending}.png"
            draw(page, DRAWN / picture, SHOWN / picture)


def test_documents_have_every_picture() -> None:
    drawn = {one.name for one in DRAWN.glob("ui-*.png")}
    shown = {one.name for one in SHOWN.glob("ui-*.png")}
    assert drawn == shown, "run `make pictures`"
