"""The key file and what it seals."""

import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.sealed import is_reference
from lamina.errors import SecretError
from lamina.vault import KEY_BYTES, DistantVault, Vault

VAULT = Vault.ephemeral()
RACE = """
import sys
from pathlib import Path
from lamina.vault import Vault
print("ready", flush=True)
sys.stdin.readline()
print(Vault.at(Path(sys.argv[1])).seal("value", "stream").ref)
"""


@given(st.text(), st.text())
def test_what_was_sealed_can_be_opened(value: str, stream: str) -> None:
    assert VAULT.open(VAULT.seal(value, stream)) == value


def test_lone_surrogates_survive() -> None:
    assert VAULT.open(VAULT.seal("\ud800", "s")) == "\ud800"


def test_a_reference_is_the_same_for_the_same_value_and_stream_only() -> None:
    refs = [VAULT.seal(*pair).ref for pair in (("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"))]
    assert refs[0] == refs[1]
    assert len(set(refs)) == 3
    assert all(map(is_reference, refs))
    assert Vault.ephemeral().seal("a", "x").ref != refs[0]


def test_no_value_and_stream_can_pose_as_another_pair() -> None:
    assert VAULT.seal("bc", "a").ref != VAULT.seal("c", "ab").ref


def test_equal_values_are_encrypted_differently_each_time() -> None:
    one, two = VAULT.seal("a", "x"), VAULT.seal("a", "x")
    assert one.nonce != two.nonce
    assert one.box != two.box


def test_tampering_and_foreign_keys_are_noticed() -> None:
    sealed = VAULT.seal("value", "x")
    other = VAULT.seal("other", "x")
    forged = [
        replace(sealed, box=bytes([sealed.box[0] ^ 1]) + sealed.box[1:]),
        replace(sealed, box=sealed.box[:-1]),
        replace(sealed, box=b""),
        replace(sealed, nonce=other.nonce),
        replace(sealed, nonce=b"short"),
        replace(sealed, ref=other.ref),
    ]
    for each in forged:
        with pytest.raises(SecretError, match="cannot be opened"):
            VAULT.open(each)
    with pytest.raises(SecretError, match="wrong key"):
        Vault.ephemeral().open(sealed)


def test_a_box_says_nothing_of_the_value() -> None:
    sealed = VAULT.seal("correct horse", "x")
    assert b"horse" not in sealed.box
    assert "horse" not in repr(sealed)


@pytest.mark.parametrize("size", [0, 16, 31, 33])
def test_a_key_has_32_bytes(size: int) -> None:
    with pytest.raises(SecretError, match="32 bytes"):
        Vault(b"k" * size)


def test_the_key_file_is_created_when_first_needed_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "vault.key"
    vault = Vault.at(path)
    assert not path.exists()
    sealed = vault.seal("value", "x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_bytes()) == KEY_BYTES
    assert os.listdir(path.parent) == ["vault.key"]
    assert Vault.at(path).open(sealed) == "value"


def test_the_key_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Vault.at(tmp_path / "key").seal("value", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_key_file_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"k" * KEY_BYTES)
    path.chmod(mode)
    with pytest.raises(SecretError, match=f"chmod 600 {path}"):
        Vault.at(path).seal("value", "x")


@pytest.mark.parametrize("size", [0, 31, 33, 4096])
def test_a_key_file_of_the_wrong_size_is_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"k" * size)
    path.chmod(0o600)
    with pytest.raises(SecretError, match=f"{size} bytes instead of 32"):
        Vault.at(path).seal("value", "x")


def test_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    Vault.at(tmp_path / "real").seal("value", "x")
    (tmp_path / "key").symlink_to(tmp_path / "real")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("key", "dangling"):
        with pytest.raises(SecretError, match="symbolic link"):
            Vault.at(tmp_path / name).seal("value", "x")
    assert not (tmp_path / "nowhere").exists()


def test_what_is_not_a_plain_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(SecretError, match="not a plain file"):
            Vault.at(tmp_path / name).seal("value", "x")


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SecretError, match="cannot be used") as raised:
        Vault.at(tmp_path / "file" / "key").seal("value", "x")
    assert raised.value.code == "secret_error"
    assert raised.value.remedy


def test_processes_that_create_the_key_at_once_share_it(tmp_path: Path) -> None:
    for attempt in range(3):
        path = tmp_path / str(attempt) / "key"
        racers = [
            subprocess.Popen(
                [sys.executable, "-c", RACE, str(path)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for _ in range(4)
        ]  # fmt: skip
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()
        answers = {racer.communicate()[0] for racer in racers}
        assert answers == {Vault.at(path).seal("value", "stream").ref + "\n"}
        assert os.listdir(path.parent) == ["key"]


def test_sealing_nothing_loads_no_cryptography() -> None:
    code = "import sys, lamina.vault, lamina.sealing; sys.exit('cryptography' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_vault_that_is_elsewhere_signs_nothing() -> None:
    """Its key is known to everybody: a server in front of a server must not trust it."""
    with pytest.raises(SecretError):
        DistantVault(lambda *_: "", lambda _: "").sign(b"a token")
