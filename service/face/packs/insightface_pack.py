"""Describes a folder of InsightFace models (buffalo_l, antelopev2, a package of version 2) as a pack."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from service.face.engines.manifest import RESEARCH, W600K_MBF_THRESHOLDS, Pack

# The files of a package of version 2 in addition to its models (insightface.model_zoo.package_manifest).
COMPANIONS = ("manifest.json", "MODEL.LICENSE")
# A detector of InsightFace has at least this many outputs (its own rule, `ModelRouter`).
_DETECTOR_OUTPUTS = 5
_EMBEDDER_SIDE = 112


def describe_pack(folder: Path, name: str, files: dict[str, str]) -> Pack | None:
    """Return the pack of the models in `folder`; None unless there is one detector and one embedder.

    `files` maps names to the SHA-256 of its models and companion files. The pack counts as research only,
    because InsightFace's models are. Its thresholds were measured for another model of this kind and should
    be calibrated.
    """
    from service.face.engines.open_engine import session

    detectors: list[str] = []
    embedders: dict[str, int] = {}
    for file in (file_name for file_name in files if file_name.endswith(".onnx")):
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
    file_names = [detectors[0], embedder, *(file_name for file_name in COMPANIONS if file_name in files)]
    return Pack(
        name="insightface-" + (re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") or "pack")[:40],
        engine="insightface",
        licence="as its maker says; InsightFace's own models: non-commercial research",
        allows=f"{RESEARCH}; thresholds are another model's until they are calibrated",
        research_only=True,
        files={file_name: files[file_name] for file_name in file_names},
        detector=detectors[0],
        embedder=embedder,
        dimension=dimension,
        normalisation="unit",
        thresholds=W600K_MBF_THRESHOLDS,
    )
