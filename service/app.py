"""Composes the service: the one module that knows every domain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI
from fastapi.routing import iter_route_contexts

from service.account.routes import router as account_router
from service.account.service import AccountService
from service.account.store import names_with_usernames
from service.audit.routes import router as audit_router
from service.audit.service import AuditService
from service.backups.routes import router as backups_router
from service.backups.service import BackupService
from service.catalogue.routes import router as catalogue_router
from service.catalogue.service import CatalogueService, RecordCounts
from service.changes import only
from service.db.database import Database
from service.db.schema import migrate
from service.detection.routes import router as detection_router
from service.detection.service import DetectionService
from service.events.change_feed import ChangeFeed
from service.events.routes import router as events_router
from service.face.routes import router as face_router
from service.face.service import FaceService
from service.files.routes import router as files_router
from service.files.service import FilesService
from service.inspection.routes import router as inspection_router
from service.inspection.service import InspectionService, count_of_reference_image, count_of_task
from service.memory import waiting
from service.memory.routes import router as memory_router
from service.memory.service import MemoryService
from service.monitoring.readiness import (
    Readiness,
    alive_check,
    database_check,
    disk_check,
    health_routes,
    migrations_check,
)
from service.observability import Observers
from service.phone import codes
from service.phone.routes import router as phone_router
from service.phone.service import PhoneService
from service.settings import Settings
from service.statistics.counting import count_changes
from service.statistics.routes import router as statistics_router
from service.statistics.service import StatisticsService
from service.web.api_docs import install_docs
from service.web.api_examples import add_examples
from service.web.bodies import BodyLimit, body_rules
from service.web.envelope import failures, install_handlers
from service.web.layers import AllowedOrigins, AnswerForm, CancelOnDisconnect
from service.web.middleware import (
    ApiPrefix,
    HostCheck,
    RequestMiddleware,
    allowed_hosts,
)
from service.web.routing import add_routes, operation_id
from service.webhooks import outbox
from service.webhooks.routes import router as webhooks_router
from service.webhooks.service import WebhookService
from shared import __version__

if TYPE_CHECKING:
    from service.events.relay import Relay


class Domains:
    """Creates every domain on one database, with the functions that it needs of the others."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self.audit = AuditService(database, settings)
        self.audit.begin()
        self.statistics = StatisticsService(database)
        self.change_feed = ChangeFeed()
        self.relay = _relay(database, self.change_feed)
        self.files = FilesService(database, settings)
        self.catalogue = CatalogueService(database, RecordCounts(count_of_task, count_of_reference_image))
        self.account = AccountService(database, settings)
        self.face = FaceService(
            database,
            settings,
            log_in=lambda user_id, *client: self.account.logins.log_in_user(user_id, ("face",), *client),
            may_log_in=self.account.may_log_in,
            permissions=self.account.permissions,
        )
        self.account.set_face = self.face.enrolments.set_face
        self.account.logins.users_with_face = self.face.enrolments.enrolled
        self.account.logins.on_password_login = self.face.logins.password_login
        self.inspection = InspectionService(
            database,
            stored_hash=self.files.stored_hash,
            model_hash=lambda sha256: self.detection.models.stored_hash(sha256),
            match_photo=lambda file_id, regions: self.detection.photo_matching.match(file_id, regions),
            opens_as_film=self.files.opens_as_film,
            reason_characters=settings.reason_characters,
        )
        self.detection = DetectionService(
            database,
            settings,
            self.files,
            self.inspection.detections,
            known_photos=lambda *of_item: self.memory.find_known_photos(*of_item),
        )
        self.memory = MemoryService(database, self.detection.variations)
        self.webhooks = WebhookService(database, settings)
        self.phone = PhoneService(
            database, settings, self.account, self.files, self.inspection, self.detection
        )
        self.backups = BackupService(database, settings)
        self._listen(database)

    def _listen(self, database: Database) -> None:
        """Register every listener of changes, in the order in which they hear them."""
        database.before_commit += [
            self.audit.before_commit,
            # After the audit log: on PostgreSQL its lock serializes the changes, so the statistics need none.
            count_changes,
            *([] if self.relay is None else [self.relay.before_commit]),
            waiting.follow,
            only(outbox.ACTIONS, self.webhooks.outbox.before_commit),
            only(codes.ACTIONS, self.phone.codes.before_commit),
        ]
        database.after_commit += [
            self.change_feed.after_commit,
            self.memory.after_commit,
            only(outbox.ACTIONS, self.webhooks.deliverer.after_commit),
        ]

    def routers(self) -> list[APIRouter]:
        """The routes of every domain; those that are asked most often first, as they are tried in order."""
        return [
            inspection_router(self.inspection),
            account_router(self.account),
            face_router(self.face),
            catalogue_router(self.catalogue),
            files_router(self.files),
            detection_router(self.detection),
            memory_router(self.memory),
            audit_router(self.audit, names_with_usernames),
            backups_router(self.backups),
            events_router(self.change_feed),
            webhooks_router(self.webhooks),
            statistics_router(self.statistics),
            phone_router(self.phone),
        ]

    def readiness(self, settings: Settings) -> Readiness:
        """The checks that must pass before the service is ready."""
        return Readiness(
            {
                "database": database_check(self._database),
                "migrations": migrations_check(self._database),
                "disk": disk_check(settings.data_dir, settings.disk_reserve_bytes),
                "queue": alive_check(self.detection.is_alive),
                "files": self.files.ensure_reachable,
            }
        )

    async def start(self) -> None:
        """Start the threads, tasks and processes that work in the background."""
        if self.relay is not None:
            self.relay.start()
        await self.detection.start()
        await self.memory.start()
        await self.webhooks.start()
        self.face.start()
        self.backups.start()
        self.account.session_use.start()
        self.statistics.start()

    async def stop(self) -> None:
        """Stop the work in the background, with every thread and process."""
        self.change_feed.close()
        await self.phone.stop()
        await asyncio.to_thread(self.backups.stop)
        await self.statistics.stop()
        await self.inspection.matching.stop()
        await self.webhooks.stop()
        await self.memory.stop()
        await self.detection.stop()
        await self.face.close()
        await self.account.session_use.stop()
        self.account.close()
        self.files.close()
        if self.relay is not None:
            await asyncio.to_thread(self.relay.stop)


