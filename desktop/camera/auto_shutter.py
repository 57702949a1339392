"""Decides when a photo is taken automatically: when frames have fitted for about a second."""

from __future__ import annotations

HOLD_SECONDS = 1.0
_GRACE_SECONDS = 0.35
"""A single frame that does not fit in between does not restart the second."""


class AutoShutter:
    """A shutter that fires once. Before it fires again, the picture must not fit for a moment."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._last_fit = 0.0
        self._is_armed = True

    def update(self, fits: bool, time: float) -> float:
        """Update the shutter with a frame at `time` (seconds of any clock).

        Returns the share of the second that has passed, 0..1. It is 1 once, when the photo is to be taken.
        """
        if fits:
            self._last_fit = time
            if not self._is_armed:
                return 0.0
            self._since = time if self._since is None else self._since
        elif self._since is None or time - self._last_fit > _GRACE_SECONDS:
            self._is_armed, self._since = True, None
        if self._since is None:
            return 0.0
        share = min(1.0, (time - self._since) / HOLD_SECONDS)
        if share == 1.0 and fits:
            self._is_armed, self._since = False, None
            return 1.0
        return min(share, 0.99)

    def reset(self) -> None:
        """Start over. The picture must not fit for a moment before the second begins."""
        self._is_armed, self._since = False, None
