"""What leaves a record before it is written, and what stays."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.record import Content
from lamina.core.sealed import Sealed, is_reference, references
from lamina.errors import InvalidInputError
from lamina.sealing import scrub, seal_content
from lamina.vault import Vault
from tests.core.near_misses import near_misses
from tests.core.secret_holdout import held_out_credentials
from tests.core.secret_samples import Draw, credentials, issued

VAULT = Vault.ephemeral()
TOKEN = "ghp_" + Draw(31).body(36)
PASSWORD = "Tiger!42xyz"


def seal(text: str = "", data: dict[str, Any] | None = None) -> tuple[Content, tuple[Sealed, ...]]:
    return seal_content(Content(kind="note", text=text, data=data or {}), VAULT, "project/web")


def opened(text: str, sealed: tuple[Sealed, ...]) -> str:
    for each in sealed:
        text = text.replace(each.ref, VAULT.open(each))
    return text


def test_a_secret_in_the_text_becomes_a_reference() -> None:
    content, sealed = seal(f"deploy with {TOKEN}, thanks")
    assert content.text == f"deploy with {sealed[0].ref}, thanks"
    assert VAULT.open(sealed[0]) == TOKEN
    assert sealed[0].kind == "github_token"


def test_content_without_secrets_comes_back_as_it_was() -> None:
    content = Content(kind="note", text="tea", data={"a": [1, {"b": None}]}, tags=("x",))
    assert seal_content(content, VAULT, "project/web") == (content, ())


def test_equal_content_gives_equal_content() -> None:
    text, data = f"password: {PASSWORD}", {"token": TOKEN}
    assert seal(text, data)[0] == seal(text, data)[0]


def test_a_secret_field_is_sealed_whole_whatever_it_holds() -> None:
    content, sealed = seal(data={"db": {"password": "correct horse", "host": "db.test"}})
    assert is_reference(content.data["db"]["password"])
    assert content.data["db"]["host"] == "db.test"
    assert VAULT.open(sealed[0]) == "correct horse"


def test_a_list_under_a_secret_name_holds_secrets() -> None:
    content, sealed = seal(data={"credentials": ["alpha", "beta"], "tokens": ["alpha"]})
    assert all(map(is_reference, content.data["credentials"]))
    assert content.data["tokens"] == ["alpha"]
    assert len(sealed) == 2


@pytest.mark.parametrize("value", ["", " ", "<your-key>", "${TOKEN}", "changeme", None, True, 7])
def test_a_secret_field_without_a_secret_is_left_alone(value: object) -> None:
    assert seal(data={"api_key": value}) == (Content(kind="note", data={"api_key": value}), ())


def test_secrets_are_found_at_any_depth() -> None:
    data: dict[str, Any] = {"note": f"use {TOKEN}"}
    for _ in range(3000):
        data = {"inner": [data]}
    content, sealed = seal(data=data)
    inside: Any = content.data
    while "inner" in inside:
        inside = inside["inner"][0]
    assert inside == {"note": f"use {sealed[0].ref}"}


def test_a_secret_used_as_an_object_key_is_sealed() -> None:
    content, sealed = seal(data={TOKEN: "deploy"})
    assert content.data == {sealed[0].ref: "deploy"}


def test_order_of_members_and_items_is_kept() -> None:
    data = {"z": [3, "b", [1, 2]], "a": {"y": 1, "x": 2}, "token": TOKEN}
    content, _ = seal(data=data)
    assert list(content.data) == ["z", "a", "token"]
    assert content.data["z"] == [3, "b", [1, 2]]
    assert list(content.data["a"]) == ["y", "x"]


def test_a_copy_is_taken_out_where_nothing_gives_it_away() -> None:
    content, sealed = seal(f"log in with {PASSWORD}", {"password": PASSWORD, "seen": [PASSWORD]})
    assert PASSWORD not in content.text + json.dumps(content.data)
    assert len(sealed) == 1


@pytest.mark.parametrize(
    ("content", "key", "argument"),
    [
        (Content(kind="note"), TOKEN, "key"),
        (Content(kind="note", tags=("fine", TOKEN)), None, "tags"),
        (Content(kind="note", source=f"https://ann:{PASSWORD}@h.test"), None, "source"),
        (Content(kind="note", tags=(PASSWORD,), data={"password": PASSWORD}), None, "tags"),
    ],
)
def test_a_secret_in_a_name_is_refused(content: Content, key: str | None, argument: str) -> None:
    with pytest.raises(InvalidInputError, match=f"`{argument}` holds a secret") as raised:
        seal_content(content, VAULT, "project/web", key=key)
    assert "`text` or `data`" in raised.value.remedy
    assert TOKEN not in str(raised.value)
    assert PASSWORD not in str(raised.value)


def test_ordinary_names_pass() -> None:
    content = Content(kind="note", tags=("auth", "token-budget"), source="agent/finn")
    assert seal_content(content, VAULT, "project/web", key="db-password-policy") == (content, ())


def test_scrubbed_text_shows_no_secret() -> None:
    for sample in credentials():
        assert sample.value not in scrub(sample.text), sample.label
    assert scrub(f"bad token {TOKEN}") == "bad token secret://redacted"


def test_scrubbing_leaves_ordinary_text_alone() -> None:
    changed = [text for text in near_misses() if scrub(text) != text]
    assert len(changed) <= 3


@pytest.mark.parametrize("as_data", [False, True])
def test_no_sample_is_left_in_what_is_written(as_data: bool) -> None:
    for sample in credentials():
        given = {"data": {"note": [sample.text]}} if as_data else {"text": sample.text}
        content, sealed = seal(**given)
        assert sample.value not in content.text + json.dumps(content.data, ensure_ascii=False)
        assert sample.value in [VAULT.open(each) for each in sealed], sample.label


SCHEMES = (
    "postgres postgresql mysql mariadb redis rediss mongodb mongodb+srv amqp amqps http https ftp "
    "sftp ssh smtp smtps imap ldap kafka nats ws wss mqtt jdbc:mysql git+https secret token"
).split()
schemes = st.sampled_from(SCHEMES)
users = st.sampled_from(["app", "", "x-access-token", "token", "oauth2", "ann%40h.test"])
passwords = st.sampled_from(
    [PASSWORD, TOKEN, "hunter2", "Walnut-zebra-9", "p%40ss:w0rd", "swordfish", "W1NTER99", "a1"]
)
rests = st.sampled_from(["", ":5432/app", "/0", "/org/repo.git", ":443/?sslmode=require&x=1"])
around = st.sampled_from([("", ""), ("DATABASE_URL=", "\n"), ("password: ", " works"), ("<", ">")])


@given(schemes, users, passwords, rests, around)
def test_an_address_loses_its_password_and_nothing_else(
    scheme: str, user: str, password: str, rest: str, around: tuple[str, str]
) -> None:
    before, after = f"{around[0]}{scheme}://{user}:", f"@db.internal{rest}{around[1]}"
    content, sealed = seal(before + password + after)
    assert [VAULT.open(each) for each in sealed] == [password]
    assert content.text == before + sealed[0].ref + after
    assert seal(content.text) == (content, ())


def test_every_sample_comes_back_exactly_and_is_sealed_once() -> None:
    for sample in (*credentials(), *held_out_credentials()):
        content, sealed = seal(sample.text)
        assert opened(content.text, sealed) == sample.text, sample.label
        assert not [each for each in sealed if references(VAULT.open(each))]
        assert seal(content.text) == (content, ()), sample.label


def test_a_copy_inside_a_reference_is_no_copy() -> None:
    ref = "secret://" + "tiger2" * 4 + "ab"
    content, sealed = seal(f"{ref} and my password is tiger2")
    assert content.text == f"{ref} and my password is {sealed[0].ref}"


@pytest.mark.parametrize(
    ("name", "value"), [("name", "value"), ("Key", "Value"), ("field", "val"), ("name", "content")]
)
def test_a_value_is_sealed_for_the_name_beside_it(name: str, value: str) -> None:
    data = {"env": [{value: "correct horse", name: "API_TOKEN"}, {name: "HOST", value: "db.test"}]}
    content, sealed = seal(data=data)
    assert content.data["env"][0] == {value: sealed[0].ref, name: "API_TOKEN"}
    assert content.data["env"][1] == data["env"][1]
    assert seal(data=content.data) == (content, ())


def test_an_article_named_after_a_secret_is_read_like_any_text() -> None:
    data = {"name": "password", "content": "How to choose one that lasts"}
    assert seal(data=data) == (Content(kind="note", data=data), ())


def test_a_pin_is_sealed_and_a_connector_is_not() -> None:
    content, sealed = seal(data={"pin": "4711", "board": {"pin": "GPIO17"}})
    assert content.data == {"pin": sealed[0].ref, "board": {"pin": "GPIO17"}}


def test_a_secret_field_around_a_reference_stays_as_it_is() -> None:
    _, [sealed] = seal(f"token: {TOKEN}")
    data = {"token": f"Bearer {sealed.ref}", "password": f"postgres://a:{sealed.ref}@h/db"}
    assert seal(data=data) == (Content(kind="note", data=data), ())


pieces = st.sampled_from(
    [
        *issued(Draw(1)).values(),
        PASSWORD,
        "password: ",
        "my password is ",
        "token=",
        "\n",
        '"',
        " ",
        "Walnut-zebra-9",
        "https://u:",
        "@h.test",
        "login bob / ",
        "PIN is 4711",
    ]
)
texts = st.lists(pieces | st.text(max_size=8), max_size=10).map("".join)
names = st.sampled_from(["note", "password", "token", "api_key", TOKEN])
trees = st.recursive(
    texts | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@given(texts, st.dictionaries(names, trees, max_size=3))
def test_sealing_twice_is_sealing_once(text: str, data: dict[str, Any]) -> None:
    content, _ = seal(text, data)
    again, sealed = seal(content.text, content.data)
    assert again == content
    assert sealed == ()


@given(texts)
def test_opening_every_reference_gives_the_text_back(text: str) -> None:
    content, sealed = seal(text)
    assert set(references(content.text)) >= {
        each.ref for each in sealed if each.ref in content.text
    }
    assert opened(content.text, sealed) == text
