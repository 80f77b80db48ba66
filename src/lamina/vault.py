"""The key that seals secrets, and the sealing itself.

A vault turns a value into a reference and an encrypted box, and back. It never sees where the two
are kept. Losing the key file loses the secrets, and only them.

What only sealing needs is imported there: every handle has a vault, and few of them seal.
"""

import contextlib
import errno
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from lamina.core.sealed import SCHEME, Sealed
from lamina.durable import sync_folder
from lamina.errors import SecretError

if TYPE_CHECKING:
    from lamina.core.ids import RecordId
    from lamina.core.principal import Principal

KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_REFERENCE_BYTES: Final = 16
"""128 bits: 26 characters of base32, far beyond any chance of two secrets meeting."""


class Vault:
    """Seals and opens secrets under one key. Safe to share between threads.

    One key serves three purposes through three derived keys, so that what references reveal (that
    two values are equal, within one stream) says nothing about the key that encrypts.
    """

    def __init__(
        self,
        key: bytes | Path,
        *,
        in_use: Callable[[], bool] = bool,
        agree: Callable[[str], str] = str,
    ) -> None:
        """Use 32 random bytes, or the file that holds them (see `at`)."""
        self._source = key
        self._in_use = in_use
        self._agree = agree
        self._lock = threading.Lock()
        self._subkeys = None if isinstance(key, Path) else _subkeys(key)

    @classmethod
    def ephemeral(cls) -> "Vault":
        """A vault whose key dies with the process."""
        return cls(os.urandom(KEY_BYTES))

    @classmethod
    def at(
        cls,
        path: Path,
        *,
        in_use: Callable[[], bool] = bool,
        agree: Callable[[str], str] = str,
    ) -> "Vault":
        """A vault whose key lies in `path`; read, or created, when the first secret needs it.

        While `in_use` says that secrets sealed under it exist, a missing key is never replaced by a
        new one: that would leave two sorts of secrets, one of them lost. Where machines share a
        store, `agree` is told the mark of this one's key before it is used, and returns that of the
        key which all of them are to have.
        """
        return cls(path, in_use=in_use, agree=agree)

    def seal(self, value: str, stream: str, *, kind: str = "secret") -> Sealed:
        """Encrypt `value`; equal values share their reference within a `stream`, never across.

        Raises:
            SecretError: The key file is unsafe, damaged or cannot be created.
        """
        keys = self._keys()
        ref = _reference(keys.naming, value, stream)
        nonce = os.urandom(_NONCE_BYTES)
        return Sealed(ref, kind, nonce, _encrypt(keys.encryption, nonce, value, ref))

    def open(self, sealed: Sealed) -> str:
        """Decrypt what `seal` made.

        Raises:
            SecretError: The key is not the one it was sealed with, or the box or its reference
                changed.
        """
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        try:
            plain = AESGCM(self._keys().encryption).decrypt(
                sealed.nonce, sealed.box, sealed.ref.encode()
            )
        except (InvalidTag, ValueError) as error:
            raise SecretError(
                f"`{sealed.ref}` cannot be opened: wrong key, or the sealed value was changed",
                remedy="Restore the key file that was in use when it was sealed",
            ) from error
        return plain.decode("utf-8", "surrogatepass")

    def fingerprint(self, value: bytes) -> str:
        """A digest that tells equal values, and nothing to those who do not have the key.

        A plain digest of a text with a short secret in it would let anybody try out guesses.
        """
        import hmac

        naming = self._keys().naming
        return hmac.digest(naming, b"lamina fingerprint v1\0" + value, "sha256")[:16].hex()

    def sign(self, value: bytes) -> bytes:
        """What only those can write under a value who have the key."""
        import hmac

        return hmac.digest(self._keys().signing, value, "sha256")

    def problem(self) -> SecretError | None:
        """What stands in the way of the secrets that exist; nothing when there are none."""
        try:
            if isinstance(self._source, Path) and self._in_use():
                self._agreed(self._source, load_key(self._source))
        except SecretError as error:
            return error
        return None

    def _keys(self) -> "_Subkeys":
        with self._lock:
            if self._subkeys is None:
                key = self._source
                self._subkeys = _subkeys(self._load(key) if isinstance(key, Path) else key)
            return self._subkeys

    def _load(self, path: Path) -> bytes:
        key = load_key(path) if self._in_use() else load_or_create_key(path)
        return self._agreed(path, key)

    def _agreed(self, path: Path, key: bytes) -> bytes:
        """The key, if it is the one that everybody uses."""
        mark = _mark(key)
        if self._agree(mark) != mark:
            raise SecretError(
                f"The key file `{path}` is not the one that the secrets and tokens of this store"
                " are made with",
                remedy=f"Copy `{path.name}` from a machine that serves the store into"
                f" `{path.parent}`, with mode 600; every server needs the same one",
            )
        return key


class DistantVault(Vault):
    """The vault of a server. What arrives there is sealed there, so nothing is sealed here."""

    def __init__(
        self,
        reveal: "Callable[[Principal, RecordId, str], str]",
        fingerprint: Callable[[bytes], str],
    ) -> None:
        """Take what asks the server for a value of a record, and for a digest."""
        super().__init__(bytes(KEY_BYTES))
        self.reveal = reveal
        self._fingerprint = fingerprint

    def seal(self, value: str, stream: str, *, kind: str = "secret") -> Sealed:
        """Refused: it is sealed where it arrives."""
        del value, stream, kind
        raise SecretError("this vault is elsewhere", remedy="Send it there as it is")

    def open(self, sealed: Sealed) -> str:
        """Refused: no box ever comes here."""
        raise SecretError(f"`{sealed.ref}` is opened where the store is", remedy="Use reveal")

    def fingerprint(self, value: bytes) -> str:
        """The digest that the server makes, under its own key."""
        return self._fingerprint(value)

    def sign(self, value: bytes) -> bytes:
        """Nothing is signed here: the key of this vault is no secret."""
        del value
        raise SecretError("this vault is elsewhere", remedy="Exchange keys with the server itself")


