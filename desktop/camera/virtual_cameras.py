"""Recognises virtual cameras, which play what a program gives them, by name or by where the system has them.

Only Linux tells the names of cameras to this program, and where it has them. A driver can be given any name:
what is recognised here keeps honest people from a mistake, not an attacker who controls the computer.
"""

from __future__ import annotations

from desktop.camera.sources import Camera, FrameSource

# Parts of names as the programs give them, in small letters.
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
    """Whether a camera of this name is a program that plays one, as far as names tell."""
    folded = " ".join(name.casefold().replace("_", " ").split())
    return any(part in folded for part in _NAMES)


def is_virtual(source: FrameSource) -> bool:
    """Whether `source` is no camera that films here: a virtual one, or files instead of a camera."""
    if not isinstance(source, Camera):
        return True
    return source.is_software or is_virtual_name(source.name)
