"""The files of the web interface; they say nothing about memories, so anybody may have them."""

import functools
import gzip
import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import Final

INDEX: Final = "index.html"
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One file as it goes out."""

    body: bytes
    packed: bytes
    """The same, compressed."""
    media_type: str
    tag: str
    """Its ETag."""
    is_named_by_content: bool
    """Whether another content would have another name, so that it may be kept for ever."""


@functools.cache
def pages() -> dict[str, Page]:
    """Every file by its name, read once."""
    folder = resources.files("lamina.surfaces.ui") / "static"
    return {
        one.name: _page(one.name, one.read_bytes()) for one in folder.iterdir() if one.is_file()
    }


def _page(name: str, body: bytes) -> Page:
    stem, _, ending = name.rpartition(".")
    digest = hashlib.sha256(body).hexdigest()[:16]
    packed = gzip.compress(body, mtime=0)
    return Page(body, packed, _TYPES[f".{ending}"], f'"{digest}"', "-" in stem)
