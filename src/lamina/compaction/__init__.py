"""Compaction of logs and sessions: a summary in the place of what was said, all of it archived.

When it is time is decided in `timing`, what stays in `transcripts`, what the summary says in
`extracting` or by a model in `modelled`; `archiving` carries it out in one commit.
"""

from lamina.compaction.archiving import Compaction, Plan
from lamina.compaction.extracting import extract
from lamina.compaction.modelled import by_model
from lamina.compaction.timing import Pressure

__all__ = ["Compaction", "Plan", "Pressure", "by_model", "extract"]
