"""Makes the deliveries that are due, beside the requests."""

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
from service.notifier import Notifier
from service.webhooks.outbox import Attempt, Outbox, webhook_events
from service.webhooks.rules import Networks, Outcome, signature
from service.webhooks.secret_box import SecretBox
from shared import __version__
from shared.wire.webhooks import DeliveryError

_LOG = logging.getLogger("walkaround.webhooks")

AT_ONCE: Final = 4
"""Deliveries on their way at the same time, each to another webhook."""
_POLL_SECONDS: Final = 30.0
"""Another process on the same database may have left a delivery."""
_TAKEN_SECONDS: Final = 1.0
"""What is due is on its way in another process, or to a webhook that has one already."""
_PRUNE_SECONDS: Final = 3600.0

Send = Callable[[str, Mapping[str, str], bytes, Networks], Awaitable[Outcome]]


async def send(url: str, headers: Mapping[str, str], body: bytes, allowed: Networks) -> Outcome:
    """`sending.send`, whose HTTP client is imported with the first delivery: most services send none."""
    from service.webhooks import sending

    return await sending.send(url, headers, body, allowed)


class Deliverer:
    """Takes deliveries off the outbox and sends them, from `start` to `stop`."""

    def __init__(
        self, database: Database, outbox: Outbox, box: SecretBox, allowed: Networks, send: Send = send
    ) -> None:
        self._database = database
        self._outbox = outbox
        self._box = box
        self._allowed = allowed
        self._send = send
        self._kicked = Notifier()
        self._tasks: list[asyncio.Task[None]] = []
        self._next_prune = 0.0

    def after_commit(self, changes: Sequence[ObjectChange]) -> None:
        """Look for deliveries of `changes`; a listener of the database. From any thread."""
        if any(webhook_events(changes)):
            self.kick()

    def kick(self) -> None:
        """Look for a delivery now; from any thread."""
        self._kicked.notify()

    async def start(self) -> None:
        """Begin to deliver."""
        if self._database.is_sqlite:
            await self._database.write(self._outbox.release_all)
        self._tasks = [asyncio.create_task(self._loop()) for _ in range(AT_ONCE)]

    async def stop(self) -> None:
        """End it; a delivery on its way is made again after its lease."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def attempt(self, attempt: Attempt) -> Outcome:
        """Send one delivery, signed at this moment."""
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
        outcome = await self._send(attempt.url, headers, attempt.body, self._allowed)
        if outcome.error is not None:
            # Neither the address, which may hold a token, nor the body.
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
            kicks = self._kicked.count
            seconds = _POLL_SECONDS
            try:
                due = await self._database.read(self._outbox.seconds_to_next)
                if due is not None and due <= 0:
                    if await self._step():
                        continue
                    due = _TAKEN_SECONDS
                if due is not None:
                    seconds = min(due, _POLL_SECONDS)
                await self._prune()
            except Exception as problem:
                # An unreachable database must not end the deliveries for good.
                _LOG.error("webhooks could not be delivered: %s; trying again", trace_of(problem))
            await self._kicked.wait(kicks, seconds)

    async def _step(self) -> bool:
        """Make one delivery; False when none is free."""
        taken = await self._database.write(self._outbox.take)
        if taken is None:
            return False
        outcome = await self.attempt(taken)
        finish = partial(
            self._outbox.finish,
            attempt=taken,
            outcome=outcome,
            chance=random.random(),  # noqa: S311 - spreads requests, guards nothing
        )
        if await self._database.write(finish):
            _LOG.error(
                "webhook %s is paused: no delivery succeeded for a day; resume it on the administration page",
                taken.webhook_id,
            )
        # The next one of the same webhook waited for this one.
        self.kick()
        return True

    async def _prune(self) -> None:
        if time.monotonic() >= self._next_prune:
            self._next_prune = time.monotonic() + _PRUNE_SECONDS
            await self._database.write(self._outbox.prune)
