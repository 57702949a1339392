"""HEIC and RAW photos on their way to the service."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms, JpegImagePlugin

from desktop.doctor import computer
from desktop.imaging import ImageError, open_image
from desktop.imaging.conversion import heif, prepare_upload, uploads
from shared.system.checkup import Level
from tests.desktop.imaging.conversion import photos
from tests.desktop.imaging.conversion.photos import MAKER, MODEL, WHEN, exif_block, heic, jpeg, raw, scene
from tests.desktop.imaging.pictures import rgb
from tests.pictures import Array, encode_picture

_RED, _GREEN, _BLUE, _WHITE = (220, 20, 20), (20, 200, 20), (20, 20, 220), (240, 240, 240)


def corners(data: bytes) -> list[tuple[int, int, int]]:
    """The colours near the upper left, upper right, lower left and lower right corner, seen upright."""
    image = open_image(data)
    pixels = rgb(image.preview())
    height, width = pixels.shape[:2]
    return [tuple(pixels[y, x]) for y in (height // 4, 3 * height // 4) for x in (width // 4, 3 * width // 4)]


def have_colours(colours: list[tuple[int, int, int]], *wanted: tuple[int, int, int]) -> bool:
    return bool(np.abs(np.array(colours, int) - np.array(wanted, int)).max() < 12)


def comments(data: bytes) -> list[str]:
    """The comments of a JPEG."""
    image = Image.open(io.BytesIO(data))
    assert isinstance(image, JpegImagePlugin.JpegImageFile)
    return [body.decode() for marker, body in image.applist if marker == "COM"]


def write_file(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def convert(path: Path) -> bytes:
    upload = prepare_upload(path)
    assert isinstance(upload.source, bytes)
    return upload.source


def read_exif(data: bytes) -> Image.Exif:
    return Image.open(io.BytesIO(data)).getexif()


def refusal_text(path: Path) -> str:
    with pytest.raises(ImageError) as error:
        prepare_upload(path)
    return str(error.value)


# --- all kinds ----------------------------------------------------------------------------------------


def test_a_heic_photo_with_the_suffix_of_a_jpeg_is_converted(tmp_path: Path) -> None:
    upload = prepare_upload(heic(tmp_path / "IMG_1.jpg", scene(64, 64)))
    assert upload.name == "IMG_1.jpg"
    assert isinstance(upload.source, bytes)
    assert upload.source.startswith(b"\xff\xd8\xff")


def test_accepted_formats_are_not_converted(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.JPG", jpeg(scene(64, 48)))
    assert prepare_upload(path) == (path, "a.JPG")
    assert prepare_upload(b"data", "photo.heic") == (b"data", "photo.heic")


@pytest.mark.parametrize("name", ["DSC_0001.NEF", "机翼 左.nef"])
def test_the_upload_names_the_original_and_its_digest(tmp_path: Path, name: str) -> None:
    path = write_file(tmp_path / name, raw(jpeg(scene(800, 600))))
    upload = prepare_upload(path)
    assert upload.name == f"{name}.jpg"
    assert isinstance(upload.source, bytes)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert comments(upload.source) == [f"Embedded preview of {name}, SHA-256 {digest}"]
    assert Image.open(io.BytesIO(upload.source)).info["comment"].decode().endswith(digest)


def test_name_that_is_not_unicode_does_not_stop_the_upload(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff1.nef")
    try:
        path.write_bytes(raw(jpeg(scene(800, 600))))
    except OSError:
        pytest.skip("this file system takes no such name")
    assert comments(convert(path))[0].startswith("Embedded preview of ?1.nef")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.dng"
    with path.open("wb") as file:
        file.truncate(uploads.MAX_BYTES + 1)
    assert "larger than 512 MB" in refusal_text(path)


def test_jpeg_with_another_suffix_is_copied(tmp_path: Path) -> None:
    data = jpeg(scene(64, 48), exif_block(6))
    upload = convert(write_file(tmp_path / "shared.heic", data))
    assert comments(upload)[0].startswith("Copied from shared.heic")
    assert read_exif(upload)[0x112] == 6
    assert have_colours(corners(upload), *corners(data))


@pytest.mark.parametrize("name", ["a.heic", "a.dng", "a.cr3", "a.raf", "a.orf"])
@pytest.mark.parametrize(
    "data", [b"", b"not a photo" * 100, b"II*\0", b"FUJIFILMCCD-RAW", b"\0\0\0\x18ftypcrx "]
)
def test_file_that_is_not_a_photo_is_refused_with_a_sentence(tmp_path: Path, name: str, data: bytes) -> None:
    sentence = refusal_text(write_file(tmp_path / name, data))
    assert (
        "damaged" in sentence
        or "preview in this RAW file" in sentence
        or "libheif" in sentence
        or "type of HEIC" in sentence
    )


# --- HEIC ---------------------------------------------------------------------------------------------


def test_a_heic_photo_becomes_a_jpeg_of_the_same_picture(tmp_path: Path) -> None:
    upload = convert(heic(tmp_path / "IMG_1.HEIC", scene(322, 242)))
    assert open_image(upload).size == (322, 242)
    assert have_colours(corners(upload), _RED, _GREEN, _BLUE, _WHITE)
    assert comments(upload)[0].startswith("Converted from IMG_1.HEIC, SHA-256 ")


@pytest.mark.parametrize("width", [1024, 1440, 2048])
def test_heic_photo_whose_rows_have_no_padding_keeps_its_pixels(tmp_path: Path, width: int) -> None:
    upload = convert(heic(tmp_path / "IMG_1.HEIC", scene(width, 1536)))
    assert have_colours(corners(upload), _RED, _GREEN, _BLUE, _WHITE)


def test_a_heic_photo_keeps_time_and_camera_and_is_upright(tmp_path: Path) -> None:
    # The decoder turns the picture as its container says: EXIF must not turn it again.
    upload = convert(heic(tmp_path / "IMG_1.HEIC", scene(320, 240), orientation=6))
    exif = read_exif(upload)
    assert (exif[0x10F], exif[0x110], exif[0x112]) == (MAKER, MODEL, 1)
    assert exif.get_ifd(0x8769)[0x9003] == WHEN
    assert open_image(upload).size == (320, 240)
    assert have_colours(corners(upload), _RED, _GREEN, _BLUE, _WHITE)


def test_a_heic_photo_keeps_its_colour_profile(tmp_path: Path) -> None:
    icc = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    upload = convert(heic(tmp_path / "IMG_1.HEIC", scene(64, 64), icc=icc))
    assert Image.open(io.BytesIO(upload)).info["icc_profile"] == icc


def test_a_heic_photo_with_alpha_is_shown_on_white(tmp_path: Path) -> None:
    pixels = np.dstack([scene(64, 64), np.full((64, 64), 255, np.uint8)])
    pixels[32:, :32] = (0, 0, 0, 0)
    pixels[32:, 32:, 3] = 0
    upload = convert(heic(tmp_path / "IMG_1.HEIC", pixels))
    assert have_colours(corners(upload), _RED, _GREEN, (255, 255, 255), (255, 255, 255))


def test_a_heic_photo_of_too_many_pixels_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heif, "MAX_PIXELS", 64 * 64 - 1)
    assert "64 x 64 pixels" in refusal_text(heic(tmp_path / "IMG_1.HEIC", scene(64, 64)))


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_heic_photo_that_ends_early_is_refused(tmp_path: Path, share: float) -> None:
    path = heic(tmp_path / "IMG_1.HEIC", encoded_noise())
    data = path.read_bytes()
    assert "damaged" in refusal_text(write_file(path, data[: int(len(data) * share)]))


def encoded_noise() -> Array:
    return np.random.default_rng(1).integers(0, 255, (128, 128, 3), np.uint8)


def test_missing_library_is_named_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heif, "LIBRARY", "libheif-of-nobody.so.1")
    heif._load_library.cache_clear()
    path = write_file(tmp_path / "a.heic", b"\0\0\0\x18ftypheic" + bytes(100))
    try:
        assert "package libheif1" in refusal_text(path)
        (line,) = computer.photos()
        assert line.level is Level.WARN
        assert "libheif1" in str(line)
    finally:
        heif._load_library.cache_clear()


def test_old_library_is_named_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = heic(tmp_path / "IMG_1.HEIC", scene(64, 64))
    write_file(path, path.read_bytes()[:200])
    monkeypatch.setattr(heif, "version", lambda: (1, 15))
    assert "libheif 1.15" in refusal_text(path)
    monkeypatch.setattr(heif, "version", lambda: (1, 18))
    assert "libheif" not in refusal_text(path)


# --- RAW ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_preview_of_a_raw_file_is_upright(tmp_path: Path, orientation: int, order: str) -> None:
    stored = Image.open(io.BytesIO(encode_picture(scene(800, 600), "JPEG", orientation)))
    path = write_file(tmp_path / "a.nef", raw(jpeg(np.asarray(stored)), orientation, order))
    upload = convert(path)
    assert open_image(upload).size == (800, 600)
    assert have_colours(corners(upload), _RED, _GREEN, _BLUE, _WHITE)
    exif = read_exif(upload)
    assert (exif[0x10F], exif[0x110], exif[0x112], exif[0x132]) == (MAKER, MODEL, orientation, WHEN)
    assert dict(exif.get_ifd(0x8769)) == {0x9003: WHEN, 0x8827: 400}


_LAYOUTS: dict[str, Callable[[bytes], bytes]] = {
    "a.dng": lambda preview: raw(preview, small=jpeg(scene(160, 120))),
    "a.raf": photos.fuji,
    "a.rw2": photos.panasonic,
    "a.orf": photos.olympus,
    "a.cr3": lambda preview: photos.canon(preview, 1),
}


@pytest.mark.parametrize("name", list(_LAYOUTS))
def test_largest_preview_is_copied_byte_for_byte(tmp_path: Path, name: str) -> None:
    preview = jpeg(scene(800, 600))
    upload = convert(write_file(tmp_path / name, _LAYOUTS[name](preview)))
    assert upload.startswith(b"\xff\xd8")
    # All but the segments that were put in, from the quantization tables to the end.
    assert upload.endswith(preview[preview.index(b"\xff\xdb") :])


@pytest.mark.parametrize("sizes", [((800, 600), (700, 500)), ((700, 500), (800, 600))])
def test_larger_of_two_previews_is_extracted(
    tmp_path: Path, sizes: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    first, below = (jpeg(scene(*size)) for size in sizes)
    assert open_image(convert(write_file(tmp_path / "a.nef", raw(below, small=first)))).size == (800, 600)


def test_preview_in_a_strip_is_extracted(tmp_path: Path) -> None:
    preview = jpeg(scene(800, 600))
    at = 8 + len(photos.directory({0x103: [6], 0x10F: MAKER, 0x111: 0, 0x117: 0}, 8))
    entries: dict[int, photos.Value] = {0x103: [6], 0x10F: MAKER, 0x111: at, 0x117: len(preview)}
    assert open_image(convert(write_file(tmp_path / "a.cr2", photos.tiff(entries) + preview))).size == (
        800,
        600,
    )
    # The same entries describe the pixels of the sensor where the interpretation says so.
    entries = {**entries, 0x106: [34892], 0x111: at + 12}
    assert "preview in this RAW file" in refusal_text(
        write_file(tmp_path / "a.cr2", photos.tiff(entries) + preview)
    )


def test_preview_of_a_canon_file_has_its_orientation(tmp_path: Path) -> None:
    exif = read_exif(convert(write_file(tmp_path / "a.cr3", photos.canon(jpeg(scene(800, 600)), 8))))
    assert (exif[0x10F], exif[0x110], exif[0x112]) == (MAKER, MODEL, 8)
    assert exif.get_ifd(0x8769)[0x9003] == WHEN


def test_a_preview_that_has_its_own_exif_keeps_it(tmp_path: Path) -> None:
    upload = convert(write_file(tmp_path / "a.nef", raw(jpeg(scene(800, 600), exif_block(3)), orientation=6)))
    assert read_exif(upload)[0x112] == 3
    assert upload.count(b"Exif\0\0") == 1


@pytest.mark.parametrize("preview", [jpeg(scene(160, 120)), b"no picture at all"])
def test_a_raw_file_without_a_useful_preview_is_refused(tmp_path: Path, preview: bytes) -> None:
    assert "missing or too small" in refusal_text(write_file(tmp_path / "a.nef", raw(preview)))


def test_lossless_pixels_are_no_preview(tmp_path: Path) -> None:
    lossless = jpeg(scene(800, 600)).replace(b"\xff\xc0", b"\xff\xc3", 1)
    assert "preview in this RAW file" in refusal_text(write_file(tmp_path / "a.cr2", raw(lossless)))


@pytest.mark.parametrize("name", list(_LAYOUTS))
def test_a_raw_file_that_ends_early_is_refused(tmp_path: Path, name: str) -> None:
    data = _LAYOUTS[name](jpeg(encoded_large_noise()))
    assert refusal_text(write_file(tmp_path / name, data[: len(data) // 2]))


def encoded_large_noise() -> Array:
    return np.random.default_rng(1).integers(0, 255, (480, 640, 3), np.uint8)


def test_a_broken_preview_is_refused(tmp_path: Path) -> None:
    preview = jpeg(encoded_large_noise())
    broken = preview[: len(preview) // 2]
    assert "damaged" in refusal_text(write_file(tmp_path / "a.nef", raw(broken)))


def test_directories_that_point_at_each_other_end(tmp_path: Path) -> None:
    entries: dict[int, photos.Value] = {0x14A: 8, 0x10F: MAKER}
    assert "preview in this RAW file" in refusal_text(write_file(tmp_path / "a.nef", photos.tiff(entries)))


def test_raw_file_with_a_changed_byte_is_converted_or_refused(tmp_path: Path) -> None:
    data = bytearray(raw(jpeg(scene(640, 64)), small=jpeg(scene(64, 48))))
    path = tmp_path / "a.nef"
    random = np.random.default_rng(7)
    for at in random.integers(0, 400, 150):
        changed = bytearray(data)
        changed[at] = random.integers(0, 256)
        path.write_bytes(bytes(changed))
        try:
            assert convert(path).startswith(b"\xff\xd8")
        except ImageError:
            continue
