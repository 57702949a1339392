from __future__ import annotations

import pytest

from desktop.localization.camera_terms import camera_and_lens, camera_lines, mark_sentence
from shared.wire.files import CameraData, CameraPosition
from shared.wire.inspection import TakenMark


def test_lines_show_all_known_camera_data() -> None:
    camera = CameraData(
        taken_at="2026-05-01T10:00:01.42+08:00",
        make="Canon",
        model="Canon EOS R5",
        lens="RF50mm F1.8",
        focal_length=50.0,
        exposure_time=1 / 60,
        f_number=2.8,
        iso=400,
        position=CameraPosition(latitude=31.17236, longitude=-121.33417),
    )
    assert camera_lines(camera, TakenMark.FUTURE) == [
        "Taken 2026-05-01 10:00 +08:00, by the camera's clock",
        "Taken after the upload: the camera's clock was wrong.",
        "Canon EOS R5 · RF50mm F1.8",
        "50 mm · 1/60 s · f/2.8 · ISO 400",
        "Position 31.17236°, -121.33417°",
    ]


def test_unknown_camera_data_has_no_line() -> None:
    assert camera_lines(None, None) == []
    assert camera_lines(CameraData(taken_at="2026-05-01T10:00:01"), None) == [
        "Taken 2026-05-01 10:00, by the camera's clock"
    ]
    assert camera_lines(CameraData(exposure_time=2.5, iso=100), None) == ["2.5 s · ISO 100"]


@pytest.mark.parametrize(
    ("make", "model", "name"),
    [
        ("NIKON", "Nikon Z 6", "Nikon Z 6"),
        ("SONY", "ILCE-7", "SONY ILCE-7"),
        (None, "X", "X"),
        ("Y", None, "Y"),
    ],
)
def test_the_make_is_not_repeated_in_the_model(make: str | None, model: str | None, name: str) -> None:
    assert camera_and_lens(CameraData(make=make, model=model)) == name


def test_every_mark_has_a_sentence() -> None:
    assert all(mark_sentence(mark) for mark in TakenMark)
    assert mark_sentence(None) == ""
