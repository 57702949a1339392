"""Checks a model file, which is not trusted, in a separate process: `walkaround worker --check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from service.detection.compute.worker import yield_to_others
from service.detection.failure import BadModel
from service.workers.frames import Frame
from service.workers.serving import serve
from shared.wire.detection import ModelKind

_CHECK_BYTES = 6 * 2**30


def main() -> None:
    """Answer with the kind, labels and settings of a model file, or with the reason why it is refused."""
    yield_to_others()
    serve(lambda request, _report: Frame(_check(**request.message)), discard_prints=True)


def _check(path: str, kind: str | None, settings: dict[str, Any], classes: int) -> dict[str, Any]:
    from service.detection.onnx.check import check

    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_CHECK_BYTES, _CHECK_BYTES))
    try:
        checked = check(Path(path), None if kind is None else ModelKind(kind), settings, classes)
    except BadModel as bad:
        return {"error": bad.code, "kinds": bad.kinds, "counts": bad.counts}
    except MemoryError:
        return {"error": "dry_run_failed", "kinds": [], "counts": {}}
    return {"kind": checked.kind, "labels": checked.labels, "settings": checked.settings.model_dump()}
