"""Decides when a photo is taken by itself: when the picture has fitted for about a second. Pure."""

from __future__ import annotations

HOLD_SECONDS = 1.0
_GRACE_SECONDS = 0.35
"""One look that fails in between does not begin it again."""


class AutoShutter:
    """Fed with looks, in seconds of any clock. After it fired it waits until the picture does not fit."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._last = 0.0
        self._armed = True

    def see(self, fits: bool, at: float) -> float:
        """How far the second is, 0..1; 1 once, when the photo is to be taken."""
        if fits:
            self._last = at
            if not self._armed:
                return 0.0
            self._since = at if self._since is None else self._since
        elif self._since is None or at - self._last > _GRACE_SECONDS:
            self._armed, self._since = True, None
        if self._since is None:
            return 0.0
        share = min(1.0, (at - self._since) / HOLD_SECONDS)
        if share == 1.0 and fits:
            self._armed, self._since = False, None
            return 1.0
        return min(share, 0.99)

    def reset(self) -> None:
        """Begin again, and not before the picture did not fit for a while."""
        self._armed, self._since = False, None
