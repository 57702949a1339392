"""Caches what a model found in recent photos: items that share photo and model run it once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Final

from service.detection.onnx.detector import Detected

_MOST: Final = 16


class Remembered:
    """Findings by photo, model and settings, least recently used forgotten first."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, Sequence[Detected]] = OrderedDict()

    def found(self, key: Hashable | None, look: Callable[[], Sequence[Detected]]) -> Sequence[Detected]:
        """What `look` gives, or gave for the same `key`; with None it always looks."""
        if key is None:
            return look()
        if key not in self._found:
            self._found[key] = look()
        self._found.move_to_end(key)
        while len(self._found) > _MOST:
            self._found.popitem(last=False)
        return self._found[key]
