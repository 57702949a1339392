"""Detection models and jobs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from desktop.client.files import Counted, Progress
from desktop.client.transport import Transport, segment
from shared.wire.common import Envelope
from shared.wire.detection import DetectionModel, Job, ModelKind, ModelUpdate

# A large file, and the service opens the whole model before it answers.
_UPLOAD_SECONDS = 600.0


class Detection:
    """The models that items can be tied to, and the jobs that run them."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def models(self) -> Sequence[DetectionModel]:
        """Every detection model."""
        answer = self._transport.call("GET", "/detection/models")
        return answer.read(Envelope[list[DetectionModel]]).data

    def update_model(self, model_id: str, change: ModelUpdate) -> DetectionModel:
        """Change name, description or whether it is enabled (needs MODEL_MANAGE)."""
        body = change.model_dump(mode="json", exclude_unset=True)
        answer = self._transport.call("PUT", f"/detection/models/{segment(model_id)}", body=body)
        return answer.read(Envelope[DetectionModel]).data

    def add_model(
        self,
        path: Path,
        name: str,
        *,
        description: str | None = None,
        kind: ModelKind | None = None,
        labels: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> DetectionModel:
        """Add an ONNX detector (needs MODEL_MANAGE); the name of a present one makes its next version.

        `kind` and `labels` are read from the file unless given. Raises OSError when the file cannot be read,
        Invalid with the reason when the service cannot use it, TooLarge.
        """
        fields = {"model_name": name, "model_description": description, "kind": kind}
        parts: dict[str, object] = {key: (None, str(value)) for key, value in fields.items() if value}
        if labels:
            parts["labels"] = (None, json.dumps(list(labels), ensure_ascii=False))
        with path.open("rb") as file:
            parts["file"] = (
                path.name,
                Counted(file, progress) if progress is not None else file,
                "application/octet-stream",
            )
            answer = self._transport.call(
                "POST", "/detection/models", files=parts, repeatable=False, seconds=_UPLOAD_SECONDS
            )
        return answer.read(Envelope[DetectionModel]).data

    def job(self, job_id: str) -> Job:
        """A job as it stands now. Raises NotFound."""
        return self._transport.call("GET", f"/detection/jobs/{segment(job_id)}").read(Envelope[Job]).data

    def cancel(self, job_id: str) -> Job:
        """Ask a job to stop."""
        answer = self._transport.call("POST", f"/detection/jobs/{segment(job_id)}/cancel")
        return answer.read(Envelope[Job]).data
