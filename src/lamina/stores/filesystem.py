"""Whether a directory can hold a store, and what kind of file system it lies on."""

import errno
import os
import sys
from pathlib import Path
from typing import Final

from lamina.durable import make_folder
from lamina.errors import InvalidInputError, StoreError, StoreFullError, StoreReadOnlyError

_NETWORK: Final = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "smb2", "afs", "afpfs", "webdav", "davfs", "9p",
     "ceph", "glusterfs", "lustre", "beegfs", "ocfs2", "gfs2", "fuse.sshfs", "fuse.rclone",
     "fuse.s3fs", "fuse.gcsfuse", "fuse.davfs", "fuse.glusterfs")
)  # fmt: skip
_IN_MEMORY: Final = frozenset(("tmpfs", "ramfs", "devtmpfs"))
_MOUNTS: Final = Path("/proc/self/mountinfo")


def prepare_folder(folder: Path) -> None:
    """Make the directory if it is missing, and refuse one that cannot hold a shared database."""
    try:
        real = folder.resolve(strict=False)
        if real.exists() and not real.is_dir():
            raise InvalidInputError(
                f"{folder} is a file, not a directory", remedy="Name a directory for the store"
            )
        if not real.is_dir() or not any(real.iterdir()):
            # The way to it must be on the disk before anything in it is acknowledged. Memories are
            # private: nobody else may read what lies in here.
            make_folder(real, mode=0o700)
        if not os.access(real, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "this directory is read-only")
    except RuntimeError as error:
        raise _unusable(folder, "its links lead in a circle") from error
    except OSError as error:
        raise meaning(folder, error) from error
    kind = kind_of(real)
    if kind in _NETWORK:
        raise StoreError(
            f"{folder} lies on a network file system ({kind}), where SQLite's locks do not hold",
            remedy="Use a local directory, or a server store when machines share memory",
        )


def kind_of(path: Path) -> str:
    """The kind of file system, as the operating system names it; empty when it does not say."""
    if _MOUNTS.exists():
        return kind_in_mountinfo(_MOUNTS.read_text(encoding="utf-8", errors="replace"), path)
    if sys.platform == "darwin":
        import subprocess  # slow to load, and only needed here

        done = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=False)
        return kind_in_mount_output(done.stdout, path)
    return ""


def is_in_memory(kind: str) -> bool:
    """Whether a sync on such a file system reaches no disk."""
    return kind in _IN_MEMORY


def kind_in_mountinfo(mounts: str, path: Path) -> str:
    """Read Linux's table of mounts: the longest mount point that holds the path wins."""
    found: list[tuple[int, str]] = []
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) > 4 and right:
            point = Path(fields[4].encode().decode("unicode_escape"))
            if path == point or point in path.parents:
                found.append((len(point.parts), right.split(" ")[0]))
    # Of two mounts on one point the later one covers the earlier.
    return max(enumerate(found), key=lambda item: (item[1][0], item[0]))[1][1] if found else ""


def kind_in_mount_output(output: str, path: Path) -> str:
    """Read what `mount` prints on macOS: `device on /point (kind, options)`."""
    found = [(0, "")]
    for line in output.splitlines():
        point, _, options = line.partition(" on ")[2].rpartition(" (")
        if point and (path == Path(point) or Path(point) in path.parents):
            found.append((len(Path(point).parts), options.split(",")[0].rstrip(")")))
    return max(found)[1]


def meaning(folder: Path, error: OSError) -> StoreError | InvalidInputError:
    """What an error of the operating system says about a directory for a store."""
    match error.errno:
        case errno.ELOOP:
            return _unusable(folder, "its links lead in a circle")
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return StoreFullError(f"no room is left for {folder}", remedy="Free some space")
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return StoreReadOnlyError(
                f"{folder} cannot be written: {error.strerror}",
                remedy="Check its owner and mode, or choose another directory",
            )
        case errno.ENOTDIR | errno.EEXIST:
            return _unusable(folder, "a part of its path is a file")
        case errno.ENAMETOOLONG:
            return _unusable(folder, "its name is too long")
        case _:
            return StoreError(
                f"{folder} cannot be used: {error.strerror}", remedy="Choose another directory"
            )


def _unusable(folder: Path, why: str) -> InvalidInputError:
    return InvalidInputError(
        f"{str(folder)[:200]} cannot hold a store: {why}", remedy="Choose another directory"
    )
