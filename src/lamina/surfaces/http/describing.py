"""The schema of the server, and a page that shows it without asking anybody else for anything."""

import base64
import hashlib
from html import escape
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse

from lamina.core.permissions import Permission
from lamina.surfaces.http.routing import Routes

ROUTES = Routes(tag="server")
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}"
    "code{font-size:14px}h2{margin-top:2rem}dt{margin-top:.6rem}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}a{color:#8cf}}"
)


@ROUTES.add("GET", "/openapi.json", Permission.ANYONE, include_in_schema=False)
async def schema(request: Request) -> dict[str, Any]:
    """What the server can be asked, and what it answers."""
    told: dict[str, Any] = request.app.openapi()
    return told


@ROUTES.add("GET", "/docs", Permission.ANYONE, include_in_schema=False)
def page(request: Request) -> HTMLResponse:
    """The addresses of the server, for people."""
    found = request.app.openapi()
    groups: dict[str, list[str]] = {}
    for path, methods in found["paths"].items():
        for method, told in methods.items():
            [group] = told.get("tags") or ["other"]
            groups.setdefault(group, []).append(_entry(method, path, told))
    listed = "".join(
        f"<h2>{escape(name)}</h2><dl>{''.join(entries)}</dl>" for name, entries in groups.items()
    )
    style = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{style}'; frame-ancestors 'none'"
    return HTMLResponse(
        headers={"Content-Security-Policy": policy},
        content=f"<!doctype html><html lang=en><meta charset=utf-8><title>Lamina over HTTP</title>"
        f"<style>{_STYLE}</style><h1>Lamina over HTTP</h1>"
        f"<p>Bodies, answers and examples: <a href=openapi.json>openapi.json</a>.</p>{listed}",
    )


def _entry(method: str, path: str, told: dict[str, Any]) -> str:
    names = ", ".join(one["name"] for one in told.get("parameters", ()) if one.get("in") == "query")
    asked = f" <small>?{escape(names)}</small>" if names else ""
    needs = escape(str(told.get("x-permission", "")))
    return (
        f"<dt><code>{method.upper()} {escape(path)}</code>{asked} <small>({needs})</small></dt>"
        f"<dd>{escape(told.get('description', ''))}</dd>"
    )
