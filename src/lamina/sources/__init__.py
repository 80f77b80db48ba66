"""Files as memory: walked, cut into chunks, and followed as they change.

Cutting (`cutting` and what it calls), `ignoring` and `catalog` are pure; `walking`, `roots`,
`beneath`, `reading` and `standing` look at the disk; `books` and `follow` write records of layer
`source`.
"""

from lamina.sources.follow import IndexOptions, index
from lamina.sources.standing import still_saying

__all__ = ["IndexOptions", "index", "still_saying"]
