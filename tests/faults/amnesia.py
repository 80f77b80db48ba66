"""An agent is killed at random moments of a task, and goes on when it is told to continue.

The play itself is an example for everybody: `examples/amnesia.py`.
"""

from collections import Counter
from pathlib import Path

from examples.amnesia import Death, play
from tests.faults.report import Report, Tell


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Kill `size` processes; every letter must be sent once, in order."""
    report = Report("amnesia", seed, size)
    moments, tasks = Counter[str](), 0
    for one in play(size, seed, folder):
        if isinstance(one, Death):
            moments[one.moment] += 1
            tell(moments.total(), size)
        else:
            tasks += 1
            report.violations += [f"seed {seed}: task {one.task}: {line}" for line in one.wrong]
    report.figures = {"killed": dict(moments.most_common()), "tasks": tasks}
    return report
