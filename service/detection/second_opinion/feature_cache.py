"""Caches the features of recent pictures, since many detections use the same photos of a memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

from service.detection.onnx.backbone import Features

MAX_BYTES: Final = 96 * 2**20


class FeatureCache:
    """Features by picture, backbone and window, at most `most` bytes. The least recently used leave first."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._most = most
        self._features: OrderedDict[Hashable, Features] = OrderedDict()
        self.size = 0
        """The size of all cached features in bytes."""

    def get(self, key: Hashable) -> Features | None:
        """The features for `key`; None if they are not cached."""
        features = self._features.get(key)
        if features is not None:
            self._features.move_to_end(key)
        return features

    def put(self, key: Hashable, features: Features) -> None:
        """Add `features`, which are not cached yet."""
        self._features[key] = features
        self.size += features.nbytes
        while self.size > self._most:
            _, dropped = self._features.popitem(last=False)
            self.size -= dropped.nbytes
