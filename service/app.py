"""Wires the service: the one place that knows every domain."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from service.database import Database
from service.envelope import failure_body, failures, install_handlers
from service.http import ApiPrefix, BodyLimit, HostCheck, RequestFrame, allowed_hosts
from service.schema import migrate
from service.settings import Settings
from shared import __version__
from shared.codes import ErrorCode


def _operation_id(route: APIRoute) -> str:
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name


def create_app(settings: Settings) -> FastAPI:
    """The application on its own database, migrated and ready to be served."""
    settings.prepare()
    database = Database(settings.url)
    migrate(database)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        database.close()

    app = FastAPI(
        title="Walkaround",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        generate_unique_id_function=_operation_id,
        responses=failures(400),
    )
    install_handlers(app)
    api = APIRouter(prefix="/api")
    app.include_router(api)
    app.include_router(_health(database))

    first_words = {
        route.path.split("/")[2]
        for route in app.routes
        if isinstance(route, APIRoute) and "/api/" in route.path
    }
    app.add_middleware(ApiPrefix, first_words=first_words)
    app.add_middleware(
        BodyLimit,
        limit=settings.max_body_bytes,
        upload_limit=settings.max_upload_bytes,
        uploads=_is_upload,
    )
    app.add_middleware(HostCheck, allowed=allowed_hosts(settings.host, settings.allowed_hosts))
    app.add_middleware(RequestFrame)
    return app


def _is_upload(path: str) -> bool:
    return path.removeprefix("/api") in {"/files", "/detection/models"}


def _health(database: Database) -> APIRouter:
    router = APIRouter(tags=["health"])

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """The process is alive."""
        return {"status": "ok"}

    @router.get("/readyz", responses=failures(503))
    async def readyz() -> Any:
        """The database answers."""
        try:
            await database.read(lambda session: session.connection())
        except Exception:  # whatever keeps the database from answering means: not ready
            body = failure_body(ErrorCode.UNAVAILABLE, "数据库没有响应，请稍后再试")
            return JSONResponse(body, status_code=503)
        return {"status": "ok"}

    return router
