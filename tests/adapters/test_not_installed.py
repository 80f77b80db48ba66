"""An adapter whose framework is not there says what to install."""

import json

from tests.meta.children import run_python

EXTRAS = {
    "langgraph": ("langgraph", "langgraph"),
    "openai_agents": ("agents", "openai-agents"),
    "claude_memory": ("anthropic", "claude"),
    "pydantic_ai": ("pydantic_ai", "pydantic-ai"),
    "adk": ("google", "adk"),
}
_DRIVER = """
import importlib, json, sys

for adapter, (package, extra) in json.loads(sys.argv[1]).items():
    sys.modules[package] = None
    try:
        importlib.import_module(f"lamina.adapters.{adapter}")
    except ImportError as error:
        if f"pip install 'lamina[{extra}]'" in str(error):
            print(adapter)
"""


def test_an_adapter_says_what_to_install() -> None:
    done = run_python("-c", _DRIVER, json.dumps(EXTRAS))
    assert done.stdout.split() == list(EXTRAS), done.stderr
