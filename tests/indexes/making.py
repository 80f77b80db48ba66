"""Small documents, segments and indexes for the tests."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from hypothesis import strategies as st

from lamina.core.access import Grant
from lamina.core.bm25 import Statistics
from lamina.core.layers import LAYERS
from lamina.core.text import Term
from lamina.indexes.file import Header
from lamina.indexes.places import Sight
from lamina.indexes.postings import WordDoc

EVERY_LAYER = frozenset(LAYERS)
SCOPES = ("project/a", "project/a/task/t", "project/a/task/t/session/s", "project/ab")
SOME_LAYERS = ("knowledge", "log")
LETTERS = st.text("abé日𝄞", min_size=1, max_size=4)


def a_header(kind: str = "words", lo: int = 0, hi: int = 1) -> Header:
    return Header(kind=kind, store="s", stream=1, epoch="e", lo=lo, hi=hi)


def a_doc(rid: int, text: str, scope: str = "project/a", layer: str = "log") -> WordDoc:
    return WordDoc(rid, scope, layer, tuple(text.split()))


def statistics(docs: Iterable[WordDoc]) -> Statistics:
    lengths = [len(doc.tokens) for doc in docs if doc.tokens]
    return Statistics(len(lengths), sum(lengths) / max(len(lengths), 1) or 1.0)


def only(scope: str | None, *layers: str, subtree: bool = True) -> Sight:
    return Sight(((Grant(frozenset(layers) or EVERY_LAYER, scope, subtree),),))


def fresh(folder: Path, name: str) -> Path:
    """A name that no segment of this folder has."""
    return folder / f"{name}-{len(list(folder.iterdir()))}"


def documents() -> st.SearchStrategy[WordDoc]:
    return st.builds(
        WordDoc,
        rid=st.integers(1, 12),
        scope=st.sampled_from(SCOPES),
        layer=st.sampled_from(SOME_LAYERS),
        tokens=st.lists(LETTERS, max_size=8).map(tuple),
    )


def queries() -> st.SearchStrategy[list[Term]]:
    term = st.builds(Term, token=LETTERS, weight=st.sampled_from((1.0, 0.4)), expand=st.booleans())
    return st.lists(term, max_size=4, unique_by=lambda term: term.token)


def sights() -> st.SearchStrategy[Sight]:
    grant = st.builds(
        Grant,
        layers=st.sets(st.sampled_from(SOME_LAYERS), min_size=1).map(frozenset),
        scope=st.sampled_from((None, *SCOPES)),
        subtree=st.booleans(),
    )
    return st.lists(st.lists(grant, max_size=2).map(tuple), max_size=2).map(
        lambda groups: Sight(tuple(groups))
    )


def living(batches: Iterable[Mapping[int, WordDoc | None]]) -> dict[int, WordDoc]:
    """What is there after some batches of changes; `None` stands for a record taken away."""
    found: dict[int, WordDoc] = {}
    for batch in batches:
        for rid, doc in batch.items():
            found.pop(rid, None)
            if doc is not None:
                found[rid] = doc
    return found
