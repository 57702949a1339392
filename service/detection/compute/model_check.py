"""Checks a model file, which is not trusted, in a separate process: `walkaround worker --check`."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from service.detection.compute.worker import yield_to_others
from service.detection.failure import BadModel
from service.workers.frames import Frame, serve
from service.workers.limits import limit_memory
from shared.wire.detection import ModelKind

if TYPE_CHECKING:
    from service.detection.onnx.check import CheckedModel

_CHECK_BYTES = 6 * 2**30
_NO_DETECTOR = frozenset({"kind_unsupported", "dry_run_failed"})
"""What a backbone is refused for as a detector."""


def main() -> None:
    """Answer with the kind, labels and settings of a model file, or with the reason why it is refused."""
    yield_to_others()
    serve(lambda request, _report: Frame(_check(**request.message)), discard_prints=True)


def check_file(
    path: Path, kind: ModelKind | None, settings: dict[str, Any], classes: int = 0
) -> CheckedModel:
    """`onnx.check.check`, or `check_backbone` for that kind. Raises BadModel."""
    from service.detection.appearance.backbone import check_backbone
    from service.detection.onnx.check import check

    if kind is ModelKind.BACKBONE:
        return check_backbone(path, settings)
    try:
        return check(path, kind, settings, classes)
    except BadModel as bad:
        if kind is not None or bad.code not in _NO_DETECTOR:
            raise
        with contextlib.suppress(BadModel):
            check_backbone(path, settings)
            bad = BadModel("kind_unknown", [ModelKind.BACKBONE.value])
        raise bad


def _check(path: str, kind: str | None, settings: dict[str, Any], classes: int) -> dict[str, Any]:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_CHECK_BYTES, _CHECK_BYTES))
    elif sys.platform == "win32":
        limit_memory(_CHECK_BYTES)
    try:
        checked = check_file(Path(path), None if kind is None else ModelKind(kind), settings, classes)
    except BadModel as bad:
        return {"error": bad.code, "kinds": bad.kinds, "counts": bad.counts}
    except MemoryError:
        return {"error": "dry_run_failed", "kinds": [], "counts": {}}
    return {"kind": checked.kind, "labels": checked.labels, "settings": checked.settings.model_dump()}
