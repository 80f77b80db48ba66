"""Markdown as people write it: its structure, its entries, and what an entry says of itself.

Pure: text in, values out, in time that grows with the text alone, whatever it is. Lines are
numbered from 1. What is not understood is text: nothing is ever dropped here.
"""

from lamina.core.markdown.entries import Entry, Form, Note, read_note
from lamina.core.markdown.kinds import kind_under
from lamina.core.markdown.saying import Said, said

__all__ = ["Entry", "Form", "Note", "Said", "kind_under", "read_note", "said"]
