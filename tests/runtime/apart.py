"""A tool that runs in a process of its own, which has to import this and no more."""

import os
import time
from typing import Literal

from lamina.runtime.tools import tool


@tool(seconds=20, apart=True, safe_to_repeat=True)
def end_me(how: Literal["sleep", "exit", "answer"]) -> str:
    """Do what only a process of its own survives.

    :param how: in which way
    """
    if how == "exit":
        # As a crash in foreign code does: no exception, no answer.
        os._exit(7)
    time.sleep(600 if how == "sleep" else 0)
    return "answered"
