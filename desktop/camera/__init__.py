"""Reads and analyses camera frames and provides the live feed for a page."""

from desktop.camera.feed import (
    CameraFeed,
    CapturedFrame,
    FeedState,
    Film,
    FilmedFrame,
    FrameAnalyser,
    as_image,
    is_choppy,
)
from desktop.camera.guidance import AutoShutter, GuideHint, GuideResult, RegionGuide, target_rect
from desktop.camera.hints import Face, Hint
from desktop.camera.sources import (
    PHOTO_SIZE,
    Camera,
    FrameSource,
    ImageSequence,
    SourceError,
    VideoFile,
    cameras,
    is_virtual,
    sources,
)

__all__ = [
    "PHOTO_SIZE",
    "AutoShutter",
    "Camera",
    "CameraFeed",
    "CapturedFrame",
    "Face",
    "FeedState",
    "Film",
    "FilmedFrame",
    "FrameAnalyser",
    "FrameSource",
    "GuideHint",
    "GuideResult",
    "Hint",
    "ImageSequence",
    "RegionGuide",
    "SourceError",
    "VideoFile",
    "as_image",
    "cameras",
    "is_choppy",
    "is_virtual",
    "sources",
    "target_rect",
]
