"""Questions made to break a search: each is answered or refused, and none is an error of ours."""

from pathlib import Path

import lamina
from lamina.core.complaints import named
from tests.core.text.facts import FACTS
from tests.core.text.hostile import hostile
from tests.faults.report import Report, Tell

RECORDS = 40
BY_MEANING = 10
"""Of so many questions one is also placed among vectors, which takes far longer."""


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Ask `size` questions."""
    report = Report("queries", seed, size)
    asked = hostile(size, seed)
    for made_by, queries in (("off", asked), ("lamina", asked[::BY_MEANING])):
        with lamina.open(folder / made_by) as mem:
            mem.configure("recall.embedder", made_by)
            mem.remember_many([{"text": fact.text} for fact in FACTS[:RECORDS]])
            for number, query in enumerate(queries):
                try:
                    mem.recall(query, k=3)
                except Exception as error:
                    report.violations.append(f"seed {seed}: {query!a:.80}: {named(error)}")
                tell(number, size)
    return report
