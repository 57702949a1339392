"""Defines the properties (Info.plist) of the program for macOS."""

from __future__ import annotations

from typing import Any

from shared import __version__


def build_mac_properties() -> dict[str, Any]:
    """Return the Info.plist of Walkaround.app, with the reason that users read for the use of the camera."""
    return {
        "CFBundleDisplayName": "Walkaround",
        "CFBundleShortVersionString": __version__,
        "CFBundleDevelopmentRegion": "en",
        "CFBundleLocalizations": ["en", "zh_CN"],
        "LSApplicationCategoryType": "public.app-category.business",
        # The oldest macOS that Qt 6.11 runs on.
        "LSMinimumSystemVersion": "13.0",
        "NSHighResolutionCapable": True,
        "NSRequiresAquaSystemAppearance": False,
        "NSCameraUsageDescription": (
            "Walkaround uses the camera to log you in by your face, if you enrolled it, and to take photos "
            "of what you inspect. 绕机检查工作站使用摄像头进行人脸登录（如已登记）和拍摄检查照片。"
        ),
    }
