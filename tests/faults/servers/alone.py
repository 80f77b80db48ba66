"""One writer, and nobody beside it: each of its commits is carried out, and the answer gets lost.

In a crowd it is chance whether that befalls a write without an idempotency key, and whether it was
quick enough for a careless store to do it again.
"""

from time import monotonic, sleep

import pytest

import lamina
from lamina.errors import LaminaError, StoreUnavailableError
from lamina.stores.postgres import connections
from tests.postgres.proxy import Proxy

TIMES = 3
MOMENT = 10.0


def answers_lost(proxy: Proxy, through: str) -> list[str]:
    """What is wrong after some writes that nobody answered."""
    with lamina.open(through) as mem, pytest.MonkeyPatch.context() as patched:
        mem.configure("recall.embedder", "off")
        # A busy machine must not be the reason why nothing is done again.
        patched.setattr(connections, "_LONG_SECONDS", 60.0)
        texts, wrong = [f"alone {number}" for number in range(TIMES)], []
        for text in texts:
            proxy.ambush(b"commit\0", heard=True)
            try:
                mem.remember(text)
                wrong.append(f"{text} was acknowledged, and nobody had answered")
            except StoreUnavailableError:
                pass
            except LaminaError as error:
                wrong.append(f"{text}: {error!r}")
        # The server has heard it, and may need a moment to carry it out.
        deadline = monotonic() + MOMENT
        there = list[str]()
        while texts[-1] not in there and monotonic() < deadline:
            sleep(0.01)
            there = [record.text for record in mem.query()]
        wrong += [
            f"{text} was written {there.count(text)} times"
            for text in texts
            if there.count(text) != 1
        ]
    return wrong
