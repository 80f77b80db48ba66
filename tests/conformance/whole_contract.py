"""The whole contract of every store, through codec, client and a real server."""

from tests.remote.contract import FromAfar, raw

__all__ = ["raw"]


class TestRemote(FromAfar):
    pass
