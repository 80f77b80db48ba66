"""A text that is too long for a model, in pieces that are not."""

from typing import Final

SIZES: Final = (6000, 3000, 1500, 700, 350)
"""Characters to a piece, tried in this order: models differ, and so do scripts."""
MOST: Final = 64
"""No more pieces of one text than this; what follows them is left out."""


def windows(text: str, size: int) -> list[str]:
    """Cut `text` into pieces of at most `size` characters, between words where there are any."""
    pieces: list[str] = []
    start = 0
    while start < len(text) and len(pieces) < MOST:
        end = start + size
        if end < len(text):
            blank = text.rfind(" ", start + size // 2, end)
            end = blank if blank > start else end
        piece = text[start:end].strip()
        if piece:
            pieces.append(piece)
        start = end
    return pieces or [text]
