"""Leaving is as easy as coming: memories as pages for people, or as files of other tools.

`lamina.exchange` writes everything, so that it can be taken in again without loss. What is written
here is what stands now, for others to read. Each exporter hands out text piece by piece.
"""

from lamina.exporting.choosing import Chosen, groups
from lamina.exporting.foreign import mem0_lines, server_memory_lines
from lamina.exporting.pages import markdown_pages

__all__ = ["Chosen", "groups", "markdown_pages", "mem0_lines", "server_memory_lines"]
