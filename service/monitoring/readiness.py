"""Checks whether the service can do its work, with named checks and a time limit."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from sqlalchemy import Connection, text

from service.db.database import Database
from service.db.schema import newest_revision
from service.db.storage_faults import classify_storage_fault
from service.exception_trace import trace_of
from service.tasks import end_tasks
from service.web.envelope import failure_body, failures
from service.web.routing import operation_id
from shared.ids import random_name
from shared.record.codes import ErrorCode

log = logging.getLogger("walkaround.readiness")

REUSE_SECONDS = 1.0
"""How long results are reused: several probes within a second run each check once."""

ANSWER_SECONDS = 2.0
"""Time limit of a check. Probes commonly wait some seconds for the answer."""

Check = Callable[[], Awaitable[None]]
"""Checks one part. Raises NotReadyError, or any other exception, if that does not work."""


# SQLite opens its file only when a query reads a table.
_ROW = text("SELECT count(*) FROM alembic_version")


class NotReadyError(Exception):
    """Raised if a part does not work; the text is a stable code for the cause."""


class Readiness:
    """Runs the checks concurrently. A check that does not answer is not started a second time."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = dict(checks)
        self._running_checks: dict[str, asyncio.Task[None]] = {}
        self._round: asyncio.Task[None] | None = None
        self._failures: dict[str, str] = {}
        self._valid_until = float("-inf")

    async def find_failures(self) -> dict[str, str]:
        """Return the failed checks with their codes; the result is at most `REUSE_SECONDS` old."""
        if asyncio.get_running_loop().time() >= self._valid_until:
            if self._round is None:
                self._round = asyncio.create_task(self._run_all())
            # A client that disconnects must not cancel the checks for the others.
            await asyncio.shield(self._round)
        return self._failures

    async def stop(self) -> None:
        """Cancel the running checks."""
        await end_tasks(*self._running_checks.values(), self._round)

    async def _run_all(self) -> None:
        try:
            outcomes = await asyncio.gather(*map(self._run_check, self._checks))
            previous = self._failures
            self._failures = {
                name: code for name, code in zip(self._checks, outcomes, strict=True) if code is not None
            }
            self._valid_until = asyncio.get_running_loop().time() + REUSE_SECONDS
        finally:
            self._round = None
        for name in self._failures.keys() - previous.keys():
            log.warning("not ready: %s (%s)", name, self._failures[name])
        for name in previous.keys() - self._failures.keys():
            log.info("ready again: %s", name)

    async def _run_check(self, name: str) -> str | None:
        task = self._running_checks.get(name)
        if task is None:
            task = self._running_checks[name] = asyncio.create_task(_run(name, self._checks[name]))
        await asyncio.wait((task,), timeout=ANSWER_SECONDS)
        if not task.done():
            return "no_answer"
        del self._running_checks[name]
        try:
            task.result()
        except NotReadyError as problem:
            return str(problem)
        return None


async def _run(name: str, check: Check) -> None:
    try:
        await check()
    except NotReadyError:
        raise
    except Exception as problem:
        log.debug("the check of %s failed: %s", name, trace_of(problem))
        raise NotReadyError(classify_storage_fault(problem) or "failed") from None


def database_check(database: Database) -> Check:
    """Return a check that the database answers."""

    async def check() -> None:
        await database.fetch(lambda connection: connection.execute(_ROW).scalar_one())

    return check


def migrations_check(database: Database) -> Check:
    """Return a check that the database has the revision of this program."""
    newest = newest_revision()

    def revision(connection: Connection) -> str:
        number: str = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
        return number

    async def check() -> None:
        present = await database.fetch(revision)
        if present != newest:
            raise NotReadyError("newer_database" if present > newest else "older_database")

    return check


def disk_check(folder: Path, least_free: int) -> Check:
    """Return a check that the data folder can be written and has `least_free` bytes left."""

    def check_folder() -> None:
        if shutil.disk_usage(folder).free < least_free:
            raise NotReadyError("disk_full")
        trial = folder / f".ready-{random_name()}"
        try:
            trial.write_bytes(b"\0")
        finally:
            trial.unlink(missing_ok=True)

    async def check() -> None:
        await asyncio.to_thread(check_folder)

    return check


def alive_check(is_alive: Callable[[], bool]) -> Check:
    """Return a check that a background task still runs."""

    async def check() -> None:
        if not is_alive():
            raise NotReadyError("stopped")

    return check


def health_routes(readiness: Readiness) -> APIRouter:
    """The routes `/healthz` and `/readyz`."""
    router = APIRouter(tags=["health"], responses=failures(400), generate_unique_id_function=operation_id)

    @router.get("/healthz")
    async def healthz() -> dict[str, str]:
        """Check that the process and its event loop run."""
        return {"status": "ok"}

    @router.get("/readyz", responses=failures(503))
    async def readyz() -> Any:
        """Check database, migrations, disk, detection queue and file store, and name those that fail."""
        failed_checks = await readiness.find_failures()
        if failed_checks:
            msg = "服务尚未就绪，请稍后重试；如反复出现，请联系管理员"
            return JSONResponse(
                failure_body(ErrorCode.UNAVAILABLE, msg, {"failed": failed_checks}), status_code=503
            )
        return {"status": "ok"}

    return router
