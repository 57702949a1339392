"""Describes a folder of InsightFace models (buffalo_l, antelopev2, a package of version 2) as a pack."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from service.face.engines.manifest import RESEARCH, W600K_MBF_THRESHOLDS, Pack

# What belongs to a package of version 2 beside its models (insightface.model_zoo.package_manifest).
COMPANIONS = ("manifest.json", "MODEL.LICENSE")
# A detector of InsightFace has at least this many outputs (its own rule, `ModelRouter`).
_DETECTOR_OUTPUTS = 5
_EMBEDDER_SIDE = 112


def described(folder: Path, name: str, files: dict[str, str]) -> Pack | None:
    """The pack that the models in `folder` make up; None unless there is one detector and one embedder.

    `files`: name -> SHA-256 of its models and of what else may belong to it. It counts as research only,
    whatever its licence: InsightFace's models are. Its thresholds are those measured for another model of the
    kind, to be calibrated.
    """
    from service.face.engines.open_engine import session

    detectors: list[str] = []
    embedders: dict[str, int] = {}
    for file in (each for each in files if each.endswith(".onnx")):
        try:
            model: Any = session(folder / file)
        except Exception:  # noqa: S112 - onnxruntime's errors have no common base; such a file is none of these
            continue
        sides, outputs = model.get_inputs()[0].shape[2:], model.get_outputs()
        if len(outputs) >= _DETECTOR_OUTPUTS:
            detectors.append(file)
        elif sides == [_EMBEDDER_SIDE] * 2 and len(outputs) == 1 and isinstance(outputs[0].shape[-1], int):
            embedders[file] = outputs[0].shape[-1]
    if len(detectors) != 1 or len(embedders) != 1:
        return None
    ((embedder, dimension),) = embedders.items()
    used = [detectors[0], embedder, *(each for each in COMPANIONS if each in files)]
    return Pack(
        name="insightface-" + (re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") or "pack")[:40],
        engine="insightface",
        licence="as its maker says; InsightFace's own models: non-commercial research",
        allows=f"{RESEARCH}; thresholds are another model's until they are calibrated",
        research_only=True,
        files={each: files[each] for each in used},
        detector=detectors[0],
        embedder=embedder,
        dimension=dimension,
        normalisation="unit",
        thresholds=W600K_MBF_THRESHOLDS,
    )
