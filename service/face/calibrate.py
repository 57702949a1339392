"""Summarizes what a set of comparisons says about a threshold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from service.face.engines.engine import Embedding, EngineInfo
from service.face.rules import threshold
from service.face.templates.gallery import Gallery
from shared.rates import rate_bound
from shared.wire.face import FaceCalibration, FaceScores, StrangerScores

Scores = NDArray[np.float32]


def summary(scores: Scores) -> FaceScores:
    """How many scores, and where they lie."""
    if not len(scores):
        return FaceScores(pairs=0)
    return FaceScores(
        pairs=len(scores),
        largest=float(scores.max()),
        percentile_99=float(np.percentile(scores, 99)),
        median=float(np.median(scores)),
        smallest=float(scores.min()),
    )


def calibration(about: EngineInfo, gallery: Gallery, strangers: Scores | None = None) -> FaceCalibration:
    """The enrolled users against each other, and with `strangers` (further scores of strangers against the
    enrolled) against those.
    """
    between, within = gallery.pairs()
    if strangers is not None:
        between = np.concatenate((between, strangers))
    needed = threshold(about.thresholds, len(gallery))
    false_matches = int((between >= needed).sum())
    return FaceCalibration(
        model=about.model_id,
        metric=about.metric.value,
        templates=len(gallery),
        users=len(gallery.users),
        threshold=needed,
        strangers=summary(between),
        same_user=summary(within),
        false_matches=false_matches,
        false_match_bound=rate_bound(false_matches, len(between)),
    )


def strangers_against(
    about: EngineInfo, gallery: Gallery, pictures: int, embeddings: Sequence[Embedding]
) -> StrangerScores:
    """The faces of strangers (`embeddings`), compared with every enrolled template."""
    needed = threshold(about.thresholds, len(gallery))
    scores = np.concatenate([np.empty(0, np.float32), *(gallery.scores(each) for each in embeddings)])
    return StrangerScores(
        pictures=pictures,
        faces=len(embeddings),
        comparisons=len(scores),
        false_matches=int((scores >= needed).sum()),
        largest=float(scores.max()) if len(scores) else None,
        threshold=needed,
    )
