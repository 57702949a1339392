"""The webcam: where frames come from, what they show, and the live feed for a page."""

from desktop.camera.feed import CameraFeed, CapturedFrame, FeedState
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
    "CapturedFrame",
    "Face",
    "FeedState",
    "FrameSource",
    "Hint",
    "ImageSequence",
    "SourceError",
    "VideoFile",
    "cameras",
    "sources",
]
