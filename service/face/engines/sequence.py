"""Judges a sequence of frames with a face engine: finds the face, tracks it, decides, and compares its
identity.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from service.face.engines.analysis import analyse, coarse
from service.face.engines.engine import DetectedFace, FaceEngine, PictureAnalysis, SequenceAnalysis, score
from service.face.engines.picture import BadPicture, PictureFault, Pixels, decode, picture_bytes, read_header
from service.face.liveness.decision import REACTION_MS, decide, find_reached
from service.face.liveness.film import SIDE, Film, find_sharpest, straighten
from service.face.liveness.mesh import direction_of, eyes_of, load_mesh
from service.face.liveness.movements import Reason, Step
from shared.images.cv import cv2

# A camera's frame; many of them come at once.
MAX_FRAME_PIXELS = 1280 * 960
# In so many frames a face is looked for before the first movement, and recognised again in a movement.
TRIES = 3
# The part of a movement from which on the face is recognised again.
RECOGNISED_AT = 0.4
# For one comparison of two frames.
FALSE_MATCH_RATE = 1e-3
# A face is looked for in a square of so many of its heights around its last place, reduced to this side, px:
# the detectors find it in 15 to 26 ms there, with landmarks as good as in the whole frame.
NEAR, NEAR_SIDE = 2.5, 400


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
) -> SequenceAnalysis:
    """Judge upright BGR uint8 `frames` of one size, filmed at `times` (ms since the first), by `steps`.

    Raises MeshMissingError.
    """
    nothing = PictureAnalysis(*frames[0].shape[1::-1]) if frames else PictureAnalysis(0, 0)
    if not frames or any(frame.shape != frames[0].shape for frame in frames):
        return SequenceAnalysis(Reason.TOO_FEW_FRAMES, nothing)
    asked_ms = steps[0].from_ms + REACTION_MS
    # A camera's first frames may be dark, and a person may look down at first.
    waiting = [frame for frame, at in zip(frames, times, strict=True) if at <= asked_ms]
    faces = next((found for frame in waiting[: -TRIES - 1 : -1] if (found := coarse(engine, frame))), [])
    if not faces:
        return SequenceAnalysis(Reason.NO_FACE, nothing)
    film = look(engine, frames, times, faces[0], asked_ms)
    if not film.found.any():
        return SequenceAnalysis(Reason.NO_FACE, nothing)
    near = functools.partial(_rate_nearness, faces[0])
    first = analyse(engine, frames[find_sharpest(film, film.waiting)], near)
    reason = decide(film, steps)
    if reason is not Reason.LIVE:
        return SequenceAnalysis(reason, first)
    # A face on its way is easier to recognise than one that has turned, and one take shows both.
    turned = [
        _recognise(engine, [frames[index] for index in find_reached(film, step, RECOGNISED_AT)[:TRIES]], near)
        for step in steps
    ]
    if not _shows_same_face(engine, first, turned):
        return SequenceAnalysis(Reason.OTHER_FACE, first)
    return SequenceAnalysis(reason, replace(first, liveness=_find_liveness([first, *turned])))


def look(
    engine: FaceEngine,
    frames: Sequence[Pixels],
    times: Sequence[float],
    face: DetectedFace,
    asked_ms: float = 0.0,
) -> Film:
    """Find `face`, which some of `frames` show, in all of them. Raises MeshMissingError.

    asked_ms: when the first movement is asked for.
    """
    mesh = load_mesh()
    eyes = np.full((len(frames), 2, 2), np.nan)
    directions = np.full((len(frames), 2), np.nan)
    crops = np.zeros((len(frames), SIDE, SIDE), np.uint8)
    points = None
    for index, frame in enumerate(frames):
        points = None if points is None else mesh.follow(frame, points)
        if points is None and (found := _find_near(engine, frame, face)) is not None:
            points = mesh.find(frame, found.eyes.astype(np.float64))
        if points is not None:
            eyes[index], directions[index] = eyes_of(points), direction_of(points)
            crops[index] = straighten(frame, eyes[index])
    return Film(np.asarray(times, float), eyes, directions, crops, asked_ms)


def _find_near(engine: FaceEngine, frame: Pixels, face: DetectedFace) -> DetectedFace | None:
    """Find `face` in another `frame`, near where it was: in a small picture, because a film has many."""
    height, width = frame.shape[:2]
    half = NEAR * face.height / 2
    x, y = (face.box[0] + face.box[2]) / 2, (face.box[1] + face.box[3]) / 2
    x0, y0 = max(round(x - half), 0), max(round(y - half), 0)
    crop = frame[y0 : min(round(y + half), height), x0 : min(round(x + half), width)]
    if not crop.size:
        return None
    scale = NEAR_SIDE / max(crop.shape[:2])
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=interpolation)
    found = max(engine.find(small), key=lambda each: each.height, default=None)
    return None if found is None else found.moved(1 / scale, x0, y0)


def _recognise(
    engine: FaceEngine, frames: Sequence[Pixels], rate: Callable[[DetectedFace], float]
) -> PictureAnalysis:
    """The first of `frames` in which the engine recognises a face; the last one if there is none."""
    for frame in frames:
        seen = analyse(engine, frame, rate)
        if seen.embedding is not None:
            break
    return seen


def _rate_nearness(face: DetectedFace, other: DetectedFace) -> float:
    middle = face.eyes.mean(axis=0)
    return other.height - 2 * float(np.hypot(*(other.eyes.mean(axis=0) - middle)))


def _shows_same_face(engine: FaceEngine, first: PictureAnalysis, turned: Sequence[PictureAnalysis]) -> bool:
    """Whether all of `turned` that show a face show that of `first`, and at least one does."""
    needed = engine.thresholds.at(FALSE_MATCH_RATE)
    others = [each.embedding for each in turned if each.embedding is not None]
    if first.embedding is None or not others:
        return False
    return all(score(first.embedding, other, engine.metric) >= needed for other in others)


def _find_liveness(seen: Sequence[PictureAnalysis]) -> float | None:
    """The median of the liveness in frames of one person, because single ones are blurred; None without a
    model.
    """
    rates = [each.liveness for each in seen if each.liveness is not None]
    return float(np.median(rates)) if rates else None
