"""The API page at `/api/docs`, with assets out of a package: nothing is fetched from elsewhere."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from starlette.staticfiles import StaticFiles
from swagger_ui_bundle import swagger_ui_path

_ASSETS = "/api/docs/assets"


def install_docs(app: FastAPI) -> None:
    """Serve the page and its assets."""
    app.mount(_ASSETS, StaticFiles(directory=swagger_ui_path))

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return get_swagger_ui_html(
            openapi_url="/api/openapi.json",
            title=f"{app.title} API",
            swagger_js_url=f"{_ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{_ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"{_ASSETS}/favicon-32x32.png",
        )
