"""The API page at `/api/docs`, with assets out of a package: nothing is fetched from elsewhere."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import FileResponse, HTMLResponse
from starlette.exceptions import HTTPException
from swagger_ui_bundle import swagger_ui_path

_PLACE = "/api/docs/assets"
# The package holds pages of its own as well, which load from elsewhere: only these are served.
ASSETS = ("swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png")
# The page starts by a script in itself.
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"
)


def install_docs(app: FastAPI) -> None:
    """Serve the page and its assets."""

    @app.get(f"{_PLACE}/{{name}}", include_in_schema=False)
    async def asset(name: str) -> FileResponse:
        if name not in ASSETS:
            raise HTTPException(404)
        return FileResponse(Path(swagger_ui_path, name))

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        script, style, icon = (f"{_PLACE}/{name}" for name in ASSETS)
        page = get_swagger_ui_html(
            openapi_url="/api/openapi.json",
            title=f"{app.title} API",
            swagger_js_url=script,
            swagger_css_url=style,
            swagger_favicon_url=icon,
        )
        page.headers["Content-Security-Policy"] = _POLICY
        return page
