"""Sends due deliveries in background tasks of the service."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Final

from service.changes import ObjectChange
from service.db.database import Database
from service.exception_trace import trace_of
from service.tasks import Notifier, end_tasks
from service.webhooks.outbox import Attempt, Outbox, webhook_events
from service.webhooks.rules import Networks, Outcome, SecretBox, signature
from shared import __version__
from shared.wire.webhooks import DeliveryError

_LOG = logging.getLogger("walkaround.webhooks")

CONCURRENT_DELIVERIES: Final = 4
"""How many deliveries are sent at the same time, each to a different webhook."""
_POLL_SECONDS: Final = 30.0
"""How often to look for deliveries that another process on the same database wrote."""
_BUSY_SECONDS: Final = 1.0
"""How long to wait while every due delivery is sent by another process or waits for its webhook's previous
one."""
_PRUNE_SECONDS: Final = 3600.0

Send = Callable[[str, Mapping[str, str], bytes, Networks], Awaitable[Outcome]]


async def send(url: str, headers: Mapping[str, str], body: bytes, allowed_networks: Networks) -> Outcome:
    """Call `sending.send`. Its HTTP client is imported only then, as most services send nothing."""
    from service.webhooks import sending

    return await sending.send(url, headers, body, allowed_networks)


class Deliverer:
    """Takes deliveries from the outbox and sends them, from `start` to `stop`."""

    def __init__(
        self,
        database: Database,
        outbox: Outbox,
        box: SecretBox,
        allowed_networks: Networks,
        send: Send = send,
    ) -> None:
        self._database = database
        self._outbox = outbox
        self._box = box
        self._allowed_networks = allowed_networks
        self._send = send
        self._notifier = Notifier()
        self._tasks: list[asyncio.Task[None]] = []
        self._next_prune = 0.0

    def after_commit(self, changes: Sequence[ObjectChange]) -> None:
        """Look for deliveries of `changes`; a listener of the database, may be called from any thread."""
        if any(webhook_events(changes)):
            self.look_now()

    def look_now(self) -> None:
        """Look for due deliveries now; may be called from any thread."""
        self._notifier.notify()

    async def start(self) -> None:
        """Start the background tasks."""
        if self._database.is_sqlite:
            await self._database.write(self._outbox.release_all)
        self._tasks = [asyncio.create_task(self._loop()) for _ in range(CONCURRENT_DELIVERIES)]

    async def stop(self) -> None:
        """Stop the background tasks. An interrupted delivery is sent again after its lease."""
        await end_tasks(*self._tasks)

    async def send_attempt(self, attempt: Attempt) -> Outcome:
        """Sign and send one delivery."""
        secret = self._box.open(attempt.webhook_id, attempt.sealed_secret)
        if secret is None:
            return Outcome(None, DeliveryError.SECRET_UNREADABLE)
        timestamp = int(time.time())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"Walkaround/{__version__}",
            "webhook-id": attempt.delivery_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret, attempt.delivery_id, timestamp, attempt.body),
        }
        outcome = await self._send(attempt.url, headers, attempt.body, self._allowed_networks)
        if outcome.error is not None:
            # The address may contain a token and the body is private: neither is logged.
            _LOG.warning(
                "delivery %s of webhook %s failed: %s %s",
                attempt.delivery_id,
                attempt.webhook_id,
                outcome.error,
                outcome.status or "",
            )
        return outcome

    async def _loop(self) -> None:
        while True:
            notifications = self._notifier.count
            seconds = _POLL_SECONDS
            try:
                seconds_until_due = await self._database.read(self._outbox.seconds_to_next)
                if seconds_until_due is not None and seconds_until_due <= 0:
                    if await self._step():
                        continue
                    seconds_until_due = _BUSY_SECONDS
                if seconds_until_due is not None:
                    seconds = min(seconds_until_due, _POLL_SECONDS)
                await self._prune()
            except Exception as problem:
                # An unreachable database must not stop the deliveries permanently.
                _LOG.error("webhooks could not be delivered: %s; trying again", trace_of(problem))
            await self._notifier.wait(notifications, seconds)

    async def _step(self) -> bool:
        """Send one due delivery; return False if there is none to take."""
        attempt = await self._database.write(self._outbox.take)
        if attempt is None:
            return False
        outcome = await self.send_attempt(attempt)
        finish = partial(
            self._outbox.finish,
            attempt=attempt,
            outcome=outcome,
            chance=random.random(),  # noqa: S311 - spreads requests, guards nothing
        )
        if await self._database.write(finish):
            _LOG.error(
                "webhook %s is paused: no delivery succeeded for a day; resume it on the administration page",
                attempt.webhook_id,
            )
        # The next delivery to the same webhook waited for this one.
        self.look_now()
        return True

    async def _prune(self) -> None:
        if time.monotonic() >= self._next_prune:
            self._next_prune = time.monotonic() + _PRUNE_SECONDS
            await self._database.write(self._outbox.prune)
