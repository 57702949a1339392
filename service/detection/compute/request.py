"""Defines what the compute process is asked to detect."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.wire.inspection import DetectionSettings


@dataclass(frozen=True, slots=True)
class OpinionRequest:
    """Which backbone gives a second opinion: its file, hash, id, name, version and `DetectorSettings`.

    reference_sha256: of the reference image. photos: that passed, the newest first; each with its
    `photo_sha256`, and with what is known of its alignment.
    """

    model: str
    sha256: str
    model_id: str
    name: str
    version: int
    settings: Mapping[str, Any]
    reference_sha256: str
    photos: Sequence[Request] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """What to detect. Paths are of local files.

    point: x, y, w, h of the region as an item keeps it (fractions, or pixels above 1); None: all of the
    reference. settings: of the model (`DetectorSettings` for ONNX, `Parameters` for reference-difference).
    item: what the item sets in place of them (`DetectionSettings`).
    place: where the photo's assignment to the item says that the reference lies in it (3 x 3, px of the
    files); place_by_person: a person said so. within: the corners of the region in px of the photo file, when
    findings of an ONNX model count only inside of it. photo_sha256: with it, what a model finds is kept.
    memory: file with the memory of the region, for reference-difference; None: without one.
    rendered: where the picture with the boxes goes; None: nowhere. second_opinion: on the findings of
    reference-difference; None: there is none.
    """

    kind: str
    photo: str
    reference: str | None = None
    point: tuple[float, float, float, float] | None = None
    mm_per_pixel: float | None = None
    model: str | None = None
    sha256: str | None = None
    labels: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    item: Mapping[str, Any] = field(default_factory=dict)
    place: Sequence[Sequence[float]] | None = None
    place_by_person: bool = False
    within: Sequence[Sequence[float]] | None = None
    photo_sha256: str | None = None
    memory: str | None = None
    rendered: str | None = None
    second_opinion: OpinionRequest | None = None


def as_json(request: Request) -> dict[str, object]:
    """A `Request` as a JSON object; `to_request` reads it."""
    return dataclasses.asdict(request)


def to_request(fields: dict[str, Any]) -> Request:
    """A `Request` from its JSON form."""
    point: Sequence[float] | None = fields.get("point")
    opinion: dict[str, Any] | None = fields.get("second_opinion")
    if opinion is not None:
        photos = tuple(to_request(photo) for photo in opinion["photos"])
        fields = {**fields, "second_opinion": OpinionRequest(**{**opinion, "photos": photos})}
    return Request(
        **{
            **fields,
            "point": None if point is None else (point[0], point[1], point[2], point[3]),
            "labels": tuple(fields.get("labels", ())),
        }
    )


def item_settings(request: Request) -> DetectionSettings:
    """What the item sets."""
    return DetectionSettings.model_validate(request.item)
