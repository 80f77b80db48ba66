"""Files as memory: walked, cut into chunks, and followed as they change.

Cutting (`cutting` and what it calls), `ignoring` and `catalog` are pure; `walking`, `roots`,
`beneath` and `reading` look at the disk; `books` and `follow` write records of layer `source`.
"""

from lamina.sources.follow import IndexOptions, index

__all__ = ["IndexOptions", "index"]
