"""Brings every picture to 8-bit sRGB by one rule, so that all parts show and compare the same pixels."""

from __future__ import annotations

from typing import Any, Final

import pyvips

_DEPTHS: Final = {"ushort": (8, 10, 12, 14, 16), "uint": (32,)}
"""The bits that cameras and scanners use within a type of pixels."""
_INFINITE: Final = 1e38


def is_deep_grey(image: Any) -> bool:
    """Return True for a grey vips image, with or without alpha, of more than 8 bits."""
    return bool(image.bands <= 2 and image.format != "uchar")


def to_srgb(image: Any) -> Any:
    """Convert a vips image to sRGB, three bands of uint8: alpha over white, the embedded profile applied.

    Greys of more than 8 bits get the levels of `grey_levels`; the image must then allow random access.
    Colours of 32 bits span the whole range. A profile that cannot be used is ignored. Raises pyvips.Error.
    """
    if image.format == "uint" and image.bands > 2:
        image = (image / 2**16).cast("ushort").copy(interpretation="rgb16")
    if is_deep_grey(image):
        image = _scale_grey(image)
    if image.hasalpha() and image.interpretation != "cmyk":
        image = image.flatten(background=65535 if image.format == "ushort" else 255)
    if _has_other_profile(image):
        try:
            image = image.icc_transform("srgb", embedded=True)
        except pyvips.Error:
            image = image.copy()
            image.remove("icc-profile-data")
    # Most photos are sRGB already: each operation takes time, also if it changes nothing.
    if (image.interpretation, image.format) != ("srgb", "uchar"):
        image = image.colourspace("srgb")
        image = image.flatten(background=255) if image.hasalpha() else image
        image = image.cast("uchar")
    return image


def _has_other_profile(image: Any) -> bool:
    # libvips applies the profile of CMYK in `colourspace`.
    if image.interpretation == "cmyk" or not image.get_typeof("icc-profile-data"):
        return False
    profile = bytes(image.get("icc-profile-data"))
    return b"sRGB" not in profile and b"s\0R\0G\0B" not in profile


def _scale_grey(image: Any) -> Any:
    """Scale a deep grey to 0..255 by `grey_levels`."""
    grey = finite_grey(image[0])
    black, white = grey_levels(grey)
    scaled = ((grey - black) * (255 / (white - black))).rint().cast("uchar")
    if image.bands == 2:
        opaque = 65535 if image.format == "ushort" else 1
        scaled = scaled.bandjoin((image[1] * (255 / opaque)).cast("uchar"))
    return scaled.copy(interpretation="b-w")


def finite_grey(grey: Any) -> Any:
    """Return a grey of one band with the least pixel in place of NaN and infinite ones.

    Thermal cameras mark pixels without a value so.
    """
    if grey.format not in ("float", "double"):
        return grey
    # A comparison with NaN is false.
    is_finite = grey.abs() < _INFINITE
    return is_finite.ifthenelse(grey, is_finite.ifthenelse(grey, _INFINITE).min())


def grey_levels(grey: Any) -> tuple[float, float]:
    """The values of a deep grey of one band that become 0 and 255.

    Unsigned: from 0 to the most of the smallest depth that holds the brightest pixel. Float within 0..1: from
    0 to 1. Others: from the least to the greatest pixel.
    """
    least, greatest = grey.min(), grey.max()
    if depths := _DEPTHS.get(grey.format):
        return 0.0, float(next(2**bits - 1 for bits in depths if greatest < 2**bits))
    if least >= 0 and greatest <= 1:
        return 0.0, 1.0
    return least, max(greatest, least + 1e-9)
