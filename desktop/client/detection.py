"""Detection models and jobs."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.client.transport import Transport, segment
from shared.wire.common import Envelope
from shared.wire.detection import DetectionModel, Job, ModelUpdate


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

    def job(self, job_id: str) -> Job:
        """A job as it stands now. Raises NotFound."""
        return self._transport.call("GET", f"/detection/jobs/{segment(job_id)}").read(Envelope[Job]).data

    def cancel(self, job_id: str) -> Job:
        """Ask a job to stop."""
        answer = self._transport.call("POST", f"/detection/jobs/{segment(job_id)}/cancel")
        return answer.read(Envelope[Job]).data
