"""What known models want to be told before a text.

A model trained with a prefix finds less without it, and without saying so. Models that are not
listed get the bare text.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Profile:
    """What goes before a document and before a query."""

    document: str = ""
    query: str = ""


_PASSAGES: Final = Profile(query="Represent this sentence for searching relevant passages: ")
_PROFILES: Final = (
    (r"nomic-embed-text", Profile("search_document: ", "search_query: ")),
    (r"mxbai-embed-(large|xsmall)", _PASSAGES),
    (r"snowflake-arctic-embed(2|-[ml]-v2)", Profile(query="query: ")),
    (r"snowflake-arctic-embed", _PASSAGES),
    (r"bge-(small|base|large)-en", _PASSAGES),
    # The bare names are those of the English models in Ollama's library.
    (r"bge-(small|base|large)$", _PASSAGES),
    (r"(multilingual-)?e5-(small|base|large)(?!.*instruct)", Profile("passage: ", "query: ")),
    (r"embeddinggemma", Profile("title: none | text: ", "task: search result | query: ")),
)


def profile_of(model: str) -> Profile:
    """The profile of a model, by its name without owner and tag."""
    name = model.rpartition("/")[2].partition(":")[0].lower()
    for pattern, profile in _PROFILES:
        if re.match(pattern, name):
            return profile
    return Profile()
