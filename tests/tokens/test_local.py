"""The owner's key that a server leaves for the tools of its machine, and `lamina token`."""

import stat
from pathlib import Path

import pytest

import lamina as package
from lamina import Memory
from lamina.errors import SecretError
from lamina.tokens import Keys
from lamina.tokens.local import ensure_owner_key, read_owner_key
from tests.places import plain
from tests.surfaces.conftest import lamina
from tests.surfaces.shell import Call

__all__ = ["lamina", "plain"]


def test_the_owner_finds_a_key_in_the_directory_and_keeps_it(tmp_path: Path) -> None:
    with package.open(tmp_path / "s") as mem:
        path = ensure_owner_key(mem)
        assert path == tmp_path / "s" / "server.key"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        shown = read_owner_key(path)
        identity = Keys(mem).identify(shown)
        assert identity.principal == mem.principal
        ensure_owner_key(mem)
        assert read_owner_key(path) == shown
        assert len(Keys(mem).all()) == 1
        # One that was revoked, or is not there any more, is replaced.
        Keys(mem).revoke(identity.key)
        ensure_owner_key(mem)
        assert read_owner_key(path) not in (shown, None)
        Keys(mem).identify(read_owner_key(path))


def test_a_key_file_that_others_had_a_hand_in_is_not_used(tmp_path: Path) -> None:
    with package.open(tmp_path / "s") as mem:
        path = ensure_owner_key(mem)
        assert path is not None
        path.chmod(0o644)
        with pytest.raises(SecretError):
            ensure_owner_key(mem)
        path.unlink()
        path.symlink_to(tmp_path / "elsewhere")
        with pytest.raises(SecretError):
            ensure_owner_key(mem)
        assert not (tmp_path / "elsewhere").exists()


def test_a_store_without_a_directory_gets_no_key_file(plain: Memory) -> None:
    assert ensure_owner_key(plain) is None
    assert Keys(plain).all() == []


def test_token_makes_lists_and_revokes(lamina: Call, tmp_path: Path) -> None:
    lamina("remember", "hello")
    made = lamina("token", "create", "finn", "--project", "web", "--label", "laptop", "--json").json
    assert made["principal"] == {"name": "finn", "role": "agent", "root": "project/web"}
    said = lamina("token", "create", "ci", "--role", "reader", "--expires", "30d", "--everywhere")
    assert said.out.startswith("lmk_")
    assert len(said.out.split()) == 1
    listed = lamina("token", "list", "--json").json["keys"]
    assert [(one["principal"]["name"], one["label"]) for one in listed] == [
        ("finn", "laptop"),
        ("ci", ""),
    ]
    assert listed[1]["expires_at"] is not None
    assert made["text"] not in lamina("token", "list").out
    assert lamina("token", "revoke", made["id"]).status == 0
    with package.open(tmp_path / "store") as mem:
        keys = Keys(mem)
        assert keys.identify(said.out.strip()).principal.role == "reader"
        with pytest.raises(package.errors.UnauthenticatedError):
            keys.identify(made["text"])


def test_the_first_key_may_come_before_anything_else(lamina: Call) -> None:
    assert lamina("token", "list").status == 3
    assert lamina("token", "create", "ann", "--role", "nobody").status == 2
    assert lamina("token", "list").status == 3, "a command that fails leaves no store"
    made = lamina("token", "create", "ann", "--role", "admin")
    assert made.status == 0
    assert "A new store was made" in made.err
    assert len(made.out.split()) == 1, "what a script takes for the key"
    assert len(lamina("token", "list", "--json").json["keys"]) == 1


def test_token_says_what_is_wrong(lamina: Call) -> None:
    lamina("remember", "hello")
    for words, status in (
        (("create", "finn", "--role", "emperor"), 2),
        (("create", "user"), 2),
        (("create", "finn", "--expires", "soon"), 2),
        (("revoke", "nothing"), 3),
        (("list", "--as", "finn"), 4),
        (("create", "boss", "--role", "admin", "--as", "finn"), 4),
    ):
        assert lamina("token", *words).status == status, words
    assert lamina("token", "list", "--json").json == {"keys": []}
