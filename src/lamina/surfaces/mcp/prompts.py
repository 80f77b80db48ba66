"""Prompts: what a person may ask a model to do with its memory, in one word."""

from typing import Any

from mcp.server import MCPServer

from lamina.surfaces.mcp.here import memory_here
from lamina.surfaces.mcp.refusing import told

_BUDGET = 3_000


def add_prompts(server: MCPServer[Any]) -> None:
    """Offer the three."""
    server.prompt("continue", title="Continue where you were")(_continue)
    server.prompt("remember-session", title="Keep what this conversation taught")(_keep)
    server.prompt("review", title="Look over what is remembered")(_review)


def _continue(task: str = "") -> str:
    """Take up the work where it was left, with the memory of it."""
    with told():
        found = memory_here().context(task, budget=_BUDGET, empty=True)
    about = f" The task is: {task}" if task else ""
    return (
        f"{found.text}\n\nContinue where you were.{about} Say in two sentences what you were doing"
        " and what comes next, call `update_status`, then go on."
    )


def _keep(about: str = "") -> str:
    """Have the model keep what will matter later."""
    what = f" about {about}" if about else ""
    return (
        f"Look back over this conversation{what}. Keep with `remember`, one statement each, what"
        " will matter in later ones: decisions and why, conventions, corrections, pitfalls. Keep"
        " exact values with `save_fact`. Leave out what you were told from memory, secrets, and"
        " what the files say anyway. Then call `update_status` with the next steps, and list what"
        " you have kept."
    )


def _review(topic: str = "") -> str:
    """Have the model look for memories that are wrong, outdated or double."""
    where = f"about {topic}" if topic else "about this project"
    return (
        f"Call `recall` for what is remembered {where}, in several wordings. List what is wrong,"
        " outdated or said twice, each with its id and why. Ask before you `forget` any of it or"
        " `remember` it better."
    )
