"""Serves the API document and its page at `/api/docs`.

The assets of the page come from a package: nothing is fetched from the network.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import FileResponse, HTMLResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from swagger_ui_bundle import swagger_ui_path

from service.web.envelope import description
from shared.wire.common import Failure

_PLACE = "/api/docs/assets"
# The package holds pages of its own as well, which load from elsewhere: only these are served.
ASSETS = ("swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png")
# The page starts by a script in itself.
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"
)


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document; each operation with a JSON body says that it takes no other type."""
    made = app.openapi_schema is not None
    document = FastAPI.openapi(app)
    if not made:
        _define(document, Failure)
        for methods in document["paths"].values():
            for operation in methods.values():
                if "application/json" in operation.get("requestBody", {}).get("content", {}):
                    same = {**operation["responses"]["400"], "description": description(415)}
                    operation["responses"].setdefault("415", same)
    return document


def _define(document: dict[str, Any], model: type[BaseModel]) -> None:
    """Add the schemas of a model to those of the document, which are in the order of their names."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    schemas |= {**schema.pop("$defs", {}), model.__name__: schema}
    document["components"]["schemas"] = dict(sorted(schemas.items()))


def install_docs(app: FastAPI) -> None:
    """Serve the document, the page and its assets."""
    app.openapi = partial(_document, app)  # type: ignore[method-assign]

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
