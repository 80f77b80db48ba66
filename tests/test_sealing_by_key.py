"""What stands under the name of a secret is the secret; what stands under another name is not."""

import pytest

from lamina import Memory
from lamina.core.record import Content
from lamina.core.sealed import is_reference
from lamina.core.secrets import find_called, find_secrets
from lamina.sealing import seal_content
from lamina.vault import Vault
from tests.core.near_misses import near_misses
from tests.places import mem

__all__ = ["mem"]

VAULT = Vault.ephemeral()


def found_under(name: str, text: str) -> list[str]:
    return [text[each.start : each.end] for each in find_called(text, name)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Password", "quartz-9-bramble-lake"),
        ("db-password", "sunshine"),
        ("password/staging", "quartz-9-bramble-lake"),
        ("password for staging", "quartz-9-bramble-lake"),
        ("passphrase", "correct horse battery staple"),
        ("PIN", "4711"),
        ("api-token", "abcd1234efgh"),
    ],
)
def test_what_stands_under_the_name_of_a_secret_is_taken_whole(name: str, text: str) -> None:
    assert found_under(name, text) == [text]
    assert found_under(name, f"  {text}\n") == [text]


@pytest.mark.parametrize("name", ["{}", "request:{}", "handoff-{}", "{}/state"])
def test_letters_of_an_id_are_no_name_of_a_secret(name: str) -> None:
    for chance in ("01m7j4evm55dm1w6qyse52b8pw", "01m7j4evmgtnrzmx0xkfh6pw20"):
        assert found_under(name.format(chance), "canary09zq") == []
    # Beside an id a name counts as ever.
    assert found_under(f"db-password:{chance}", "canary09zq") == ["canary09zq"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("token-budget", "8000-per-call9"),
        ("password-policy", "min12chars-2symbols"),
        ("password-policy", "At least 12 characters, changed on 2026-01-01"),
        ("api-key-rotation", "every-90-days"),
        ("access-token-lifetime", "30min2026"),
        ("password", "required"),
        ("password", "changeme"),
        ("password", "rotated weekly from the vault"),
        ("db-password", "lives inside 1password vault"),
        ("token", "We renew it every 30 days"),
        ("css/token", "color-primary-500"),
        ("host-key", "ed25519"),
        ("config/password", "config/password"),
        ("docs/api-key", "docs/api-key"),
        ("pin", "left header"),
        ("password", ""),
    ],
)
def test_what_is_said_about_a_secret_is_none(name: str, text: str) -> None:
    assert found_under(name, text) == []


@pytest.mark.parametrize("name", ["token-budget", "password-policy", "api-key-rotation", "notes"])
def test_ordinary_keys_seal_no_more_than_no_key(name: str) -> None:
    more = [
        text for text in near_misses() if len(found_under(name, text)) > len(find_secrets(text))
    ]
    assert len(more) <= 2, more


def test_sealing_what_a_key_gave_away_twice_changes_nothing() -> None:
    content = Content(kind="fact", text="quartz-9-bramble-lake", data={"value": "sunshine"})
    once, sealed = seal_content(content, VAULT, "project/web", key="Password")
    assert is_reference(once.text)
    assert is_reference(once.data["value"])
    assert len(sealed) == 2
    assert seal_content(once, VAULT, "project/web", key="Password") == (once, ())


def test_every_way_to_a_key_seals_what_stands_under_it(mem: Memory) -> None:
    mem.configure("recall.embedder", "off")
    finn = mem.agent("finn", project="web")
    written = [
        mem.remember("quartz-9-bramble-lake", key="Password").id,
        finn.fact.save("db-password", "sunshine").id,
        finn.blackboard.publish("staging/password", "sunshine").receipt.id,
    ]
    for record in map(mem.get, written):
        assert record is not None
        assert is_reference(record.text)
        assert "sunshine" not in repr(record.data)
    [password] = written[:1]
    mem.edit(password, "granite-4-willow-creek", data={"value": "granite-4-willow-creek"})
    changed = mem.get(password)
    assert changed is not None
    assert "granite" not in repr(changed)
    assert mem.reveal(password, changed.text) == "granite-4-willow-creek"
