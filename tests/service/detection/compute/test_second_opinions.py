"""Tests second opinions of a comparison, from files to the boxes of the entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from service.detection.compute import second_opinions
from service.detection.compute.computer import Computer
from service.detection.compute.request import OpinionRequest, Request, as_json, to_request
from service.detection.compute.second_opinions import SECONDS, SecondOpinions
from service.detection.onnx.backbone import Backbone
from service.detection.onnx.check import check
from shared import samples
from shared.images.cv import cv2
from shared.samples import View
from tests.service.detection.graphs import backbone_model, brightness_model

KIND = "reference_difference"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a reference image, three photos that passed, and today's photo with a new patch."""
    folder = tmp_path_factory.mktemp("site")
    panel = samples.draw_panel(320, 320, 11).image
    cv2.imwrite(str(folder / "reference.png"), panel)
    for number in range(4):
        image = panel.copy()
        # A lamp that is never the same.
        cv2.circle(image, (230, 90), 14 + 3 * number, (90, 220, 60 * number), -1, cv2.LINE_AA)
        if number == 3:
            cv2.circle(image, (110, 200), 14, (30, 20, 180), -1, cv2.LINE_AA)
        photo, _ = samples.photograph(image, View(light=0.1, noise=2), number)
        cv2.imwrite(str(folder / ("today.png" if number == 3 else f"{number}.png")), photo)
    backbone_model(folder / "map.onnx", (128, 128))
    backbone_model(folder / "tokens.onnx", (128, 128), leading=1)
    return folder


@pytest.fixture
def computer() -> Iterator[Computer]:
    with Computer() as computer:
        yield computer


def opinion(site: Path, model: str = "map.onnx", photos: int = 3) -> OpinionRequest:
    """The facts of the backbone, and this number of passed photos."""
    return OpinionRequest(
        model=str(site / model),
        sha256=model,
        model_id="id",
        name="features",
        version=2,
        settings=check(site / "map.onnx", None, {}).settings.model_dump(),
        reference_sha256="reference",
        photos=tuple(passed_photo(site / f"{number}.png") for number in range(photos)),
    )


def passed_photo(path: Path) -> Request:
    return Request(KIND, str(path), photo_sha256=path.stem)


def today(site: Path, wanted: OpinionRequest | None) -> Request:
    """A request for opinions on today's photo."""
    path = site / "today.png"
    return replace(passed_photo(path), reference=str(site / "reference.png"), second_opinion=wanted)


def opinions(computer: Computer, request: Request) -> list[Any]:
    return [box.get("second_opinion") for box in computer.run(request).boxes]


@pytest.mark.parametrize("model", ["map.onnx", "tokens.onnx"])
def test_each_finding_gets_an_opinion_and_nothing_else_changes(
    model: str, site: Path, computer: Computer
) -> None:
    request = today(site, opinion(site, model))
    plain = computer.run(today(site, None))
    assert all("second_opinion" not in box for box in plain.boxes)
    result = computer.run(request)
    assert [{**box, "second_opinion": None} for box in plain.boxes] == [
        {**box, "second_opinion": None} for box in result.boxes
    ]
    assert (result.passed, result.suppressed) == (plain.passed, plain.suppressed)
    by_place = {box["points"]["x1"] < 160: box["second_opinion"] for box in result.boxes}
    new, varies = by_place[True], by_place[False]
    assert new["value"] > varies["value"]
    assert new["value"] >= 0.5
    about = {key: value for key, value in new.items() if key != "value"}
    assert about == {
        "photos": 3,
        "model_id": "id",
        "model_name": "features",
        "model_version": 2,
        "model_sha256": model,
    }


def test_request_survives_the_pipe(site: Path) -> None:
    request = today(site, opinion(site))
    assert to_request(as_json(request)) == request


def test_without_two_passed_photos_there_is_no_opinion(site: Path, computer: Computer) -> None:
    one = opinion(site, photos=1)
    assert set(opinions(computer, today(site, one))) == {None}
    lost = replace(one, photos=(passed_photo(site / "lost.png"), *one.photos))
    assert set(opinions(computer, today(site, lost))) == {None}


def test_photo_that_does_not_show_the_region_is_left_out(site: Path, computer: Computer) -> None:
    cv2.imwrite(str(site / "blank.png"), np.full((320, 320, 3), 120, np.uint8))
    wanted = opinion(site)
    more = replace(wanted, photos=(*wanted.photos, passed_photo(site / "blank.png")))
    assert {found["photos"] for found in opinions(computer, today(site, more))} == {3}


def test_features_are_computed_once_for_each_picture(
    site: Path, computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    features = Backbone.features

    def count_call(backbone: Backbone, image: Any) -> Any:
        looked.append(image.shape)
        return features(backbone, image)

    monkeypatch.setattr(Backbone, "features", count_call)
    first = opinions(computer, today(site, opinion(site)))
    once = len(looked)
    assert once % 5 == 0
    assert opinions(computer, today(site, opinion(site))) == first
    assert len(looked) == once
    # Of fewer photos, what is kept of the others does not count.
    fewer = opinions(computer, today(site, opinion(site, photos=2)))
    assert len(looked) == once
    assert {found["photos"] for found in fewer} == {2}
    other = replace(opinion(site), settings={**opinion(site).settings, "values": "unit"})
    opinions(computer, today(site, other))
    assert len(looked) == 2 * once


def test_no_photo_is_read_after_the_time_is_over(
    site: Path, computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter([0.0, 1.0, 2.0, SECONDS + 1])
    monkeypatch.setattr(
        computer, "_second_opinions", SecondOpinions(computer._detectors, clock=lambda: next(times))
    )
    assert {found["photos"] for found in opinions(computer, today(site, opinion(site)))} == {2}


def test_backbone_that_fails_leaves_the_findings_as_they_are(
    site: Path, computer: Computer, capfd: pytest.CaptureFixture[str]
) -> None:
    brightness_model(site / "detector.onnx", 128)
    plain = computer.run(today(site, None))
    assert computer.run(today(site, opinion(site, "detector.onnx"))).boxes == plain.boxes
    assert "no second opinion: ValueError" in capfd.readouterr().err


def test_nothing_is_opened_without_findings(
    site: Path, computer: Computer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise AssertionError("a photo was read")

    monkeypatch.setattr(second_opinions, "_align_photo", fail)
    request = today(site, opinion(site, "lost.onnx"))
    assert computer.run(replace(request, photo=str(site / "reference.png"))).boxes == []
