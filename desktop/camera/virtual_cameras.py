"""Recognizes virtual cameras, which play the pictures of a program, by their name or their place in the
system.

Only Linux provides the names and places of cameras. A driver can have any name, so this check prevents
mistakes. It does not stop an attacker who controls the computer.
"""

from __future__ import annotations

from desktop.camera.sources import Camera, FrameSource

# Parts of the names that programs use, in lower case.
_NAMES = (
    "obs virtual",
    "obs-camera",
    "obs camera",
    "v4l2loopback",
    "v4l2 loopback",
    "virtual camera",
    "virtual video",
    "virtual webcam",
    "virtual cam",
    "virtualcam",
    "dummy video device",
    "manycam",
    "xsplit",
    "snap camera",
    "splitcam",
    "sparkocam",
    "webcamoid",
    "akvcam",
    "droidcam",
    "iriun",
    "epoccam",
    "ivcam",
    "mmhmm",
    "reincubate",
    "youcam",
    "chromacam",
    "nvidia broadcast",
    "unity video capture",
    "e2esoft",
    "vcam",
    "logi capture",
    "altercam",
    "deepfacelive",
)


def is_virtual_name(name: str) -> bool:
    """Whether a camera of this name is a known virtual camera."""
    normalized = " ".join(name.casefold().replace("_", " ").split())
    return any(part in normalized for part in _NAMES)


def is_virtual(source: FrameSource) -> bool:
    """Whether `source` is a virtual camera or files instead of a camera."""
    if not isinstance(source, Camera):
        return True
    return source.is_software or is_virtual_name(source.name)
