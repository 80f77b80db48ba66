"""What each signal is worth: the same questions, asked of a recall that lacks one of them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from lamina.bench.telling import Told
from lamina.core.embedder_spec import OFF
from lamina.core.settings import EMBEDDER


@contextmanager
def _without_vectors(store: Told) -> Iterator[Told]:
    spec = store.mem.settings()[EMBEDDER]
    store.mem.configure(EMBEDDER, OFF)
    try:
        yield store
    finally:
        store.mem.configure(EMBEDDER, spec)


ABLATIONS: Final[Mapping[str, Callable[[Told], AbstractContextManager[Told]]]] = {
    "vectors": _without_vectors,
}
