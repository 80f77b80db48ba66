"""Coming in, staying in and going out."""

import re
import subprocess
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from lamina import clock
from lamina.tokens import Keys
from tests.ui.fixtures import WIDE, show, signed_in
from tests.ui.serving import LAMINA, Server

STORED = "JSON.stringify([{...sessionStorage}, {...localStorage}])"


def stored(page: Page) -> str:
    found: str = page.evaluate(f"() => {STORED}")
    return found


def test_a_code_lets_in_once_and_leaves_no_trace(browser: Browser, server: Server) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    address = server.entry_of_command()
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    assert "enter" not in page.url
    assert server.key not in stored(page)
    assert address.rpartition("/")[2] not in stored(page)
    stranger = browser.new_context().new_page()
    stranger.goto(address)
    expect(stranger.get_by_text("this code was used already")).to_be_visible()
    context.close()


def test_a_key_lets_in_and_is_forgotten(browser: Browser, server: Server) -> None:
    page = browser.new_context(viewport=WIDE).new_page()
    page.goto(server.url)
    page.get_by_label("Key").fill("lmk_nonsense")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("This key is not known here")
    page.get_by_label("Key").fill(server.key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".shell")).to_be_visible()
    assert server.key not in stored(page)
    page.reload()
    expect(page.locator(".shell")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Key")).to_be_visible()
    assert "token" not in stored(page)
    page.reload()
    expect(page.get_by_label("Key")).to_be_visible()
    page.context.close()


def test_another_tab_is_let_in_by_the_first_and_leaves_with_it(
    browser: Browser, server: Server
) -> None:
    with signed_in(browser, server) as page:
        other = page.context.new_page()
        other.goto(f"{server.url}/#/tasks")
        expect(other.get_by_role("heading", level=1)).to_have_text("Tasks")
        page.get_by_role("button", name="Sign out").click()
        expect(other.get_by_label("Key")).to_be_visible()


def test_a_token_is_renewed_before_it_runs_out(browser: Browser, server: Server) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.clock.install()
    page.goto(server.entry())
    expect(page.locator(".shell")).to_be_visible()
    before = stored(page)
    with page.expect_response("**/api/auth/enter") as renewed:
        page.clock.fast_forward("13:00")
    assert renewed.value.status == 200
    expect(page.locator(".standing.live")).to_be_visible()
    page.wait_for_function(f"before => {STORED} !== before", arg=before)
    context.close()


def test_a_page_stays_signed_in_when_the_server_starts_anew(
    browser: Browser, server: Server
) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.clock.install()
    page.goto(server.entry())
    expect(page.locator(".standing.live")).to_be_visible()
    server.kill()
    server.start()
    with page.expect_response("**/api/auth/enter") as renewed:
        page.clock.fast_forward("13:00")
    assert renewed.value.status == 200
    expect(page.locator(".standing.live")).to_be_visible()
    context.close()


def test_clocks_that_differ_by_hours_sign_nobody_out(browser: Browser, server: Server) -> None:
    for hours in (-30, 30):
        context = browser.new_context(viewport=WIDE)
        page = context.new_page()
        page.clock.set_system_time(clock.now() + timedelta(hours=hours))
        page.goto(server.entry())
        expect(page.locator(".standing.live")).to_be_visible()
        page.reload()
        expect(page.locator(".standing.live")).to_be_visible()
        context.close()


def test_a_machine_that_slept_renews_before_it_asks(browser: Browser, server: Server) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto(server.entry())
    expect(page.locator(".standing.live")).to_be_visible()
    # The token is over, and the page has not noticed.
    page.evaluate(
        """() => {
          const one = JSON.parse(sessionStorage.getItem('lamina.entered'));
          one.until = Date.now() - 3600000;
          one.token = one.token.replace(/.$/, '');
          sessionStorage.setItem('lamina.entered', JSON.stringify(one));
        }"""
    )
    with page.expect_response("**/api/auth/enter") as renewed:
        page.reload()
    assert renewed.value.status == 200
    expect(page.locator(".shell")).to_be_visible()
    context.close()


def test_who_signs_out_leaves_nothing_to_renew_with(browser: Browser, server: Server) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto(server.entry())
    expect(page.locator(".shell")).to_be_visible()
    code = page.evaluate("() => JSON.parse(sessionStorage.getItem('lamina.entered')).next_code")
    with page.expect_response("**/api/auth/leave") as left:
        page.get_by_role("button", name="Sign out").click()
    assert left.value.status == 200
    page.goto(f"{server.url}/#/enter/{code}")
    expect(page.get_by_text("this code was used already")).to_be_visible()
    context.close()


def test_a_revoked_key_ends_the_page_with_a_word(browser: Browser, server: Server) -> None:
    with server.memory() as whole:
        made = Keys(whole).create("temp", "reader")
        page = browser.new_context(viewport=WIDE).new_page()
        page.goto(server.url)
        page.get_by_label("Key").fill(made.text)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".standing.live")).to_be_visible()
        Keys(whole).revoke(made.key.id)
    expect(page.get_by_text("its key was revoked")).to_be_visible()
    expect(page.get_by_label("Key")).to_be_visible()
    page.context.close()


