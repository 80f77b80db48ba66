"""The JSON shape of what an erase would touch."""

from dataclasses import asdict
from typing import Any

from lamina.results import ErasurePlan


def erasure_plan_out(plan: ErasurePlan) -> dict[str, Any]:
    """What goes, what goes with it, and what stays; nothing was changed."""
    return {
        "records": [asdict(one) for one in plan.records],
        "versions": plan.versions,
        "sealed": plan.sealed,
        "words": plan.words,
        "files": list(plan.files),
        "mentions": list(plan.mentions),
        "saying": [asdict(one) for one in plan.saying],
        "notes": list(plan.notes),
        "sources": list(plan.sources),
    }
