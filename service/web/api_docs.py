"""Serves the API document and its page at `/api/docs`.

The assets of the page come from a package. Nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.routing import APIRoute
from openapi_ui_bundles.swagger_ui import static_path
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from service.web.api_texts import add_texts, name_schemas
from service.web.bodies import BodyRule, BodyRules, size_text
from service.web.envelope import failure_description
from service.web.protocol import HEAD_BYTES
from service.web.routing import ReadQuery
from shared.wire.common import Failure

_ASSETS_PATH = "/api/docs/assets"
# Only these are served: the package also contains pages that load from other servers.
ASSETS = ("swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png")
# The page starts with an inline script.
_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"
)


ExtendDocument = Callable[[dict[str, Any]], None]
"""Adds to the document what the routes do not describe."""


def _build_document(app: FastAPI, extend: ExtendDocument, rules: BodyRules) -> dict[str, Any]:
    """The OpenAPI document, with the limits of heads and bodies, and 415 if a body is JSON."""
    is_complete = app.openapi_schema is not None
    document = FastAPI.openapi(app)
    if not is_complete:
        _add_schemas(document, Failure)
        for route in app.routes:
            if isinstance(route, APIRoute):
                _describe_query(document, route)
        document["info"]["x-max-head-bytes"] = HEAD_BYTES
        for path, methods in document["paths"].items():
            for operation in methods.values():
                if "requestBody" in operation:
                    _describe_body_limit(operation["requestBody"], rules(path))
                if "application/json" in operation.get("requestBody", {}).get("content", {}):
                    unsupported = {**operation["responses"]["400"], "description": failure_description(415)}
                    operation["responses"].setdefault("415", unsupported)
        _write_bounds(document["paths"])
        _write_bounds(document["components"]["schemas"])
        add_texts(document)
        extend(document)
        document = app.openapi_schema = name_schemas(document)
    return document


def _describe_body_limit(body: dict[str, Any], rule: BodyRule) -> None:
    body["x-max-body-bytes"] = rule.max_bytes
    text = f"At most {size_text(rule.max_bytes)}; a longer body is refused with 413."
    if rule.bodies is not None:
        text += " While too many bodies are in memory, 503 with Retry-After."
    body.setdefault("description", text)


def _add_schemas(document: dict[str, Any], model: type[BaseModel]) -> None:
    """Add the schemas of a model to the document, whose schemas are ordered by name."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    schemas |= {**schema.pop("$defs", {}), model.__name__: schema}
    document["components"]["schemas"] = dict(sorted(schemas.items()))


def _describe_query(document: dict[str, Any], route: APIRoute) -> None:
    """Add the parameters of a query that the route reads by `ReadQuery`, before its other ones."""
    for dependency in route.dependant.dependencies:
        if not isinstance(dependency.call, ReadQuery):
            continue
        schema = dependency.call.model.model_json_schema(ref_template="#/components/schemas/{model}")
        document["components"]["schemas"] |= schema.get("$defs", {})
        fields: dict[str, dict[str, Any]] = schema["properties"]
        parameters = [
            {
                "name": name,
                "in": "query",
                "required": name in schema.get("required", ()),
                "schema": {"title": name.replace("_", " ").title(), **field},
                **({"description": field["description"]} if "description" in field else {}),
            }
            for name, field in fields.items()
        ]
        for method in route.methods or ():
            operation = document["paths"][route.path][method.lower()]
            operation["parameters"] = [*parameters, *operation.get("parameters", ())]


_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}


def _write_bounds(node: Any) -> None:
    """Give the bounds of each number the names that JSON Schema has.

    Pydantic writes those of a number that may be an int or a float (`shared.wire.common.Number`) under the
    names of its own, which no generator of clients knows. Generators read bounds at a type, not at `anyOf`.
    """
    if isinstance(node, list):
        for entry in node:
            _write_bounds(entry)
    elif isinstance(node, dict):
        if isinstance(node.get("anyOf"), list):
            bounds = {name: node.pop(key) for key, name in _BOUNDS.items() if key in node}
            for branch in node["anyOf"]:
                branch.update(bounds)
        for entry in node.values():
            _write_bounds(entry)


def install_docs(app: FastAPI, extend: ExtendDocument, rules: BodyRules) -> None:
    """Serve the document, which `extend` completes, its page and the assets of the page."""
    app.openapi = partial(_build_document, app, extend, rules)  # type: ignore[method-assign]

    @app.get(f"{_ASSETS_PATH}/{{name}}", include_in_schema=False)
    async def asset(name: str) -> FileResponse:
        if name not in ASSETS:
            raise HTTPException(404)
        return FileResponse(Path(static_path, name))

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        script, style, icon = (f"{_ASSETS_PATH}/{name}" for name in ASSETS)
        page = get_swagger_ui_html(
            openapi_url="/api/openapi.json",
            title=f"{app.title} API",
            swagger_js_url=script,
            swagger_css_url=style,
            swagger_favicon_url=icon,
        )
        page.headers["Content-Security-Policy"] = _POLICY
        return page
