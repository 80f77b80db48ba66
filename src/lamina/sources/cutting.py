"""Any text, cut by what it is: Markdown by heading, code by definition, the rest by paragraph."""

from typing import Final

from lamina.sources import languages
from lamina.sources.chunks import Chunk, Page, by_paragraph

CUTTER: Final = 3
"""Counts up when files are to be cut anew, because they would now be cut otherwise."""


def cut_text(text: str, language: str) -> list[Chunk]:
    """The chunks of a text, in order."""
    page = Page(text)
    if language == "markdown":
        from lamina.sources.markdown import by_heading

        return by_heading(page)
    if language == "python":
        from lamina.sources.python import by_syntax

        return by_syntax(page)
    if languages.has_definitions(language):
        from lamina.sources.code import by_definition

        return by_definition(page, language)
    return by_paragraph(page)
