"""The schema of the server, and a page that shows it without asking anybody else for anything."""

import base64
import hashlib
import json
import threading
from html import escape
from typing import Any, NamedTuple

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response

from lamina.core.permissions import Permission
from lamina.surfaces.http.routing import Routes

ROUTES = Routes(tag="server")
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}"
    "code{font-size:14px}h2{margin-top:2rem}dt{margin-top:.6rem}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}a{color:#8cf}}"
)
_WRITING = threading.Lock()
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


@ROUTES.add("GET", "/openapi.json", Permission.ANYONE, include_in_schema=False)
def schema(request: Request) -> Response:
    """What the server can be asked, and what it answers."""
    return Response(_described(request.app).schema, media_type="application/json")


@ROUTES.add("GET", "/docs", Permission.ANYONE, include_in_schema=False)
def page(request: Request) -> HTMLResponse:
    """The addresses of the server, for people."""
    policy = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'"
    headers = {"Content-Security-Policy": policy}
    return HTMLResponse(_described(request.app).page, headers=headers)


class _Described(NamedTuple):
    """What a server says of itself."""

    schema: bytes
    page: bytes


def _described(app: FastAPI) -> _Described:
    """Written once, by one of those who ask at first: anybody may, and it is long."""
    with _WRITING:
        known: _Described | None = getattr(app.state, "described", None)
        if known is None:
            told = app.openapi()
            schema = json.dumps(told, ensure_ascii=False)
            known = app.state.described = _Described(schema.encode(), _page(told).encode())
        return known


def _page(told: dict[str, Any]) -> str:
    groups: dict[str, list[str]] = {}
    for path, methods in told["paths"].items():
        for method, one in methods.items():
            [group] = one.get("tags") or ["other"]
            groups.setdefault(group, []).append(_entry(method, path, one))
    listed = "".join(
        f"<h2>{escape(name)}</h2><dl>{''.join(entries)}</dl>" for name, entries in groups.items()
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Lamina over HTTP</title>"
        f"<style>{_STYLE}</style><h1>Lamina over HTTP</h1>"
        f"<p>Bodies, answers and examples: <a href=openapi.json>openapi.json</a>.</p>{listed}"
    )


def _entry(method: str, path: str, told: dict[str, Any]) -> str:
    names = ", ".join(one["name"] for one in told.get("parameters", ()) if one.get("in") == "query")
    asked = f" <small>?{escape(names)}</small>" if names else ""
    needs = escape(str(told.get("x-permission", "")))
    return (
        f"<dt><code>{method.upper()} {escape(path)}</code>{asked} <small>({needs})</small></dt>"
        f"<dd>{escape(told.get('description', ''))}</dd>"
    )
