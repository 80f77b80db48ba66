"""Existing Markdown becomes knowledge and goes on living beside it.

`markdown` takes in a note, a folder of them or an Obsidian vault, and when it is called again
follows what changed there. The files are only read. `pages` says which files are meant, `wanted`
what their entries should become, `matching` which record each entry already is; `taking` writes.
"""

from lamina.importing.report import Became, Fate, NotesReport
from lamina.importing.taking import ImportOptions, markdown

__all__ = ["Became", "Fate", "ImportOptions", "NotesReport", "markdown"]
