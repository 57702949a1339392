"""Finds and reads the photos of sets that the user has: MVTec AD, FGCD, DeepPCB, films of people."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from shared.images.cv import cv2
from shared.samples import Image

_ENDINGS: Final = (".png", ".jpg", ".jpeg", ".webp")
_OBJECTS: Final = 8


@dataclass(frozen=True)
class ObjectPhotos:
    """Paths of good photos to compare with, and of good and bad photos to judge."""

    passed: list[Path]
    good: list[Path]
    bad: list[Path]


def parse_set(text: str) -> tuple[str, Path]:
    """Return name and folder of NAME=DIR. Raises ArgumentTypeError."""
    name, separator, folder = text.partition("=")
    if not (name and separator and folder):
        raise argparse.ArgumentTypeError("write NAME=DIR")
    return name, Path(folder)


def find_photos(folder: Path) -> ObjectPhotos:
    """Return the photos of one object in the layout of MVTec AD.

    Photos to compare with are in `train/good` or `good`, photos to judge in `test/good` and in other folders
    of `test`. Raises FileNotFoundError if one of the three groups has none.
    """
    train = folder / "train" / "good"
    kinds = sorted(kind for kind in (folder / "test").glob("*") if kind.name != "good")
    photos = ObjectPhotos(
        list_photos(train if train.is_dir() else folder / "good"),
        list_photos(folder / "test" / "good"),
        [photo for kind in kinds for photo in list_photos(kind)],
    )
    if not (photos.passed and photos.good and photos.bad):
        raise FileNotFoundError(f"{folder} lacks photos in train/good, test/good or other folders of test")
    return photos


def find_lamp_objects(folder: Path) -> list[Path]:
    """Return the folders of the first eight objects, by name, of FGCD (Feng et al. 2015)."""
    objects = {path.parent for path in folder.rglob("GT.*")}
    return sorted(objects, key=lambda path: path.name)[:_OBJECTS]


def list_photos(folder: Path) -> list[Path]:
    """Return the photos that are directly in `folder`, by name."""
    return sorted(path for path in folder.glob("*") if path.suffix.lower() in _ENDINGS)


def read_photo(path: Path) -> Image:
    """Return the photo, BGR. Raises ValueError if it is no picture."""
    image = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError(f"{path} is no picture")
    return np.asarray(image, np.uint8)
