"""Names the movements that a challenge asks for, when, and what a sequence of frames turned out to be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Movement(StrEnum):
    """A movement of the head, as the person sees it: left is their own left, the right of an unmirrored
    frame.
    """

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    CLOSER = "closer"


@dataclass(frozen=True, slots=True)
class Step:
    """One movement, asked for from `from_ms` and expected until `to_ms`, in ms since the first frame."""

    movement: Movement
    from_ms: int
    to_ms: int


class Reason(StrEnum):
    """Why a sequence does not show a living person who follows; LIVE when it does."""

    LIVE = "live"
    NO_FACE = "no_face"
    TOO_FEW_FRAMES = "too_few_frames"
    NOT_STEADY = "not_steady"
    """The movement had begun before it was asked for."""
    NOT_MADE = "not_made"
    FACE_LOST = "face_lost"
    """Frames of a movement show no face, because it turned too far or too fast for the engine."""
    WRONG_MOVEMENT = "wrong_movement"
    CUT = "cut"
    STILL = "still"
    """Nothing moved in the face while it waited: a picture, or a morph of several."""
    OTHER_FACE = "other_face"
