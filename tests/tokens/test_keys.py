"""Keys and tokens: who comes in, until when, and that nobody else does."""

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

import lamina
from lamina import Memory, clock, exchange
from lamina.core.principal import Principal, Role
from lamina.core.scope import Scope
from lamina.errors import (
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    UnauthenticatedError,
)
from lamina.tokens import Keys
from lamina.tokens.keys import LIFETIME
from tests.places import mem, plain

__all__ = ["mem", "plain"]


@pytest.fixture
def keys(plain: Memory) -> Keys:
    return Keys(plain)


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Moves the clock of this machine."""
    real = clock.now

    def move(span: timedelta) -> None:
        monkeypatch.setattr(clock, "now", lambda: real() + span)

    return move


def is_refused(keys: Keys, shown: str | None) -> bool:
    try:
        keys.identify(shown)
    except UnauthenticatedError as error:
        return str(error) == str(pytest.raises(UnauthenticatedError, keys.identify, None).value)
    return False


def test_a_key_and_its_token_lead_to_one_principal_on_every_store(mem: Memory) -> None:
    keys = Keys(mem)
    made = keys.create("finn", "agent", project="web", label="laptop")
    assert made.key.principal == Principal("finn", Role.AGENT, Scope.of("project/web"))
    token = keys.exchange(made.text)
    by_key, by_token = keys.identify(made.text), keys.identify(token.text)
    assert by_key.principal == by_token.principal == token.principal == made.key.principal
    assert (by_key.key, by_key.until) == (made.key.id, None)
    assert (by_token.key, by_token.until) == (made.key.id, token.expires_at)
    keys.revoke(made.key.id)
    assert is_refused(keys, made.text)
    assert is_refused(keys, token.text)
    assert not keys.still(by_key)
    assert not keys.still(by_token)
    [told] = keys.all()
    assert (told.id, told.label) == (made.key.id, "laptop")
    assert told.revoked_at is not None


def test_who_a_key_may_be_for(keys: Keys) -> None:
    assert keys.create("finn", "agent").key.principal.root == Scope.of("agent/finn")
    assert keys.create("ci", "reader").key.principal.root is None
    for name, role, project in (
        ("user", "agent", "web"),
        ("finn", "emperor", None),
        ("a/b", "reader", None),
        ("finn", "agent", "../x"),
    ):
        with pytest.raises(InvalidInputError):
            keys.create(name, role, project=project)
    for expires in ("-3d", "soon", timedelta(days=-1), timedelta(0), "2020-01-01T00:00:00Z"):
        with pytest.raises(InvalidInputError):
            keys.create("ci", "reader", expires=expires)
    assert len(keys.all()) == 2


def test_only_the_owner_of_the_whole_store_has_to_do_with_keys(plain: Memory) -> None:
    made = Keys(plain).create("user", "admin")
    [record] = plain.query({"layer": "access"})
    others = [
        plain.project("web"),
        plain.agent("finn", project="web"),
        plain.agent("finn"),
        *(plain.acting(Principal("x", role)) for role in (Role.ORCHESTRATOR, Role.READER)),
        plain.acting(Principal("x", Role.SKILL)),
    ]
    forged = {"name": "user", "role": "admin", "root": None, "digest": "0" * 64}
    for other in others:
        with pytest.raises(ForbiddenError):
            Keys(other)
        assert other.query({"layer": "access"}) == []
        for refused in (other.get, other.forget, other.history):
            with pytest.raises(NotFoundError):
                refused(record.id)
        for scope in (other.scope.path, "global"):
            with pytest.raises(ForbiddenError):
                other.remember("x", layer="access", kind="key", key="a", scope=scope, data=forged)
        assert all(change.event.record != record.id for change in other.changes())
    assert Keys(plain).identify(made.text).principal.role is Role.ADMIN


def test_keys_are_neither_listed_nor_exported_nor_imported(plain: Memory) -> None:
    made = Keys(plain).create("user", "admin", label="laptop")
    plain.remember("The kettle is blue")
    assert [one.text for one in plain.query()] == ["The kettle is blue"]
    assert plain.count() == exchange.count_exported(plain) == 1
    for history in (False, True):
        assert all("laptop" not in line for line in exchange.export_lines(plain, history=history))
    [record] = plain.query({"layer": "access"})
    with lamina.open(":memory:") as elsewhere:
        from lamina.core import canonical
        from lamina.core.record import to_json

        report = exchange.import_lines(elsewhere, [canonical.dumps(to_json(record))])
        assert (report.added, len(report.failed)) == (0, 1)
        assert is_refused(Keys(elsewhere), made.text)


def test_the_text_of_a_key_is_nowhere_in_the_store(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "s") as mem:
        made = Keys(mem).create("user", "admin", label="laptop")
        token = Keys(mem).exchange(made.text)
        # Who pastes a key into a memory has it sealed like every other secret.
        mem.remember(f"use {made.text} or {token.text}")
    secrets = [made.text.rsplit("_", 1)[1].encode(), token.text.rsplit("_", 1)[1].encode()]
    found = [
        path.name
        for path in (tmp_path / "s").rglob("*")
        if path.is_file() and any(secret in path.read_bytes() for secret in secrets)
    ]
    assert found == []


def test_nothing_but_the_exact_text_lets_anybody_in(plain: Memory, keys: Keys) -> None:
    made, other = keys.create("user", "admin"), keys.create("finn", "agent")
    token = keys.exchange(made.text).text
    head, last, signature = token.rsplit("_", 2)
    later = str(int(last) + 1)
    strangers = [
        None, "", " ", "lmk_", "lmt_", made.key.id, "none", "null", "admin",
        made.text[:-1], made.text + "a", made.text + "=", made.text + "\n", made.text + "\0",
        made.text.upper(), made.text.replace("lmk_", "lmt_"), " " + made.text,
        made.text.replace(made.key.id, other.key.id), "lmk_" + "a" * 16 + "_" + "a" * 52,
        token[:-1], token + "a", token + "\0", f"{head}_{later}_{signature}",
        f"{head}_{last}_", f"{head}_{last}", f"{head}_{last}_{'a' * 52}",
        f"{head}_9999999999_{signature}", f"{head}_0000000000_{signature}",
        token.replace(made.key.id, other.key.id), f"{head}_{last[:-1]}\u0661_{signature}",
        "lmk_" + "\u212a" * 16, "é" * 60, "\ud800" * 72, "a" * 1_000_000, "lmk_" * 300_000,
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyIn0.", f"none.{token}",
    ]  # fmt: skip
    assert [shown for shown in strangers if not is_refused(keys, shown)] == []
    assert keys.identify(made.text).principal == plain.principal


def test_a_token_is_not_exchanged_for_another(keys: Keys) -> None:
    token = keys.exchange(keys.create("user", "admin").text)
    with pytest.raises(ForbiddenError):
        keys.exchange(token.text)
    with pytest.raises(UnauthenticatedError):
        keys.exchange("lmk_nonsense")


def test_what_has_run_out_stays_outside(keys: Keys, moved: Callable[[timedelta], None]) -> None:
    made, lasting = keys.create("ci", "reader", expires="5m"), keys.create("user", "admin")
    tokens = [keys.exchange(one.text) for one in (made, lasting)]
    assert tokens[0].expires_at <= (made.key.expires_at or clock.now())
    let_in = keys.identify(made.text)
    moved(timedelta(minutes=6))
    assert is_refused(keys, made.text)
    assert is_refused(keys, tokens[0].text)
    assert not keys.still(let_in)
    assert not is_refused(keys, tokens[1].text)
    moved(LIFETIME + timedelta(seconds=1))
    assert is_refused(keys, tokens[1].text)
    assert not is_refused(keys, lasting.text)


def test_a_token_of_a_clock_that_was_ahead_is_worth_nothing_now(
    keys: Keys, moved: Callable[[timedelta], None]
) -> None:
    made = keys.create("user", "admin")
    moved(timedelta(days=30))
    token = keys.exchange(made.text)
    moved(timedelta(0))
    assert is_refused(keys, token.text)


def test_a_clock_that_is_set_back_brings_nothing_back(
    plain: Memory, keys: Keys, moved: Callable[[timedelta], None]
) -> None:
    made = keys.create("ci", "reader", expires="5m")
    moved(timedelta(minutes=6))
    plain.remember("Time has passed")
    moved(timedelta(0))
    assert is_refused(keys, made.text)
    assert is_refused(Keys(plain), made.text)


def test_tokens_outlive_the_process_but_not_the_store(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "a") as mem:
        made = Keys(mem).create("user", "admin")
        token = Keys(mem).exchange(made.text)
        mem.backup(tmp_path / "copy.db")
    with lamina.open(tmp_path / "a") as mem:
        assert Keys(mem).identify(token.text).key == made.key.id
    lamina.restore(tmp_path / "copy.db", tmp_path / "b")
    with lamina.open(tmp_path / "b") as restored:
        # The keys come back with a backup; what was signed elsewhere does not count here.
        assert Keys(restored).identify(made.text).key == made.key.id
        assert is_refused(Keys(restored), token.text)


_REVOKE = """
import sys, lamina
from lamina.tokens import Keys
with lamina.open(sys.argv[1]) as mem:
    Keys(mem).revoke(sys.argv[2])
