"""Declares who may follow what a `Database` does."""

from __future__ import annotations

from typing import Literal, Protocol

Kind = Literal["read", "write"]


class Watch(Protocol):
    """Follows the pieces of work of a `Database`, for figures; called on the event loop."""

    def record_wait(self, kind: Kind, seconds: float) -> None:
        """A piece of work waited so long for a thread."""

    def record_immediate_read(self) -> None:
        """A read was done at once, without a thread."""

    def record_failure(self, problem: Exception) -> None:
        """A piece of work raised `problem`; that may be an answer of the service rather than a fault."""
