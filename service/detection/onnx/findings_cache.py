"""Caches the findings of models in recent photos, so that items that share photo and model run it once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Final

from service.detection.onnx.detector import DetectedObject

_MAX_ENTRIES: Final = 16


class FindingsCache:
    """Findings by photo, model and settings. The least recently used ones are removed first."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, Sequence[DetectedObject]] = OrderedDict()

    def get_or_detect(
        self, key: Hashable | None, detect: Callable[[], Sequence[DetectedObject]]
    ) -> Sequence[DetectedObject]:
        """What `detect` gives, or gave for the same `key`; with None it always looks."""
        if key is None:
            return detect()
        if key not in self._found:
            self._found[key] = detect()
        self._found.move_to_end(key)
        while len(self._found) > _MAX_ENTRIES:
            self._found.popitem(last=False)
        return self._found[key]
