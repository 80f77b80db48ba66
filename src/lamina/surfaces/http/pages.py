"""The web interface at `/`: files that are the same for everybody and tell about nothing."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import Header
from fastapi.responses import Response

from lamina.core.permissions import Permission
from lamina.errors import NotFoundError
from lamina.surfaces.http.routing import Routes
from lamina.surfaces.ui.files import INDEX, Page, pages

ROUTES = Routes(tag="pages")
_POLICY: Final = "; ".join(
    (
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "worker-src 'none'", "manifest-src 'none'",
        # Text cannot become markup by mistake: browsers refuse the calls that would do that.
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    )
)  # fmt: skip
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_ASK_AGAIN: Final = "no-cache"
IfNoneMatch = Annotated[str | None, Header()]
Accepted = Annotated[str, Header(alias="accept-encoding")]


@ROUTES.add("GET", "/", Permission.ANYONE, include_in_schema=False)
def index(if_none_match: IfNoneMatch = None, accepted: Accepted = "") -> Response:
    """The page; which view it shows is said behind the `#`, which no server is told."""
    return _sent(pages().get(INDEX), if_none_match, accepted)


@ROUTES.add("GET", "/assets/{name}", Permission.ANYONE, include_in_schema=False)
def asset(name: str, if_none_match: IfNoneMatch = None, accepted: Accepted = "") -> Response:
    """What the page is made of."""
    return _sent(pages().get(name), if_none_match, accepted)


def _sent(page: Page | None, known: str | None, accepted: str) -> Response:
    if page is None:
        raise NotFoundError("there is no such file", remedy="Load the page again: /")
    headers = {
        "ETag": page.tag,
        "Cache-Control": _FOR_EVER if page.is_named_by_content else _ASK_AGAIN,
        "Content-Security-Policy": _POLICY,
        "Vary": "Accept-Encoding",
    }
    if known is not None and page.tag in known:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    if "gzip" in accepted:
        packed = {**headers, "Content-Encoding": "gzip"}
        return Response(page.packed, headers=packed, media_type=page.media_type)
    return Response(page.body, headers=headers, media_type=page.media_type)
