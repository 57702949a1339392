"""Tests the desktop's client with the real service: models of uncertain kind, versions, batches."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.client.http.errors import Conflict, Invalid, NotFound
from shared.wire.detection import REFERENCE_DIFFERENCE, ModelKind, ModelVersion
from tests.client_session import open_session
from tests.service.detection.models.test_registry import ambiguous_model
from tests.service_process import service_process


def test_client_adds_models_and_starts_batches(tmp_path: Path) -> None:
    path = ambiguous_model(tmp_path / "model.onnx")
    with service_process(tmp_path / "data") as url, open_session(url) as session:
        with pytest.raises(Invalid) as refused:
            session.detection.add_model(path, "未知")
        assert refused.value.details["kinds"] == ["yolo", "yolox"]
        kind = ModelKind(refused.value.details["kinds"][0])
        first = session.detection.add_model(path, "未知", kind=kind, settings={"confidence": 0.3})
        assert (first.kind, first.settings["confidence"]) == (ModelKind.YOLO, 0.3)
        change = ModelVersion(settings={"fail_labels": ["class 1"]})
        second = session.detection.supersede_model(first.model_id, change)
        assert (second.version, second.settings["confidence"]) == (2, 0.3)
        with pytest.raises(Conflict):
            session.detection.supersede_model(REFERENCE_DIFFERENCE, change)
        nothing = session.detection.detect_pending()
        assert (nothing.total, nothing.progress) == (0, 100)
        assert session.detection.detect_pending(["none"]).total == 0
        for call in (session.detection.batch, session.detection.cancel_batch, session.detection.retry_batch):
            assert call(nothing.batch_id).total == 0
            with pytest.raises(NotFound):
                call("none")
        assert session.detection.jobs() == session.detection.jobs(record_id="none") == []
        assert session.detection.jobs(batch_id=nothing.batch_id) == []
