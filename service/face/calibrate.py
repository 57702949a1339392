"""Computes figures about a threshold from the scores of comparisons."""

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


def summarize(scores: Scores) -> FaceScores:
    """Return the number and the distribution of the scores."""
    if not len(scores):
        return FaceScores(pairs=0)
    return FaceScores(
        pairs=len(scores),
        largest=float(scores.max()),
        percentile_99=float(np.percentile(scores, 99)),
        median=float(np.median(scores)),
        smallest=float(scores.min()),
    )


def calibration(info: EngineInfo, gallery: Gallery, strangers: Scores | None = None) -> FaceCalibration:
    """Compare the enrolled users with each other; `strangers` are scores of strangers against them."""
    stranger_scores, same_user_scores = gallery.pairs()
    if strangers is not None:
        stranger_scores = np.concatenate((stranger_scores, strangers))
    required_score = threshold(info.thresholds, len(gallery))
    false_matches = int((stranger_scores >= required_score).sum())
    return FaceCalibration(
        model=info.model_id,
        metric=info.metric.value,
        templates=len(gallery),
        users=len(gallery.users),
        threshold=required_score,
        strangers=summarize(stranger_scores),
        same_user=summarize(same_user_scores),
        false_matches=false_matches,
        false_match_bound=rate_bound(false_matches, len(stranger_scores)),
    )


def compare_with_strangers(
    info: EngineInfo, gallery: Gallery, pictures: int, embeddings: Sequence[Embedding]
) -> StrangerScores:
    """Compare the faces of strangers (`embeddings`) with every enrolled template."""
    required_score = threshold(info.thresholds, len(gallery))
    scores = np.concatenate(
        [np.empty(0, np.float32), *(gallery.scores(embedding) for embedding in embeddings)]
    )
    return StrangerScores(
        pictures=pictures,
        faces=len(embeddings),
        comparisons=len(scores),
        false_matches=int((scores >= required_score).sum()),
        largest=float(scores.max()) if len(scores) else None,
        threshold=required_score,
    )
