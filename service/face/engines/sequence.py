"""Judges a sequence of frames with a face engine: finds the face, tracks it, decides, and compares its
identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from service.face.engines.engine import (
    DetectedFace,
    Embedding,
    FaceEngine,
    PictureAnalysis,
    analyse,
    coarse,
    embed_face,
    score,
)
from service.face.engines.picture import BadPicture, PictureFault, Pixels, decode, picture_bytes, read_header
from service.face.liveness.decision import REACTION_MS, decide, find_peak, measure_motion
from service.face.liveness.direction import measure_side, shows_side, turns_to_side
from service.face.liveness.movements import Evidence, Reason, Step, Verdict
from service.face.liveness.tracking import track
from shared.images.cv import cv2

# The first frames are looked at in turn until one shows a face: a camera's first frame may be dark.
FIRST_FRAMES = 3
# A camera's frame; many of them come at once.
MAX_FRAME_PIXELS = 1280 * 960
# For one comparison of two frames; rendered heads turned by 30 degrees keep half of the distance to it.
FALSE_MATCH_RATE = 1e-3
# Each so many frames of a turn are searched for its landmarks until one shows it.
LANDMARK_STEP = 2


@dataclass(frozen=True, slots=True, eq=False)
class SequenceAnalysis:
    """The verdict on a sequence, and what the engine saw in its first frame: the face that looks straight
    ahead.
    """

    verdict: Verdict
    first: PictureAnalysis


def film_frame(face_info: str) -> Pixels:
    """The upright frame in Base64 or a data URL, at most `MAX_FRAME_PIXELS` large. Raises BadPicture."""
    data = picture_bytes(face_info)
    header = read_header(data)
    if header.width * header.height > MAX_FRAME_PIXELS:
        raise BadPicture(PictureFault.TOO_MANY_PIXELS)
    return decode(data)


def judge(
    engine: FaceEngine,
    frames: Sequence[Pixels],
    times: Sequence[float],
    steps: Sequence[Step],
    earlier: Evidence | None = None,
) -> SequenceAnalysis:
    """Judge upright BGR uint8 `frames` of one size, filmed at `times` (ms since the first), by `steps`.

    `earlier` is what a film before this one showed that was in doubt.
    """
    nothing = PictureAnalysis(*frames[0].shape[1::-1]) if frames else PictureAnalysis(0, 0)
    if not frames or any(frame.shape != frames[0].shape for frame in frames):
        return SequenceAnalysis(Verdict(Reason.TOO_FEW_FRAMES, 0.0), nothing)
    skipped = 0
    first = analyse(engine, frames[0])
    while not first.faces and skipped + 1 < min(FIRST_FRAMES, len(frames)):
        skipped += 1
        first = analyse(engine, frames[skipped])
    if not first.faces or first.embedding is None:
        return SequenceAnalysis(Verdict(Reason.NO_FACE, 0.0), nothing)
    tracked = frames[skipped:]
    greys = [cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in tracked]
    tracks = track(greys, first.faces[0].eyes)
    motion = measure_motion(times[skipped:], tracks)
    verdict = decide(motion, steps, earlier)
    if verdict.reason in (Reason.LIVE, Reason.IN_DOUBT) and not all(
        _landmarks_show(engine, tracked, times[skipped:], step, first.faces[0])
        for step in steps
        if turns_to_side(step.movement)
    ):
        return SequenceAnalysis(Verdict(Reason.WRONG_MOVEMENT, 0.0), first)
    if verdict.reason in (Reason.LIVE, Reason.IN_DOUBT):
        keys = sorted({*(find_peak(motion, step) for step in steps), len(tracked) - 1})
        if not _shows_same_face(engine, first.embedding, [tracked[key] for key in keys], first.faces[0]):
            verdict = Verdict(Reason.OTHER_FACE, 0.0)
    return SequenceAnalysis(verdict, first)


def _landmarks_show(
    engine: FaceEngine, frames: Sequence[Pixels], times: Sequence[float], step: Step, face: DetectedFace
) -> bool:
    """Whether a frame in the time of `step` shows a face turned to its side as seen from `face`. The tracks
    alone take a turn to one side for a turn to the other on films of real people.
    """
    start = measure_side(face.eyes, face.nose)
    within = [
        frame
        for frame, at in zip(frames, times, strict=True)
        if step.from_ms + REACTION_MS <= at <= step.to_ms
    ]
    # From the end, where the turn is largest.
    for frame in within[::-LANDMARK_STEP]:
        found = coarse(engine, frame)
        if found and shows_side(step.movement, start, measure_side(found[0].eyes, found[0].nose)):
            return True
    return False


def _shows_same_face(
    engine: FaceEngine, embedding: Embedding, frames: Sequence[Pixels], face: DetectedFace
) -> bool:
    """Whether every frame that shows a face shows this one, and at least one does."""
    needed = engine.thresholds.at(FALSE_MATCH_RATE)
    middle = face.eyes.mean(axis=0)

    def rate_nearness(other: DetectedFace) -> float:
        return other.height - 2 * float(np.hypot(*(other.eyes.mean(axis=0) - middle)))

    others = [other for frame in frames if (other := embed_face(engine, frame, rate_nearness)) is not None]
    return bool(others) and all(score(embedding, other, engine.metric) >= needed for other in others)
