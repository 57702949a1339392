"""The webcam: where frames come from, what they show, and the live feed for a page."""

from desktop.camera.feed import CameraFeed, FeedState, Shot
from desktop.camera.hints import Face, Hint
from desktop.camera.sources import (
    Camera,
    FrameSource,
    ImageSequence,
    SourceError,
    VideoFile,
    cameras,
    sources,
)

__all__ = [
    "Camera",
    "CameraFeed",
    "Face",
    "FeedState",
    "FrameSource",
    "Hint",
    "ImageSequence",
    "Shot",
    "SourceError",
    "VideoFile",
    "cameras",
    "sources",
]
