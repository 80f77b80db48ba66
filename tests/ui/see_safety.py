"""What is remembered is shown as text, whatever it looks like; and nothing goes anywhere else."""

import re
import shutil
from collections.abc import Iterator
from urllib.parse import quote
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

import lamina
from tests.ui.fixtures import PHONE, settle, show, signed_in
from tests.ui.payloads import MARK, PAYLOADS, WORSE
from tests.ui.poison import INHERITED, fill
from tests.ui.serving import Server

# A hundred pages, on a machine that may be busy.
pytestmark = pytest.mark.timeout(300)
TEXTS = (*PAYLOADS, *WORSE)
EVE = "agents/project%2Fweb%2Fagent%2Feve"
TABS = (f"{EVE}?tab={tab}" for tab in ("sessions", "notebook", "context&budget=16000"))
PLACES = ("knowledge?layer=every+layer", EVE, *TABS, "review/doubtful", "tasks/t-1")
MOST_LINKS = 60
BENIGN = """() => {
  const odd = [];
  for (const one of document.querySelectorAll('*')) {
    const name = one.localName;
    if (['iframe', 'object', 'embed', 'base', 'img', 'form', 'template', 'meta'].includes(name)
        && !one.closest('head, form.ours, main form, dialog form')) odd.push(name);
    for (const { name: at, value } of one.attributes) {
      if (at.startsWith('on')) odd.push(at);
      if (/^(xlink:)?href$|^src$|^action$|^srcdoc$/.test(at) && !/^(#|\\/assets\\/)/.test(value)) {
        odd.push(`${at}=${value.slice(0, 80)}`);
      }
      if (at === 'target' || (at === 'style' && /url|expression|image/i.test(value))) {
        odd.push(`${at}=${value.slice(0, 80)}`);
      }
    }
  }
  return odd;
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a store in which everything is an attack."""
    store = tmp_path_factory.mktemp("poisoned") / "store"
    with lamina.open(store) as memory:
        memory.configure("recall.embedder", "off")
        ids, refused = fill(memory, TEXTS)
    # Most names take anything that can be read; those that do not say so.
    assert 0 < refused < len(TEXTS) * 9
    served = Server(store).start()
    served.poisoned = ids
    yield served
    served.kill()
    shutil.rmtree(store)


def as_shown(text: str) -> str:
    """What would be invisible is shown by its number."""
    return "".join(one if one.isprintable() else f"U+{ord(one):X}" for one in text)


def links(page: Page) -> list[str]:
    """Where one can go from here."""
    found: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('a[href^=\"#/\"]')].map((one) => one.hash)"
    )
    return found


def unharmed(page: Page) -> None:
    """Nothing ran, nothing became markup, and nothing leads or asks elsewhere."""
    assert page.evaluate(f"() => [window.{MARK}, ({{}}).{MARK}]") == [None, None]
    assert page.evaluate(BENIGN) == [], page.url
    assert page.locator("script, link[rel=stylesheet]").count() == 2


def test_forty_attacks_in_every_field_do_nothing(browser: Browser, server: Server) -> None:
    """Every view and whatever it leads to, whichever views there are."""
    with signed_in(browser, server, allowed=("status of 4",)) as page:
        todo = [*dict.fromkeys((*links(page), *(f"#/{one}" for one in PLACES)))]
        kinds: dict[str, int] = {}
        for place in todo:
            show(page, place.removeprefix("#/"))
            settle(page)
            expect(page.locator("h1").first).to_be_visible()
            for folded in page.locator("main summary").all()[:3]:
                folded.click()
            unharmed(page)
            for link in links(page):
                # A few of each sort: a record is a record.
                sort = re.split(r"[/?]", link)[1]
                if link not in todo and len(todo) < MOST_LINKS and kinds.get(sort, 0) < 9:
                    kinds[sort] = kinds.get(sort, 0) + 1
                    todo.append(link)
        assert len(todo) > 25
        show(page, "feed")
        settle(page)
        for line in page.locator(".vrow").all()[:12]:
            line.click()
            expect(page.get_by_role("article", name="Change")).to_be_visible()
        unharmed(page)


