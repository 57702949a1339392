"""Bodies of detection: models, jobs, and what one run answers."""

from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import Field, StrictBool

from shared.limits import MAX_LABELS
from shared.wire.common import FilledText, Id, ItemTime, JsonObject, OptionalText, RequiredName, WireModel

REFERENCE_DIFFERENCE = "reference-difference"
"""The model id of the built-in model that needs no weights."""


class ModelKind(StrEnum):
    """How a model's output is read. A backbone finds nothing: it describes patches to compare appearances."""

    REFERENCE_DIFFERENCE = "reference_difference"
    YOLO = "yolo"
    YOLOX = "yolox"
    NMS_FREE = "nms_free"
    DETR = "detr"
    NMS_INSIDE = "nms_inside"
    BACKBONE = "backbone"


class DetectionModel(WireModel):
    """A detection model as the catalogue shows it; `added_by` is null for one from the command line."""

    model_id: str
    model_name: str
    model_description: str | None
    kind: ModelKind
    version: int
    sha256: str | None
    size: int | None
    labels: list[str]
    settings: dict[str, Any]
    enabled: bool
    added_by: str | None
    added_by_name: str | None = None
    created_at: ItemTime
    updated_at: ItemTime


class ModelUpdate(WireModel):
    """Body of update model: what can change without a new version."""

    model_name: RequiredName | None = None
    model_description: OptionalText = None
    enabled: StrictBool | None = None


class ModelVersion(WireModel):
    """Body of a new version of a model with the same file: settings to change, labels in place of its own.

    The settings are thresholds, pass rule, slices and how the model is fed; the size of its input stays.
    """

    settings: JsonObject = Field(default_factory=dict)
    labels: Annotated[list[FilledText] | None, Field(max_length=MAX_LABELS)] = None


class TrialBox(WireModel):
    """A finding of a trial: its label, its confidence, and x, y, w, h in px of the upright picture."""

    label: str
    confidence: float
    x: float
    y: float
    w: float
    h: float


class ModelTrial(WireModel):
    """What a model finds in a picture that belongs to no record, with the picture's size in px."""

    width: int
    height: int
    boxes: list[TrialBox]
    passed: bool
    seconds: float


class Severity(StrEnum):
    """The severity of a finding."""

    MINOR = "minor"
    MAJOR = "major"
    CRITICAL = "critical"


class LabelSeverity(WireModel):
    """A label and the severity of findings with it; null removes the severity."""

    label: FilledText
    severity: Severity | None


class LabelSeverities(WireModel):
    """Body of update labels: the labels whose severity changes; all others keep theirs."""

    labels: Annotated[list[LabelSeverity], Field(min_length=1, max_length=MAX_LABELS)]


class JobState(StrEnum):
    """State of a detection job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


OPEN_JOB_STATES: Final = (JobState.QUEUED, JobState.RUNNING)
"""The states of a job that has not ended."""

MAX_LISTED_JOBS: Final = 500
"""Jobs of a full page. A shorter page is the last one."""


class Job(WireModel):
    """A detection job: one item, its newest photo, and the model that it had when the job was created.

    `error` is a stable code (`alignment_failed`, `no_photo`, ...), `message` the sentence for the person;
    `version` is the result entry that it writes, from pending to its end. `batch_id` is shared by the jobs
    that one request made.
    """

    job_id: str
    item_id: str
    inspection_id: str
    model_id: str
    batch_id: str | None
    state: JobState
    progress: Annotated[int, Field(ge=0, le=100)]
    error: str | None
    message: str | None
    version: int | None
    created_at: ItemTime
    updated_at: ItemTime


class BatchCreate(WireModel):
    """Body of create batch: the records whose items are detected, or null for all open ones."""

    inspection_ids: Annotated[list[Id], Field(max_length=1000)] | None


class Batch(WireModel):
    """The progress of the jobs of one request; `progress` is the percentage of finished work."""

    batch_id: str
    total: int
    queued: int
    running: int
    done: int
    failed: int
    canceled: int
    progress: Annotated[int, Field(ge=0, le=100)]
