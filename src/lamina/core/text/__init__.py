"""The text analyser: what a text is found by, and what it costs a model to read.

Every store indexes with `tokens` and asks with `query_terms`, so keyword search behaves the same
everywhere and no query can be a syntax error. Nothing here knows about stores, ranking or models.
A change that alters any token must raise `ANALYSER_VERSION`: indexes built before are then stale.
"""

from lamina.core.text.budget import estimate_tokens
from lamina.core.text.query import Term, query_terms
from lamina.core.text.words import tokens
from lamina.core.versions import ANALYSER_VERSION

__all__ = ["ANALYSER_VERSION", "Term", "estimate_tokens", "query_terms", "tokens"]