def test_what_every_object_has_is_a_name_like_others(browser: Browser, server: Server) -> None:
    with signed_in(browser, server) as page:
        for name in INHERITED:
            show(page, f"tasks/t-{name}")
            expect(page.get_by_text(f"A task in the state {name}").first).to_be_visible()
            show(page, f"record/has-{name}")
            fact = page.get_by_role("article").locator("dl.facts div").last
            expect(fact).to_have_text(re.compile(f"{name}.*told"))


def test_each_attack_is_read_as_it_was_written(browser: Browser, server: Server) -> None:
    with signed_in(browser, server, allowed=("status of 4",)) as page:
        for number, text in enumerate(TEXTS):
            show(page, f"record/{server.poisoned[number]}")
            said = page.get_by_role("article").locator(".said")
            expect(said).to_have_text(re.sub(r"\s+", " ", as_shown(text)))
            if number % 8 == 0 or number >= len(PAYLOADS):
                unharmed(page)


def test_addresses_and_questions_are_text_as_well(browser: Browser, server: Server) -> None:
    """Links that somebody sends: questions, filters, names of views, ids that are none."""
    with signed_in(browser, server, allowed=("status of 4",)) as page:
        for number, text in enumerate(TEXTS):
            told = quote(text[:300], safe="")
            others = (
                f"record/{told}", f"erase/{told}", told, f"agents/{told}", f"tasks/{told}",
                f"feed?actor={told}&layer={told}", f"review/{told}", f"board?project={told}",
                f"knowledge?layer={told}&q={told}&tag={told}", f"enter/{told}",
            )  # fmt: skip
            for place in (*others[number % 5 :: 5], f"search?q={told}"):
                show(page, place)
            settle(page)
            expect(page.get_by_role("searchbox")).to_have_value(text[:300].replace("\n", ""))
            unharmed(page)


def test_the_longest_word_does_not_widen_a_phone(browser: Browser, server: Server) -> None:
    word = server.poisoned[TEXTS.index("W" * 3_000)]
    with signed_in(browser, server, viewport=PHONE, allowed=("status of 4",)) as page:
        for place in (f"record/{word}", "overview", "feed", "board", "tasks", "agents", "review"):
            show(page, place)
            settle(page)
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            assert wide <= PHONE["width"], (place, wide)


def test_markup_cannot_be_written_by_mistake(browser: Browser, server: Server) -> None:
    allowed = ("TrustedHTML", "TrustedScript", "Content Security", "Trusted", "violates")
    with signed_in(browser, server, allowed=allowed) as page:
        said = page.evaluate(
            "() => { try { document.body.innerHTML = '<b>x</b>'; } catch (e) { return e.name; } }"
        )
        assert said == "TypeError"
        outside = page.evaluate(
            "() => fetch('https://evil.example/').then(() => 'went', () => 'refused')"
        )
        assert outside == "refused"
        worker = page.evaluate(
            "() => navigator.serviceWorker.register('/assets/icon.svg')"
            ".then(() => 'went', () => 'refused')"
        )
        assert worker == "refused"
        assert page.evaluate("() => window.opener") is None


def test_no_other_page_holds_ours_in_a_frame(browser: Browser, server: Server) -> None:
    page = browser.new_context().new_page()
    page.goto("data:text/html,<p>Another page</p>")
    page.evaluate(
        "url => { const one = document.createElement('iframe'); one.src = url;"
        " document.body.append(one); return new Promise((done) => { one.onload = done; }); }",
        server.url,
    )
    assert all("Lamina" not in one.content() for one in page.frames[1:])
    page.context.close()


def test_a_page_says_how_it_may_be_used(server: Server) -> None:
    with urlopen(server.url, timeout=10) as answer:
        headers = answer.headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-cache"
    policy = headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
