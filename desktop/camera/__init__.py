"""The webcam: where frames come from, what they show, and the live feed for a page."""

from desktop.camera.auto_shutter import AutoShutter
from desktop.camera.feed import CameraFeed, CapturedFrame, FeedState, FrameLooker, as_image
from desktop.camera.guidance import GuideHint, GuideLook, RegionGuide, target_rect
from desktop.camera.hints import Face, Hint
from desktop.camera.sources import (
    PHOTO_SIZE,
    Camera,
    FrameSource,
    ImageSequence,
    SourceError,
    VideoFile,
    cameras,
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
    "FrameLooker",
    "FrameSource",
    "GuideHint",
    "GuideLook",
    "Hint",
    "ImageSequence",
    "RegionGuide",
    "SourceError",
    "VideoFile",
    "as_image",
    "cameras",
    "sources",
    "target_rect",
]