def load_key(path: Path) -> bytes:
    """Read the key in `path`, which must be there."""
    try:
        return _read_key(path)
    except FileNotFoundError:
        raise SecretError(
            f"The key file `{path}` is missing, and secrets sealed under it exist",
            remedy="Put back your copy of it (backups never hold it), or erase the records with"
            " those secrets",
        ) from None
    except OSError as error:
        raise _unusable(path, error) from error


def load_or_create_key(path: Path) -> bytes:
    """Read the key in `path`, creating it first if nothing is there.

    Processes that create it at the same time end with the same key: a finished file is linked into
    place without replacing, and whoever comes second reads the winner's.
    """
    try:
        try:
            key = _read_key(path)
        except FileNotFoundError:
            _create_key(path, os.urandom(KEY_BYTES))
            key = _read_key(path)
        # Also when it was there: another process may have put it there a moment ago.
        sync_folder(path.parent)
    except OSError as error:
        raise _unusable(path, error) from error
    return key


def place_key(path: Path, key: bytes) -> None:
    """Put a key where another store looks for it.

    Raises:
        SecretError: Another key lies there.
    """
    try:
        if not path.exists():
            _create_key(path, key)
        sync_folder(path.parent)
        if _read_key(path) == key:
            return
    except OSError as error:
        raise _unusable(path, error) from error
    raise SecretError(
        f"The key file `{path}` holds another key", remedy="Move it away, then try again"
    )


def _unusable(path: Path, error: OSError) -> SecretError:
    return SecretError(
        f"The key file `{path}` cannot be used: {error.strerror or error}",
        remedy="Check that it is a plain file of yours in a folder you may write to",
    )


class _Subkeys(NamedTuple):
    encryption: bytes
    naming: bytes
    signing: bytes


def _mark(key: bytes) -> str:
    """What tells a key from another, and nothing about the key."""
    import hmac

    return hmac.digest(key, b"lamina key mark v1", "sha256")[:16].hex()


def _subkeys(key: bytes) -> _Subkeys:
    if len(key) != KEY_BYTES:
        raise SecretError(f"A vault key has {KEY_BYTES} bytes, not {len(key)}")
    import hmac

    return _Subkeys(
        encryption=hmac.digest(key, b"lamina secret encryption v1", "sha256"),
        naming=hmac.digest(key, b"lamina secret reference v1", "sha256"),
        signing=hmac.digest(key, b"lamina signature v1", "sha256"),
    )


def _reference(naming: bytes, value: str, stream: str) -> str:
    import base64
    import hashlib
    import hmac

    # Hashing the stream first fixes its width: no stream and value can pose as another pair.
    about = hashlib.sha256(stream.encode("utf-8", "surrogatepass")).digest()
    digest = hmac.digest(naming, about + value.encode("utf-8", "surrogatepass"), "sha256")
    name = base64.b32encode(digest[:_REFERENCE_BYTES]).decode("ascii").rstrip("=").lower()
    return SCHEME + name


def _encrypt(key: bytes, nonce: bytes, value: str, ref: str) -> bytes:
    # Imported here because loading it takes longer than a whole command that seals nothing.
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key).encrypt(nonce, value.encode("utf-8", "surrogatepass"), ref.encode())


def _read_key(path: Path) -> bytes:
    if path.is_symlink():
        raise SecretError(
            f"The key file `{path}` is a symbolic link",
            remedy="Put the key file itself there: a link can be pointed at another key",
        )
    # O_NONBLOCK keeps a pipe lying there from blocking for ever.
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check_key_file(path, os.fstat(handle))
        key = os.read(handle, KEY_BYTES + 1)
    finally:
        os.close(handle)
    if len(key) != KEY_BYTES:
        raise SecretError(
            f"The key file `{path}` holds {len(key)} bytes instead of {KEY_BYTES}",
            remedy="Restore it from a backup; without it the sealed secrets cannot be opened",
        )
    return key


def _check_key_file(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise SecretError(
            f"The key file `{path}` is not a plain file",
            remedy="Move it away; a key is created when the next secret is sealed",
        )
    if found.st_size > KEY_BYTES:
        raise SecretError(
            f"The key file `{path}` holds {found.st_size} bytes instead of {KEY_BYTES}",
            remedy="Restore it from a backup; without it the sealed secrets cannot be opened",
        )
    if found.st_mode & 0o077:
        raise SecretError(
            f"The key file `{path}` can be read by others (mode {stat.S_IMODE(found.st_mode):04o})",
            remedy=f"Run: chmod 600 {path}",
        )


def _create_key(path: Path, key: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        try:
            if os.write(handle, key) != KEY_BYTES:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(handle)
        finally:
            os.close(handle)
        _place(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _place(draft: Path, path: Path) -> None:
    """Give the finished draft its name unless another process was first."""
    with contextlib.suppress(FileExistsError):
        os.link(draft, path, follow_symlinks=False)
