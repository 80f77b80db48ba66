"""Opening a store: what is found, what is made, and every directory that cannot hold one."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

import lamina
from lamina import InvalidInputError, LaminaError, StoreError, UnsupportedError, config
from lamina.errors import StoreDamagedError, StoreReadOnlyError, StoreVersionError
from lamina.stores import filesystem
from lamina.testing import FakeEmbedder


def test_the_nearest_directory_is_found_on_the_way_up(tmp_path: Path) -> None:
    deep = tmp_path / "repo" / "src" / "pkg"
    deep.mkdir(parents=True)
    (tmp_path / "repo" / ".lamina").mkdir()
    config.name_project(tmp_path / "repo" / ".lamina", "web")
    found = config.load(environment={"HOME": str(tmp_path)}, start=deep)
    assert found.path == tmp_path / "repo" / ".lamina"
    assert (found.project.value, found.directory.origin) == (
        "web",
        "found above the working directory",
    )


def test_arguments_come_before_the_environment_before_what_is_found(tmp_path: Path) -> None:
    environment = {"LAMINA_DIR": "/env", "LAMINA_PROJECT": "env", "HOME": str(tmp_path)}
    assert config.load(environment=environment, start=tmp_path).directory.value == "/env"
    assert config.load(environment=environment, start=tmp_path).project.value == "env"
    given = config.load(directory="/arg", project="arg", environment=environment, start=tmp_path)
    assert (given.directory.value, given.project.value) == ("/arg", "arg")
    alone = config.load(environment={"HOME": str(tmp_path)}, start=tmp_path)
    assert (alone.path, alone.project.value) == (tmp_path / ".lamina", None)


def test_the_environment_may_name_a_file_that_holds_the_value(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("http://memory.example:8484\n", encoding="utf-8")
    (tmp_path / "key").write_text("lk_secret\n", encoding="utf-8")
    environment = {
        "LAMINA_DIR_FILE": str(tmp_path / "store"), "LAMINA_KEY_FILE": str(tmp_path / "key"),
    }  # fmt: skip
    found = config.load(environment=environment, start=tmp_path)
    assert (found.directory.value, found.directory.origin) == (
        "http://memory.example:8484",
        "LAMINA_DIR_FILE",
    )
    assert config.load_key(environment) == "lk_secret"
    with pytest.raises(InvalidInputError, match="`LAMINA_DIR` and `LAMINA_DIR_FILE` are both set"):
        config.load(environment={"LAMINA_DIR": "/env", **environment}, start=tmp_path)


@pytest.mark.parametrize("content", [b"", b" \n", b"one\ntwo\n", b"x" * 5_000, b"\xff", b"a\0b"])
def test_a_file_with_anything_but_one_line_is_refused_and_not_quoted(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "store").write_bytes(content)
    with pytest.raises(InvalidInputError, match="`LAMINA_DIR_FILE` names a file") as refused:
        config.load(environment={"LAMINA_DIR_FILE": str(tmp_path / "store")}, start=tmp_path)
    assert "two" not in refused.value.message
    with pytest.raises(InvalidInputError, match="No such file"):
        config.load(environment={"LAMINA_DIR_FILE": str(tmp_path / "none")}, start=tmp_path)


def test_a_plain_open_is_confined_to_the_project_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".lamina").mkdir()
    config.name_project(tmp_path / ".lamina", "web")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LAMINA_DIR", raising=False)
    with lamina.open() as mem:
        assert mem.scope.path == "project/web"
    with lamina.open(tmp_path / ".lamina") as mem:
        assert mem.scope.path == "global"


def test_a_lost_key_is_not_replaced_while_secrets_need_it(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        kept = mem.remember("the password is " + "walnut-55-Hatch-row")
    key = (tmp_path / "secret.key").read_bytes()
    (tmp_path / "secret.key").unlink()
    with lamina.open(tmp_path) as mem:
        assert {one.check for one in mem.check() if one.severity == "record"} == {"secrets"}
        with pytest.raises(lamina.SecretError, match="missing"):
            mem.remember("the password is " + "another-77-Hatch-row")
        mem.remember("nothing to seal here")
    (tmp_path / "secret.key").write_bytes(key)
    (tmp_path / "secret.key").chmod(0o600)
    with lamina.open(tmp_path) as mem:
        assert mem.check()[-1].severity == "ok"
        assert mem.reveal(kept.id, kept.sealed[0]) == "walnut-55-Hatch-row"


def test_an_unknown_name_in_the_configuration_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('projcet = "web"\n')
    with pytest.raises(InvalidInputError, match="projcet"):
        config.load(directory=str(tmp_path), environment={})
    (tmp_path / "config.toml").write_text("project = \n")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        config.load(directory=str(tmp_path), environment={})


def test_a_new_directory_is_private(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "new" / "store") as mem:
        mem.remember("the password is " + "walnut-55-Hatch-row")
    assert (tmp_path / "new" / "store").stat().st_mode & 0o077 == 0
    assert (tmp_path / "new" / "store" / "secret.key").stat().st_mode & 0o777 == 0o600


def test_files_are_private_in_a_directory_that_is_not(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with lamina.open(tmp_path) as mem:
        gone = mem.remember("private")
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        assert modes.pop("locks") == 0o700
        assert set(modes.values()) == {0o600}, modes
        mem.erase(gone.id)
        assert (tmp_path / "erased.jsonl").stat().st_mode & 0o777 == 0o600


def test_an_absurdly_long_directory_is_named_as_such(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="too long"):
        lamina.open(config.load(directory=str(tmp_path / ("x" * 5000)), environment={}).path)


def test_a_file_is_not_a_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidInputError, match="is a file"):
        lamina.open(tmp_path / "file")
    with pytest.raises(LaminaError):
        lamina.open(tmp_path / "file" / "below")
    assert (tmp_path / "file").read_text() == "mine"


def test_links_in_a_circle_are_named(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(InvalidInputError, match="circle"):
        lamina.open(tmp_path / "a")


def test_other_schemes_say_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="there is no store"):
        lamina.open("mysql://x/y")
    with pytest.raises(UnsupportedError, match="Redis keeps no whole memory"):
        lamina.open("redis://localhost")
    with pytest.raises(InvalidInputError):
        lamina.open("")


@pytest.mark.parametrize(
    "garbage", [b"not a database at all" * 300, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_garbage_is_refused_and_left_as_it_is(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "lamina.db").write_bytes(garbage)
    with pytest.raises(StoreDamagedError) as caught:
        lamina.open(tmp_path)
    assert caught.value.remedy
    assert (tmp_path / "lamina.db").read_bytes() == garbage


def test_a_truncated_store_is_refused(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember_many([{"text": f"note {n} " * 20} for n in range(300)])
    whole = (tmp_path / "lamina.db").read_bytes()
    (tmp_path / "lamina.db").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreDamagedError), lamina.open(tmp_path) as mem:
        mem.query(limit=1000)


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    """What a first start leaves that was cut off before its schema was committed."""
    (tmp_path / "lamina.db").touch()
    with lamina.open(tmp_path) as mem:
        mem.remember("fine")
        assert mem.count() == 1


def test_another_programs_database_is_not_touched(tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / "lamina.db"))
    other.execute("create table precious (x); insert into precious values (1)")
    other.close()
    before = (tmp_path / "lamina.db").read_bytes()
    with pytest.raises(StoreDamagedError, match="not a Lamina store"):
        lamina.open(tmp_path)
    assert (tmp_path / "lamina.db").read_bytes() == before


def test_a_store_from_a_newer_version_is_refused_untouched(tmp_path: Path) -> None:
    lamina.open(tmp_path).close()
    newer = apsw.Connection(str(tmp_path / "lamina.db"))
    newer.execute("pragma user_version = 99")
    newer.close()
    with pytest.raises(StoreVersionError, match="format 99") as caught:
        lamina.open(tmp_path)
    assert "Upgrade" in caught.value.remedy


def test_a_store_upgraded_under_an_open_handle_is_not_written(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.remember("before")
        newer = apsw.Connection(str(tmp_path / "lamina.db"))
        newer.execute("update setting set value = '99' where name = 'format'")
        newer.close()
        with pytest.raises(StoreVersionError):
            mem.remember("after")


READ_ONLY = """
import lamina
lamina.open({folder!r}).remember("y")
"""


def read_only_command(folder: Path) -> list[str]:
    """A child that finds the directory read-only: for root that takes a mount of its own."""
    child = [sys.executable, "-c", READ_ONLY.format(folder=str(folder))]
    if os.geteuid() != 0:
        folder.chmod(0o500)
        return child
    mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    return ["unshare", "-m", "sh", "-c", mount, str(folder), *child]


def test_a_read_only_directory_is_named(tmp_path: Path) -> None:
    with lamina.open(tmp_path / "ro") as mem:
        mem.remember("x")
    done = subprocess.run(
        read_only_command(tmp_path / "ro"), capture_output=True, text=True, check=False
    )
    assert StoreReadOnlyError.__name__ in done.stderr, done.stderr


def test_network_file_systems_are_known_by_their_mounts() -> None:
    mounts = (
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "30 22 0:40 / /srv/share rw,relatime - nfs4 server:/x rw\n"
        "31 22 0:41 / /mnt/with\\040space rw - fuse.sshfs me@there: rw\n"
        "32 30 0:42 / /srv/share/local rw - ext4 /dev/sdb rw\n"
        "33 22 0:43 / /tmp rw - tmpfs tmpfs rw\n"
    )
    kinds = {
        "/srv/share/ann/.lamina": "nfs4",
        "/srv/share/local/x": "ext4",
        "/srv/shared": "ext4",
        "/mnt/with space/x": "fuse.sshfs",
        "/tmp/x": "tmpfs",
        "/var": "ext4",
    }
    found = {path: filesystem.kind_in_mountinfo(mounts, Path(path)) for path in kinds}
    assert found == kinds
    assert filesystem.is_in_memory("tmpfs")


def test_network_file_systems_are_known_on_macos() -> None:
    output = (
        "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
        "//me@server/share on /Volumes/share (smbfs, nodev, nosuid, mounted by me)\n"
    )
    assert filesystem.kind_in_mount_output(output, Path("/Volumes/share/x")) == "smbfs"
    assert filesystem.kind_in_mount_output(output, Path("/var/me")) == "apfs"


def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "kind_of", lambda _: "nfs4")
    with pytest.raises(StoreError, match="network file system"):
        lamina.open(tmp_path)


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    for place in (str(tmp_path / "s"), f"json:{tmp_path}/x.json"):
        mem = lamina.open(place)
        mem.close()
        mem.close()
        with pytest.raises(StoreError, match="closed"):
            mem.remember("x")


def test_a_json_file_serves_one_process(tmp_path: Path) -> None:
    with lamina.open(f"json:{tmp_path}/x.json"), pytest.raises(StoreError, match="in use"):
        lamina.open(f"json:{tmp_path}/x.json")


def test_a_damaged_json_file_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text, kind in (
        ("{", StoreDamagedError),
        ('{"format": 9}', StoreVersionError),
        ("[]", StoreDamagedError),
    ):
        path.write_text(text)
        with pytest.raises(kind):
            lamina.open(f"json:{path}")
        assert path.read_text() == text


def test_an_embedder_of_ones_own_makes_the_vectors(tmp_path: Path) -> None:
    mine = FakeEmbedder(name="mine")
    with lamina.open(tmp_path, embedder=mine) as mem:
        mem.project("web").remember("herons nest by the river")
        assert mem.reindex().vectors.made == 1
        found = mem.vectors()
        assert (found.embedder, found.space, found.usable) == ("mine|64", "mine|64", True)
    assert ("herons nest by the river",) in [texts for texts, _ in mine.calls]
    with lamina.open(tmp_path, embedder=FakeEmbedder(name="other")) as mem:
        assert (mem.vectors().space, mem.vectors().usable) == ("mine|64", False)
        assert mem.reindex().vectors.space == "other|64"


@pytest.mark.parametrize("wrong", ["lamina", "ollama:x", object(), 7, FakeEmbedder])
def test_what_cannot_embed_is_refused_before_a_store_is_made(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="`embedder`") as refused:
        lamina.open(tmp_path / "store", embedder=wrong)
    assert refused.value.remedy
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("postgresql:/ann:hunter2@h/db", "looks like an address"),
        ("postgres:ann:hunter2@h/db", "looks like an address"),
        ("postgresq://ann:hunter2@h/db", "looks like an address"),
        ("HTTPS:/h:1", "looks like an address"),
        ("mysql://ann:hunter2@h/db", "no store for mysql"),
        ("redis:/h", "no whole memory"),
        (" postgresql://ann:hunter2@h/db", "looks like an address"),
        ("postgresql//ann:hunter2@h/db", "looks like an address"),
        ("jdbc:postgresql://h/db?user=ann&password=hunter2", "looks like an address"),
        ("host=h user=ann password=hunter2 dbname=db", "looks like an address"),
    ],
)
def test_a_mistyped_address_becomes_no_folder(
    where: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for refused in (
        lambda: lamina.open(where),
        lambda: lamina.migrate(where, tmp_path / "there"),
        lambda: config.load(directory=where),
        lambda: config.load(environment={"LAMINA_DIR": where}),
    ):
        with pytest.raises(LaminaError, match=says) as caught:
            refused()
        assert "hunter2" not in f"{caught.value} {caught.value.remedy}"
        assert caught.value.remedy
    assert list(tmp_path.iterdir()) == []