def test_who_may_less_sees_less(browser: Browser, server: Server) -> None:
    with server.memory() as whole:
        reader = Keys(whole).create("guest", "reader", project="finance").text
    page = browser.new_context(viewport=WIDE).new_page()
    page.goto(server.url)
    page.get_by_label("Key").fill(reader)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name="Memories")).to_contain_text("2")
    page.goto(f"{server.url}/#/knowledge")
    page.get_by_role("row", name="payroll").click()
    expect(page.get_by_role("article")).to_contain_text("Payroll closes")
    # What a key may not do is not offered, and refused where it is asked for all the same.
    expect(page.get_by_role("article").get_by_role("button", name="Forget")).to_have_count(0)
    status = page.evaluate(
        """async () => {
          const { token } = JSON.parse(sessionStorage.getItem('lamina.entered'));
          const id = location.hash.split('/').pop().split('?')[0];
          const headers = { Authorization: `Bearer ${token}` };
          return (await fetch(`/api/records/${id}`, { method: 'DELETE', headers })).status;
        }"""
    )
    assert status == 403
    page.context.close()


def test_the_command_starts_a_server_where_none_is(browser: Browser, tmp_path: Path) -> None:
    command = [*LAMINA, "--dir", str(tmp_path / "new"), "ui", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            page = browser.new_context(viewport=WIDE).new_page()
            page.goto(process.stdout.readline().strip())
            expect(page.get_by_text("Nothing is remembered yet")).to_be_visible()
            page.context.close()
        finally:
            process.terminate()
    assert process.returncode == 0


def test_an_address_signs_in_a_page_that_is_open_already(browser: Browser, server: Server) -> None:
    page = browser.new_context(viewport=WIDE).new_page()
    page.goto(server.url)
    expect(page.get_by_label("Key")).to_be_focused()
    code = server.entry().partition("#/")[2]
    show(page, code)
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
    assert "enter" not in page.url
    page.get_by_role("button", name="Sign out").click()
    show(page, code)
    expect(page.get_by_role("status")).to_have_text(re.compile("^This code was used.*lamina ui"))
    page.context.close()


def test_what_is_no_key_is_not_taken_for_a_dead_server(browser: Browser, server: Server) -> None:
    page = browser.new_context(viewport=WIDE).new_page()
    page.goto(server.url)
    page.get_by_label("Key").fill("lmk_…")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("This key is not known here.")
    page.context.close()


def test_an_address_signs_nobody_in_as_somebody_else_unasked(
    browser: Browser, server: Server
) -> None:
    with server.memory() as whole:
        theirs = Keys(whole).create("mallory", "agent", project="web").text
    with signed_in(browser, server) as mine:
        owner = mine.locator(".who").text_content() or ""
        opened = mine.context.new_page()
        opened.goto(server.entry(theirs))
        expect(opened.get_by_role("heading", level=1)).to_have_text("Sign in as somebody else?")
        expect(opened.get_by_text("mallory (agent of project/web)")).to_be_visible()
        assert "enter" not in opened.url
        with opened.expect_response("**/api/auth/leave") as left:
            opened.get_by_role("button", name=f"Stay as {owner}").click()
        assert left.value.status == 200
        expect(opened.locator(".who")).to_have_text(owner)
        opened.goto("about:blank")
        opened.goto(server.entry(theirs))
        expect(opened.get_by_role("button", name="Switch to mallory")).to_be_visible()
        # The other tabs are who they were until somebody says otherwise.
        expect(mine.locator(".who")).to_have_text(owner)
        opened.get_by_role("button", name="Switch to mallory").click()
        expect(opened.locator(".who")).to_have_text("mallory")
        expect(mine.locator(".who")).to_have_text("mallory")
