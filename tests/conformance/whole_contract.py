"""The whole contract of every store, through codec, client and a real server."""

from tests.remote.contract import FromAfar, Lasting, raw

__all__ = ["raw"]


class TestRemote(FromAfar):
    pass


class TestRemoteOnDisk(Lasting, FromAfar):
    pass
