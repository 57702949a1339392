"""Decides whether the next slice of a large step may run in this turn of the event loop."""

from __future__ import annotations

_SHOWING = 3
"""Turns of the event loop that are left to showing: the lists, what they set off, the canvas."""


class SliceGate:
    """Asked before each further part of a large step, so that nothing else lies in the same turn with it."""

    def __init__(self) -> None:
        self._left = 0

    def show(self) -> None:
        """What was taken is shown now or in the next turn, and will be painted."""
        self._left = _SHOWING

    def may_go_on(self) -> bool:
        """Whether a part may be taken; each question stands for a turn of the event loop."""
        wait = self._left > 0
        self._left -= wait
        return not wait
