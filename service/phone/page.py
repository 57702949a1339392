"""Serves the page that a phone opens, with the program's own scripts only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from fastapi import APIRouter, Response

from shared.system.paths import resource_path

FILES: Final = {
    "phone.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "view.js": "text/javascript; charset=utf-8",
    "sending.js": "text/javascript; charset=utf-8",
    "service.js": "text/javascript; charset=utf-8",
    "store.js": "text/javascript; charset=utf-8",
    "texts.js": "text/javascript; charset=utf-8",
}
"""The files of the page and their types."""

# Nothing from other hosts and no inline code; `blob:` shows the waiting photos.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def add_page(routes: APIRouter) -> None:
    """Add the page and its files below the prefix of `routes`."""

    @routes.get("", include_in_schema=False)
    async def phone_page() -> Response:
        return _file_response("index.html", "text/html; charset=utf-8")

    # One route for each file: a route with a path parameter would also match other operations.
    for name, media_type in FILES.items():
        routes.add_api_route(f"/{name}", _endpoint(name, media_type), include_in_schema=False, name=name)


def _endpoint(name: str, media_type: str) -> Callable[[], Awaitable[Response]]:
    async def phone_file() -> Response:
        return _file_response(name, media_type)

    return phone_file


def _file_response(name: str, media_type: str) -> Response:
    headers = {"Content-Security-Policy": POLICY, "Permissions-Policy": "geolocation=(), microphone=()"}
    return Response(resource_path("phone", name).read_bytes(), media_type=media_type, headers=headers)
