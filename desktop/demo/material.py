"""Writes the pictures of the demo, and defines the texts that it types in both languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.localization.fonts import shows_chinese
from shared.images.cv import cv2
from shared.record.geometry import Rect
from shared.samples import Defect, Image, Matrix, faces, inspection
from shared.samples.inspection import MM_PER_PIXEL
from shared.samples.inspection import REGIONS as REGIONS

__all__ = ["MM_PER_PIXEL", "REGIONS", "Pictures", "write_pictures"]


@dataclass(frozen=True, slots=True)
class Pictures:
    """The picture files of the demo and their known content.

    `defects` has one entry for each of `REGIONS` (reference px); `homography` maps reference px to photo px.
    """

    reference: Path
    photo: Path
    faces: list[Path]
    login: Path
    stranger: Path
    defects: tuple[Defect | None, ...]
    homography: Matrix

    def in_photo(self, rect: Rect) -> Rect:
        """Return the bounds in the photo of a rectangle of the reference image."""
        return inspection.bounds_in_photo(self.homography, rect)


def write_pictures(folder: Path) -> Pictures:
    """Draw the pictures and write them into `folder`."""
    sample = inspection.draw_inspection()
    write = _writer(folder)
    return Pictures(
        reference=write("left-wing-root.png", sample.reference),
        photo=write("today.jpg", sample.photo),
        faces=[
            write(f"face-{number}.jpg", face) for number, face in enumerate(faces.enrolment_pictures(), 1)
        ],
        login=write("login.jpg", faces.login_picture()),
        stranger=write("stranger.jpg", faces.stranger_picture()),
        defects=sample.defects,
        homography=sample.homography,
    )


def _writer(folder: Path) -> Callable[[str, Image], Path]:
    def write(name: str, image: Image) -> Path:
        path = folder / name
        _, data = cv2.imencode(path.suffix, image)
        path.write_bytes(bytes(data))
        return path

    return write


@dataclass(frozen=True, slots=True)
class DemoTexts:
    """`language`: the language code. `items`: (name, description) in the order of `pictures.REGIONS`."""

    language: str
    admin: str
    inspector: str
    aircraft: str
    registration: str
    flight: str
    task: str
    reference: str
    record: str
    items: tuple[tuple[str, str], ...]
    fail: str
    overrule: str


_CHINESE = DemoTexts(
    language="zh_CN",
    admin="赵主任",
    inspector="张检",
    aircraft="B-3059 · 波音 787",
    registration="B-3059",
    flight="CA1409",
    task="航后检查",
    reference="左翼根部蒙皮",
    record="左翼根部航后检查",
    items=(
        ("蒙皮（12–13 框）", "第 12 框与第 13 框之间，凹坑深度不得超过 2 mm"),
        ("14 框壁板", "不允许有任何裂纹"),
        ("搭接缝铆钉", "搭接缝交叉处，铆钉应齐全"),
        ("舷窗边框", "三个舷窗的密封与边框"),
        ("注册号标识", "标识应完整、清晰、无划伤"),
    ),
    fail="已通知工程部，修理后复查",
    overrule="表面浮漆，擦拭后消失，不影响飞行",
)

_ENGLISH = DemoTexts(
    language="en",
    admin="Chief Zhao",
    inspector="Inspector Zhang",
    aircraft="B-3059 · Boeing 787",
    registration="B-3059",
    flight="CA1409",
    task="After-flight check",
    reference="Left wing root, skin",
    record="Left wing root, after flight",
    items=(
        ("Skin, frames 12–13", "Between frames 12 and 13; no deeper than 2 mm"),
        ("Panel at frame 14", "No crack is accepted"),
        ("Lap joint rivets", "Where the lap joints cross; every rivet in place"),
        ("Window frames", "Seals and frames of the three windows"),
        ("Registration", "Whole, readable, without scratches"),
    ),
    fail="Engineering is informed; repair before flight",
    overrule="Loose paint on the surface, wiped off; no effect on the flight",
)


TEXTS = {texts.language: texts for texts in (_CHINESE, _ENGLISH)}
"""The texts by the code of their language."""


def demo_texts() -> DemoTexts:
    """Return the Chinese texts if a font can display them, else the English ones."""
    return _CHINESE if shows_chinese() else _ENGLISH
