"""Memories that exist elsewhere come along: Markdown that lives on, and what other tools export.

`markdown` takes in a note, a folder of them or an Obsidian vault, and when it is called again
follows what changed there. The files are only read. `pages` says which files are meant, `wanted`
what their entries should become, `matching` which record each entry already is; `taking` writes.

`bring` takes in what another tool exported, item by item. `formats` read, `keeping` writes.
"""

from lamina.importing.bringing import BringOptions, bring
from lamina.importing.brought import Brought, Told
from lamina.importing.formats.telling import FORMATS
from lamina.importing.report import Became, Fate, NotesReport
from lamina.importing.taking import ImportOptions, markdown

__all__ = [
    "FORMATS", "Became", "BringOptions", "Brought", "Fate", "ImportOptions", "NotesReport", "Told",
    "bring", "markdown",
]  # fmt: skip