"""


def test_a_key_revoked_by_another_process_is_refused_at_once(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "s") as mem:
        keys = Keys(mem)
        made = keys.create("user", "admin")
        let_in = keys.identify(made.text)
        assert keys.still(let_in)
        command = [sys.executable, "-c", _REVOKE, str(tmp_path / "s"), made.key.id]
        subprocess.run(command, check=True, timeout=60)
        assert is_refused(keys, made.text)
        while keys.still(let_in):
            # Ends because what `still` remembers is looked up anew after a second.
            time.sleep(0.05)


def test_who_cannot_be_vouched_for_may_not_stay(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        keys = Keys(mem)
        let_in = keys.identify(keys.create("user", "admin").text)
    assert not keys.still(let_in), "the store is closed"


def test_who_somebody_is_stays_known_until_anything_changes(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as here, lamina.open(tmp_path) as there:
        keys = Keys(here)
        shown = keys.create("ann", "reader").text
        assert keys.known(shown) is None
        assert keys.identify(shown) == keys.known(shown)
        assert keys.known(shown[:-1]) is None
        assert keys.known(None) is None
        Keys(there).revoke(keys.all()[0].id)
        assert keys.known(shown) is None


def test_revoking_twice_or_nothing(keys: Keys) -> None:
    made = keys.create("user", "admin")
    assert keys.revoke(made.key.id) == keys.revoke(made.key.id)
    for nothing in ("", "lmk_x", made.text, "*"):
        with pytest.raises(NotFoundError):
            keys.revoke(nothing)


def test_taking_back_that_a_key_was_made_ends_it(plain: Memory, keys: Keys) -> None:
    made = keys.create("user", "admin")
    [record] = plain.query({"layer": "access"})
    plain.undo(plain.history(record.id)[-1].event.tx)
    assert is_refused(keys, made.text)


def test_a_key_never_becomes_somebody_elses(plain: Memory, keys: Keys) -> None:
    keys.create("ci", "reader")
    [record] = plain.query({"layer": "access"})
    with pytest.raises(lamina.errors.LaminaError):
        plain.edit(record.id, data={**record.data, "role": "admin"})
    # What somebody has written there by hand and not in full opens nothing.
    plain.remember("odd", layer="access", kind="key", key="a" * 16, data={"role": "admin"})
    assert [key.label for key in keys.all()] == [""]
