"""Whether a request was meant for this server, and not sent by a page that has no business here.

A browser lets any page send requests to this machine: under a name that the page's owner has
pointed here, or as a form that needs nobody's leave. So a request names this server by a name that
it has, comes from no page or from a page of its own, and is not one that a form could send.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from lamina.surfaces.http.problems import Refusal, not_json
from lamina.tokens import forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.datastructures import Headers
    from starlette.types import Scope

_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", re.ASCII)
_HIGHEST_PORT: Final = 65_535
_SAFE: Final = frozenset(("GET", "HEAD", "OPTIONS"))
_OWN_SITE: Final = frozenset(("same-origin", "none"))
_OF_FORMS: Final = frozenset(
    ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data")
)
"""What a page may send anywhere without being allowed to."""
_ROUNDS: Final = 5
"""How often something may be quoted and still be recognised."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a server answers to."""

    hosts: Sequence[str]
    origins: Sequence[str]


def refusal_of(scope: Scope, headers: Headers, allowed: Allowed) -> Refusal | None:
    """Why a request was not meant for this server; nothing if it was."""
    if hides_key(scope):
        return _IN_ADDRESS
    host = _host(headers.getlist("host"), allowed.hosts)
    if host is None or not scope["path"].startswith("/"):
        return _MISDIRECTED
    if "transfer-encoding" in headers and "content-length" in headers:
        return _TWO_LENGTHS
    origins = headers.getlist("origin")
    is_preflight = scope["method"] == "OPTIONS" and "access-control-request-method" in headers
    if is_preflight or not _may_call(origins, host, allowed.origins):
        return _OTHER_PAGE
    if scope["method"] in _SAFE:
        return None
    is_known_page = bool(origins) and origins[0].lower() in _lowered(allowed.origins)
    if not is_known_page and not _OWN_SITE.issuperset(headers.getlist("sec-fetch-site")):
        return _OTHER_PAGE
    return not_json() if _is_like_a_form(headers) else None


def hides_key(scope: Scope) -> bool:
    """Whether a key or token stood in the address, which then says nothing any more.

    What a server logs of a request it takes from here.
    """
    found = _shows_key(scope)
    if found:
        scope.update(path="/", raw_path=b"/", query_string=b"")
    return found


def name_of(host: str) -> str | None:
    """The name in `name` or `name:port`, in lower case; nothing where it is neither."""
    found = _HOST.fullmatch(host.lower())
    return found[1] if found and int(found[2] or 0) <= _HIGHEST_PORT else None


def _host(said: Sequence[str], names: Sequence[str]) -> str | None:
    """The one name and port under which this server was called, if it answers to that."""
    if len(said) != 1 or name_of(said[0]) not in _lowered(names):
        return None
    return said[0].lower()


def _may_call(origins: Sequence[str], host: str, others: Sequence[str]) -> bool:
    """Whether no page sent it, or one of this server, or of those named."""
    # A proxy may speak TLS for this server, which then cannot tell.
    own = {f"http://{host}", f"https://{host}", *_lowered(others)}
    return not origins or (len(origins) == 1 and origins[0].lower() in own)


def _is_like_a_form(headers: Headers) -> bool:
    sizes = headers.getlist("content-length")
    if "transfer-encoding" not in headers and sizes in ([], ["0"]):
        return False
    kinds = headers.getlist("content-type")
    said = kinds[0].partition(";")[0].strip().lower() if len(kinds) == 1 else ""
    return said in _OF_FORMS


def _shows_key(scope: Scope) -> bool:
    """Whether a key or token stands in the address, where histories and proxies' logs keep it."""
    query: bytes = scope.get("query_string", b"")
    said = f"{scope['path']}?{query.decode('latin-1')}"
    for _ in range(_ROUNDS):
        if forms.ANYWHERE.search(said.lower()):
            return True
        said = unquote(said)
    return False


def _lowered(names: Sequence[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)


_MISDIRECTED: Final = Refusal(
    HTTPStatus.MISDIRECTED_REQUEST, "misdirected", "this server does not go by that name",
    "Call it by its address, or start it with `lamina serve --allow-host NAME`",
)  # fmt: skip
_OTHER_PAGE: Final = Refusal(
    HTTPStatus.FORBIDDEN, "forbidden", "pages of other addresses may not call this server",
    "Call it from a program, or start it with `lamina serve --allow-origin ORIGIN`",
)  # fmt: skip
_TWO_LENGTHS: Final = Refusal(
    HTTPStatus.BAD_REQUEST, "invalid_input", "the length of the body is said in two ways",
    "Send Content-Length or Transfer-Encoding: a proxy may believe the other one",
)  # fmt: skip
_IN_ADDRESS: Final = Refusal(
    HTTPStatus.BAD_REQUEST, "key_in_address", "a key or token stands in the address",
    "Send it as `Authorization: Bearer KEY`, and revoke this one: addresses end up in logs",
)  # fmt: skip
