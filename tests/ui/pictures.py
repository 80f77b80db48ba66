"""Pictures of pages with few colours, and so with few bytes."""

import base64
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page

COLOURS = 256
UNSEEN = 24
"""By how much a colour may differ."""
READ = """async (png) => {
  const from = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([from(png)], { type: 'image/png' }));
  const { width, height } = picture;
  const board = new OffscreenCanvas(width, height).getContext('2d');
  board.drawImage(picture, 0, 0);
  const found = board.getImageData(0, 0, width, height).data;
  let text = '';
  for (let at = 0; at < found.length; at += 32768) {
    text += String.fromCharCode(...found.subarray(at, at + 32768));
  }
  return { width, height, pixels: btoa(text) };
}"""


def draw(page: Page, path: Path, before: Path) -> None:
    """Write what a page shows; the bytes of before where nobody would see a difference."""
    page.evaluate("() => document.fonts.ready")
    shot = page.screenshot(animations="disabled", caret="hide")
    told = page.evaluate(READ, base64.b64encode(shot).decode())
    flat = np.frombuffer(base64.b64decode(told["pixels"]), np.uint8)
    pixels = flat.reshape(told["height"], told["width"], 4)[:, :, :3]
    path.parent.mkdir(parents=True, exist_ok=True)
    numbers, colours = few(pixels)
    path.write_bytes(png(numbers, colours))
    if before.exists() and looks_like(colours[numbers], before.read_bytes()):
        path.write_bytes(before.read_bytes())


def looks_like(pixels: Any, shown: bytes) -> bool:
    """Whether a picture of ours shows the same; browsers smooth edges now this way, now that."""
    found = dict(_parts(shown))
    if set(found) != {b"IHDR", b"PLTE", b"IDAT", b"IEND"}:
        return False
    width, height = struct.unpack_from(">II", found[b"IHDR"])
    if pixels.shape[:2] != (height, width):
        return False
    rows = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8).reshape(height, width + 1)
    colours = np.frombuffer(found[b"PLTE"], np.uint8).reshape(-1, 3).astype(np.int32)
    return int(np.abs(colours[rows[:, 1:]] - pixels).max()) <= UNSEEN


def _parts(shown: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at < len(shown):
        [size] = struct.unpack_from(">I", shown, at)
        yield shown[at + 4 : at + 8], shown[at + 8 : at + 8 + size]
        at += size + 12


def few(pixels: Any) -> tuple[Any, Any]:
    """The number of a colour for each pixel, and the colours: those that are met most."""
    flat = pixels.reshape(-1, 3).astype(np.uint32)
    codes = flat[:, 0] << 16 | flat[:, 1] << 8 | flat[:, 2]
    every, which, times = np.unique(codes, return_inverse=True, return_counts=True)
    colours = np.stack([every >> 16, every >> 8 & 255, every & 255], axis=1).astype(np.int32)
    # The most frequent of each small cube of colours stands for it; the rest go to the nearest.
    order = np.argsort(-times, kind="stable")
    _, first, cube = np.unique(_cubes(colours[order]), return_index=True, return_inverse=True)
    stands = colours[order[first]]
    chosen = stands[np.argsort(first, kind="stable")[:COLOURS]]
    far = ((stands[:, None, :] - chosen[None, :, :]) ** 2).sum(axis=2)
    number = np.empty(len(colours), np.uint8)
    number[order] = np.argmin(far, axis=1)[cube]
    return number[which].reshape(pixels.shape[:2]), chosen


def _cubes(colours: Any) -> Any:
    small = colours >> 3
    return small[:, 0] << 10 | small[:, 1] << 5 | small[:, 2]


def png(numbers: Any, colours: Any) -> bytes:
    """A picture with a palette."""
    height, width = numbers.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in numbers)
    parts = (
        (b"IHDR", head), (b"PLTE", colours.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""),
    )  # fmt: skip
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )
