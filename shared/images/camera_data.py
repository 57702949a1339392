"""Reads the camera data of a photo from the tags that libvips returns (EXIF 2.32, read by libexif).

The tags are not trusted: texts are cleaned and shortened, numbers must be plausible, and unreadable values
are left out. A damaged EXIF block gives fewer values, never an error.
"""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import datetime
from typing import Any
from xml.sax.saxutils import escape, unescape

import pyvips

from shared.wire.files import CameraData, CameraPosition, FilmFrame

_MAX_TEXT_LENGTH = 100
_FILM_FRAME = re.compile(r'dc:source="Frame (\d{1,9}) at ([\d:.]{1,20}) of ([^"]+), SHA-256 ([0-9a-f]{64})"')
_XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'dc:source="Frame {number} at {at} of {film}, SHA-256 {sha256}"/></rdf:RDF></x:xmpmeta>'
)
"""The packet with the origin of a frame: dc:source of Dublin Core (ISO 16684-1:2019, 8.3)."""
_SUFFIX = re.compile(r", [^,()]*, \d+ components, \d+ bytes\)$")
_TIME = re.compile(r"(\d{4})[:/-](\d\d)[:/-](\d\d)[ T](\d\d):(\d\d):(\d\d)", re.ASCII)
_OFFSET = re.compile(r"[+-](?:0\d|1[0-4]):[0-5]\d", re.ASCII)
_FRACTION = re.compile(r"\d{1,6}", re.ASCII)
_NUMBER = re.compile(r"(-?\d{1,12})(?:/(-?\d{1,12}))?", re.ASCII)
_NO_VALUE_TEXTS = {"", "unknown", "none", "n/a"}


def read_camera_data(image: Any, *, position: bool = False) -> CameraData:
    """Return the camera data of a vips image from a loader; with `position` also the place of the photo."""
    make, model = _text(image, "exif-ifd0-Make"), _text(image, "exif-ifd0-Model")
    return CameraData(
        taken_at=_taken_at(image),
        make=make,
        model=model,
        lens=_text(image, "exif-ifd2-LensModel"),
        focal_length=_number_within(image, "exif-ifd2-FocalLength", 0.1, 10_000),
        focal_length_35=_rounded(_number_within(image, "exif-ifd2-FocalLengthIn35mmFilm", 1, 10_000)),
        exposure_time=_number_within(image, "exif-ifd2-ExposureTime", 1e-7, 86_400),
        f_number=_number_within(image, "exif-ifd2-FNumber", 0.1, 1_000),
        iso=_rounded(_number_within(image, "exif-ifd2-ISOSpeedRatings", 1, 10_000_000)),
        position=_position(image) if position else None,
        frame=_film_frame(image),
    )


def film_frame_packet(frame: FilmFrame) -> bytes:
    """Return the XMP packet that says so of a photo; `read_camera_data` reads it."""
    fields = {**frame.model_dump(), "film": escape(frame.film, {'"': "&quot;", "\n": " "})}
    return _XMP.format(**fields).encode(errors="replace")


def _film_frame(image: Any) -> FilmFrame | None:
    if not image.get_typeof("xmp-data"):
        return None
    match = _FILM_FRAME.search(bytes(image.get("xmp-data")).decode(errors="replace"))
    if match is None:
        return None
    film = _clean(unescape(match[3], {"&quot;": '"'}))
    return FilmFrame(film=film, sha256=match[4], number=int(match[1]), at=match[2])


def _tag_text(image: Any, name: str) -> str:
    """Return a tag as libexif formats it: the value, then in brackets the readable value and its type."""
    try:
        value = image.get(name) if image.get_typeof(name) else ""
    except (pyvips.Error, UnicodeDecodeError):
        return ""
    return value if isinstance(value, str) else ""


def _text(image: Any, name: str) -> str | None:
    """Return a text tag, cleaned; None if empty."""
    text = _SUFFIX.sub("", _tag_text(image, name))
    # "VALUE (VALUE": libexif repeats the text, which can itself contain brackets.
    half = (len(text) - 2) // 2
    is_repeated = half > 0 and text[:half] == text[half + 2 :]
    text = text[:half] if is_repeated else text.partition(" (")[0]
    text = _clean(text)
    return None if text.casefold() in _NO_VALUE_TEXTS else text


def _clean(text: str) -> str:
    """Return a text without control characters, cut to `_MAX_TEXT_LENGTH`."""
    text = "".join(" " if unicodedata.category(character)[0] in "CZ" else character for character in text)
    return " ".join(text.split())[:_MAX_TEXT_LENGTH].rstrip()


def _numbers(image: Any, name: str) -> list[float]:
    numbers = []
    for part in _tag_text(image, name).partition(" (")[0].split()[:4]:
        match = _NUMBER.fullmatch(part)
        denominator = int(match[2] or 1) if match else 0
        if match is None or denominator == 0:
            return []
        numbers.append(int(match[1]) / denominator)
    return numbers


def _number_within(image: Any, name: str, minimum: float, maximum: float) -> float | None:
    value = next(iter(_numbers(image, name)), math.nan)
    return value if minimum <= value <= maximum else None


def _rounded(value: float | None) -> int | None:
    return None if value is None else round(value)


def _taken_at(image: Any) -> str | None:
    """Return the time of the photo by the camera's clock, with an offset if the camera gave one."""
    for time, offset, fraction in (
        ("exif-ifd2-DateTimeOriginal", "exif-ifd2-OffsetTimeOriginal", "exif-ifd2-SubSecTimeOriginal"),
        ("exif-ifd2-DateTimeDigitized", "exif-ifd2-OffsetTimeDigitized", "exif-ifd2-SubSecTimeDigitized"),
    ):
        match = _TIME.match(_tag_text(image, time))
        if match is None:
            continue
        try:
            year, month, day, hour, minute, second = map(int, match.groups())
            taken_at = datetime(year, month, day, hour, minute, second)
        except ValueError:
            # The clock was never set, so the time is all zeros.
            continue
        text = taken_at.isoformat()
        part = _FRACTION.match(_tag_text(image, fraction))
        if part is not None and int(part[0]):
            text += f".{part[0]}"
        zone = _OFFSET.match(_tag_text(image, offset))
        return text + (zone[0] if zone is not None else "")
    return None


def _position(image: Any) -> CameraPosition | None:
    latitude = _degrees(image, "Latitude", "S", 90)
    longitude = _degrees(image, "Longitude", "W", 180)
    if latitude is None or longitude is None:
        return None
    height = next(iter(_numbers(image, "exif-ifd3-GPSAltitude")), None)
    if height is not None and _tag_text(image, "exif-ifd3-GPSAltitudeRef").startswith(("1", "Below")):
        height = -height
    altitude = None if height is None or not -1_000 <= height <= 100_000 else round(height, 1)
    return CameraPosition(latitude=latitude, longitude=longitude, altitude=altitude)


def _degrees(image: Any, name: str, negative: str, maximum: float) -> float | None:
    parts = _numbers(image, f"exif-ifd3-GPS{name}")
    if len(parts) != 3:
        return None
    value = parts[0] + parts[1] / 60 + parts[2] / 3600
    if not 0 <= value <= maximum:
        return None
    return round(-value if _tag_text(image, f"exif-ifd3-GPS{name}Ref").startswith(negative) else value, 7)