def create_app(settings: Settings) -> FastAPI:
    """The application of these settings; its database is migrated to this version."""
    settings.prepare()
    database = Database(settings.url, settings.statement_seconds)
    migrate(database)
    domains = Domains(database, settings)
    readiness = domains.readiness(settings)
    observers = Observers(database, settings, domains.detection, domains.change_feed)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            await domains.start()
        except Exception as problem:
            # The server only logs the exception.
            app.state.start_failure = problem
            raise
        async with observers.observe_process():
            yield
        await readiness.stop()
        await domains.stop()
        database.close()

    app = FastAPI(
        title="Walkaround",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        # A redirect would repeat the Host header. A path with another slash is a 404.
        redirect_slashes=False,
        openapi_url="/api/openapi.json",
        generate_unique_id_function=operation_id,
        responses=failures(400),
        # FastAPI would record bodies and texts of exceptions if the machine has OpenTelemetry set up.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.start_failure = None
    app.state.authenticate = domains.account.authenticate
    # The server waits for open answers before it stops the application, and a stream never ends by itself.
    app.state.end_streams = domains.change_feed.close
    app.state.phone_network_access = domains.phone.network_access
    install_handlers(app)
    for router in domains.routers():
        add_routes(app, router)
    add_routes(app, health_routes(readiness))
    app.state.metrics = observers.metrics
    if (token := settings.read_metrics_token()) is not None and observers.metrics is not None:
        from service.monitoring.endpoint import metrics_routes

        add_routes(app, metrics_routes(observers.metrics.text, token))
    rules = body_rules(settings.max_body_bytes, settings.max_upload_bytes, settings.max_bodies_bytes)
    install_docs(app, add_examples, rules)

    first_segments = {
        route.path.split("/")[2]
        for route in iter_route_contexts(app.routes)
        if route.path is not None and route.path.startswith("/api/")
    }
    app.add_middleware(ApiPrefix, first_segments=first_segments)
    app.add_middleware(AnswerForm)
    app.add_middleware(BodyLimit, rules=rules)
    app.add_middleware(HostCheck, allowed=allowed_hosts(settings.host, settings.allowed_hosts))
    app.add_middleware(CancelOnDisconnect)
    app.add_middleware(
        RequestMiddleware, observers=observers.requests, writes_log=settings.log_format == "text"
    )
    if settings.allowed_origins:
        # Outermost, so that a page can also read the refusals of the other layers.
        app.add_middleware(AllowedOrigins, origins=frozenset(settings.allowed_origins))
    return app


def _relay(database: Database, change_feed: ChangeFeed) -> Relay | None:
    """The relay of changes between service processes; None on SQLite, which one process owns."""
    if database.is_sqlite:
        return None
    # Most services use SQLite. They start sooner without the driver of PostgreSQL.
    from service.events.relay import Relay

    return Relay(database, change_feed)
