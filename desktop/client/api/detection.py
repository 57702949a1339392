"""Calls the service for detection models and jobs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from desktop.client.api.files import CountingReader, Progress
from desktop.client.http.answers import Versioned
from desktop.client.http.transport import Calls, segment
from shared.wire.detection import (
    MAX_LISTED_JOBS,
    OPEN_JOB_STATES,
    Batch,
    DetectionModel,
    Job,
    JobState,
    LabelSeverities,
    LabelSeverity,
    ModelKind,
    ModelTrial,
    ModelUpdate,
    ModelVersion,
    Severity,
)

# The file is large, and the service opens the whole model before it answers.
_UPLOAD_SECONDS = 600.0


class Detection(Calls):
    """The detection models and the jobs that run them."""

    def models(self) -> Sequence[DetectionModel]:
        """Every detection model."""
        return self._transport.get("/detection/models", list[DetectionModel])

    def tagged_model(self, model_id: str) -> Versioned[DetectionModel]:
        """A model with its version, which is needed to refuse stale changes. Raises NotFound."""
        answer = self._transport.call("GET", f"/detection/models/{segment(model_id)}")
        return Versioned(answer.data(DetectionModel), answer.etag)

    def update_model(self, model_id: str, change: ModelUpdate, etag: str | None = None) -> DetectionModel:
        """Change the name or the description, enable or disable a model (needs MODEL_MANAGE).

        Raises Stale when `etag` is given and is not the newest.
        """
        body = change
        answer = self._transport.call("PUT", f"/detection/models/{segment(model_id)}", body=body, etag=etag)
        return answer.data(DetectionModel)

    def add_model(
        self,
        path: Path,
        name: str,
        *,
        description: str | None = None,
        kind: ModelKind | None = None,
        labels: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> DetectionModel:
        """Add an ONNX detector (needs MODEL_MANAGE). With the name of an existing model, it is its next
        version.

        `kind` and `labels` are read from the file by default. `settings` replace the defaults of the kind,
        such as thresholds and the pass rule. Raises OSError when the file cannot be read, TooLarge, and
        Invalid with the reason when the service cannot use it (with the possible `kinds` if the kind is
        ambiguous).
        """
        fields = {"model_name": name, "model_description": description, "kind": kind}
        parts: dict[str, object] = {key: (None, str(value)) for key, value in fields.items() if value}
        if labels:
            parts["labels"] = (None, json.dumps(list(labels), ensure_ascii=False))
        if settings:
            parts["settings"] = (None, json.dumps(dict(settings), ensure_ascii=False))
        with path.open("rb") as file:
            parts["file"] = (
                path.name,
                CountingReader(file, progress) if progress is not None else file,
                "application/octet-stream",
            )
            return self._transport.call(
                "POST", "/detection/models", files=parts, repeatable=False, seconds=_UPLOAD_SECONDS
            ).data(DetectionModel)

    def try_model(self, model_id: str, path: Path) -> ModelTrial:
        """What a model finds in the picture at `path`, which is not stored (needs MODEL_MANAGE).

        Raises OSError when the file cannot be read, NotFound, Conflict for a model that needs a reference
        image, TooLarge, and Invalid when the picture or the model cannot be used.
        """
        with path.open("rb") as file:
            return self._transport.call(
                "POST",
                f"/detection/models/{segment(model_id)}/trial",
                files={"file": (path.name, file, "application/octet-stream")},
                repeatable=False,
                seconds=_UPLOAD_SECONDS,
            ).data(ModelTrial)

    def supersede_model(self, model_id: str, change: ModelVersion) -> DetectionModel:
        """Create the next version of a model with other settings or labels (needs MODEL_MANAGE).

        Raises NotFound, Conflict for the built-in model, Invalid for invalid settings.
        """
        path = f"/detection/models/{segment(model_id)}/versions"
        return self._transport.call("POST", path, body=change).data(DetectionModel)

    def labels(self) -> dict[str, Severity]:
        """The labels of findings that have a severity."""
        answer = self._transport.call("GET", "/detection/labels")
        return _severities(answer.data(list[LabelSeverity]))

    def set_severities(self, severities: Mapping[str, Severity | None]) -> dict[str, Severity]:
        """Set the severities of labels; None removes one (needs MODEL_MANAGE)."""
        changes = [LabelSeverity(label=name, severity=severity) for name, severity in severities.items()]
        body = LabelSeverities(labels=changes)
        answer = self._transport.call("PUT", "/detection/labels", body=body)
        return _severities(answer.data(list[LabelSeverity]))

    def detect_pending(self, record_ids: Sequence[str] | None = None) -> Batch:
        """Start detections for the items without a finished result in these records, or in all open ones."""
        body = {"inspection_ids": None if record_ids is None else list(record_ids)}
        return self._transport.call("POST", "/detection/batches", body=body).data(Batch)

    def batch(self, batch_id: str) -> Batch:
        """The progress of a batch. Raises NotFound."""
        return self._batch("GET", batch_id, "")

    def cancel_batch(self, batch_id: str) -> Batch:
        """Cancel all jobs of a batch. Raises NotFound."""
        return self._batch("POST", batch_id, "/cancel")

    def retry_batch(self, batch_id: str) -> Batch:
        """Start the failed and cancelled jobs again as a new batch. Raises NotFound."""
        return self._batch("POST", batch_id, "/retry")

    def jobs(
        self,
        *,
        record_id: str | None = None,
        batch_id: str | None = None,
        states: Sequence[JobState] = (),
        before: str | None = None,
    ) -> Sequence[Job]:
        """One page of jobs, newest first. The filters are record, batch and states; None and () leave them
        out.

        A page of fewer than `MAX_LISTED_JOBS` jobs is the last one. `before` is the id of the last job of the
        previous page. Raises NotFound when there is no such job.
        """
        query = {"inspection_id": record_id, "batch_id": batch_id, "state": list(states), "before": before}
        return self._transport.get("/detection/jobs", list[Job], query=query)

    def open_jobs(self, record_id: str) -> Sequence[Job]:
        """All waiting and running jobs of a record, newest first."""
        page = self.jobs(record_id=record_id, states=OPEN_JOB_STATES)
        jobs = list(page)
        while len(page) == MAX_LISTED_JOBS:
            page = self.jobs(record_id=record_id, states=OPEN_JOB_STATES, before=jobs[-1].job_id)
            jobs += page
        return jobs

    def _batch(self, method: str, batch_id: str, suffix: str) -> Batch:
        return self._transport.call(method, f"/detection/batches/{segment(batch_id)}{suffix}").data(Batch)

    def job(self, job_id: str) -> Job:
        """The present state of a job. Raises NotFound."""
        return self._transport.get(f"/detection/jobs/{segment(job_id)}", Job)

    def cancel(self, job_id: str) -> Job:
        """Cancel a job."""
        return self._transport.call("POST", f"/detection/jobs/{segment(job_id)}/cancel").data(Job)


def _severities(labels: Sequence[LabelSeverity]) -> dict[str, Severity]:
    return {label.label: label.severity for label in labels if label.severity is not None}
