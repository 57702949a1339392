"""Defines the settings of an ONNX detector, which are chosen when it is added and stored with it."""

import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

ACTIVATIONS: Final = ("sigmoid", "softmax")
"""The functions that turn class outputs into confidences."""

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class DetectorSettings(BaseModel):
    """The input and output of a detector.

    Input: `width` x `height` px; `colour` order; `values` 0..1, 0..255 or ImageNet-normalised. `fit` is the
    way to fit the photo into the input: a letterbox with the photo in the middle or the corner, or stretched.

    Output: `activation` turns class outputs into confidences. A candidate of a YOLO may have `objectness`
    (None: as usual for the shape), followed by `classes` (0: all other numbers). Findings below `confidence`
    (or the confidence of their label) are dropped. Findings of a class that overlap by more than `iou` are
    merged. A photo longer than `sliced` inputs is cut into overlapping slices (0: never). A photo fails if
    one of `fail_labels` (None: any label) is found with `fail_confidence` or more.

    Output of a model that merges candidates itself: `corners` is the order of the numbers of a box,
    `columns` the order of the last two columns of a single table, `first_class` the number of the first
    label. With the `columns` confidence_class the single table of a DETR has these two columns and no
    confidence for each class.
    """

    model_config = ConfigDict(extra="ignore")

    width: int = Field(default=640, ge=32, le=8192)
    height: int = Field(default=640, ge=32, le=8192)
    colour: Literal["rgb", "bgr"] = "rgb"
    values: Literal["unit", "raw", "imagenet"] = "unit"
    fit: Literal["centre", "corner", "stretch"] = "centre"
    activation: Literal["none", "sigmoid", "softmax"] = "none"
    objectness: bool | None = None
    classes: int = Field(default=0, ge=0, le=10_000)
    corners: Literal["xyxy", "yxyx"] = "xyxy"
    columns: Literal["class_confidence", "confidence_class"] = "class_confidence"
    first_class: int = Field(default=0, ge=0, le=1)
    confidence: Share = 0.25
    per_label: dict[str, Share] = Field(default_factory=dict)
    iou: Share = 0.45
    sliced: float = Field(default=4.0, ge=0, le=100, allow_inf_nan=False)
    fail_labels: list[str] | None = None
    fail_confidence: Share = 0.4

    @property
    def least_confidence(self) -> float:
        """The least confidence of a reported finding, whatever its label."""
        return min([self.confidence, *self.per_label.values()])

    def fails(self, label: str, confidence: float) -> bool:
        """Whether a finding makes the photo fail."""
        return confidence >= self.fail_confidence and (self.fail_labels is None or label in self.fail_labels)


def object_labels(labels: list[str], first_class: int) -> list[str]:
    """The labels from that of `first_class`. Lists for torchvision begin with 0, the background."""
    is_background = bool(labels) and labels[0].strip("_ ").lower() == "background"
    return labels[1:] if first_class == 1 and is_background else labels


def parse_settings(text: str) -> dict[str, Any]:
    """Parse the settings that a user gave, a JSON object. Raises ValueError, which says what is wrong."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("no JSON") from error
    if not isinstance(fields, dict):
        raise ValueError("no JSON object")
    return fields
