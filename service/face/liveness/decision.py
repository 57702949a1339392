"""Decides whether one head made the movements that were asked for, in time (ADR 0057)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.film import AHEAD, Film, Values, is_one_take, measure_life, measure_turns
from service.face.liveness.movements import Movement, Reason, Step

Flags = NDArray[np.bool_]
Frames = NDArray[np.intp]

# No one reacts sooner than this after an instruction appears (simple visual reactions take 180 to 250 ms).
REACTION_MS: Final = 120
# The desktop films twelve frames a second; at five, a turn of half a second has a frame on its way.
FEWEST_FRAMES: Final = 12
LONGEST_GAP_MS: Final = 350
# How much a face changes in 0.7 s that is not a still picture (`measure_life`): stills with noise reach 1.3,
# and the least of 104 films of people is 3.
LIFE: Final = 1.9
# The sine of the smallest turn, 17 degrees. People who look ahead sway by 0.05, a flat or bent print seems to
# turn by up to 0.28 however it is held, and people who are asked to turn reach 0.3 to 0.7.
TURN: Final = 0.3
# A head that comes closer grows by a seventh.
CLOSER: Final = 0.15
# The cosine of 45 degrees between a turn and the requested direction: the nearest direction counts.
DIRECT: Final = 0.7
# A movement is on its way between these parts of its largest.
ON_THE_WAY: Final = (0.2, 0.8)

_DIRECTIONS = {Movement.LEFT: (1.0, 0.0), Movement.RIGHT: (-1.0, 0.0), Movement.UP: (0.0, 1.0)}


def decide(film: Film, steps: Sequence[Step]) -> Reason:
    """Decide whether `film` is a head that makes the movements of `steps` when it is asked to.

    Steps follow each other in time; the first frame is at 0 ms, and frames reach to the end of the last step
    or until its movement is made.
    """
    if len(film.times) < FEWEST_FRAMES or np.diff(film.times).max() > LONGEST_GAP_MS:
        return Reason.TOO_FEW_FRAMES
    for previous, step in zip((None, *steps), steps, strict=False):
        fault = _find_fault(film, step, previous)
        if fault is not None:
            return fault
    return Reason.LIVE if measure_life(film) >= LIFE else Reason.STILL


def find_reached(film: Film, step: Step, part: float = 1.0) -> Frames:
    """The frames in the time of `step` that show its movement, or at least `part` of it."""
    return np.flatnonzero(_is_within(film, step) & (_measure(film, step.movement) >= part))


def _measure(film: Film, movement: Movement) -> Values:
    """How far each frame shows `movement` (n,), in parts of what counts; 0 without a face."""
    if movement is Movement.CLOSER:
        apart = np.hypot(*(film.eyes[:, 1] - film.eyes[:, 0]).T)
        values = (apart / np.median(apart[film.ahead]) - 1) / CLOSER
    else:
        values = measure_turns(film) @ _DIRECTIONS[movement] / TURN
    return np.asarray(np.nan_to_num(values))


def _is_within(film: Film, step: Step) -> Flags:
    return film.found & (film.times >= step.from_ms + REACTION_MS) & (film.times <= step.to_ms)


def _find_fault(film: Film, step: Step, previous: Step | None) -> Reason | None:
    """Why the movement of `step` was not made in its time and in one take; None if it was."""
    before = np.flatnonzero(film.found & (film.times <= step.from_ms + REACTION_MS))
    if not len(before):
        return Reason.NO_FACE
    values = _measure(film, step.movement)
    if np.median(values[before[-AHEAD:]]) >= 1:
        return Reason.NOT_STEADY
    reached = find_reached(film, step)
    found = film.found[(film.times >= step.from_ms) & (film.times <= step.to_ms)]
    if not len(reached) and np.sum(found) <= np.sum(~found):
        return Reason.FACE_LOST
    if step.movement is not Movement.CLOSER and not _is_direct(film, step, previous):
        return Reason.WRONG_MOVEMENT
    if not len(reached):
        return Reason.NOT_MADE
    return _find_cut(film, values / values[reached].max(), reached)


def _is_direct(film: Film, step: Step, previous: Step | None) -> bool:
    """Whether the largest turn in the time of `step`, if there is one, goes mainly in its direction.

    Frames in which the person has not yet left the `previous` movement do not count.
    """
    is_within = _is_within(film, step)
    if previous is not None:
        is_within &= np.logical_or.accumulate(is_within & (_measure(film, previous.movement) < 1))
    turns = measure_turns(film)[is_within]
    sizes = np.hypot(*turns.T)
    if sizes.max(initial=0) < TURN:
        return True
    turn = np.median(turns[np.argsort(-sizes)[: max(len(sizes) // 3, 1)]], axis=0)
    return bool(turn @ _DIRECTIONS[step.movement] >= DIRECT * np.hypot(*turn))


def _find_cut(film: Film, parts: Values, reached: Frames) -> Reason | None:
    """Why the frames until a movement is `reached` are not one take; `parts` of it each frame shows (n,)."""
    start = _find_start(film, parts, reached)
    if start is None:
        return Reason.NOT_STEADY
    until = int(reached[0]) + 1
    frames = [index for index in range(start, until) if film.found[index]]
    way = parts[start + 1 : start + 1 + int(np.argmax(parts[start + 1 :] >= ON_THE_WAY[1]))]
    on_the_way = (way > ON_THE_WAY[0]) & (way < ON_THE_WAY[1])
    if on_the_way.any() and is_one_take(film, frames):
        return None
    return Reason.CUT if len(frames) == until - start else Reason.FACE_LOST


def _find_start(film: Film, parts: Values, reached: Frames) -> int | None:
    """The last frame before `reached` that does not show the movement yet; None without one."""
    earlier = np.flatnonzero(film.found[: reached[0]] & (parts[: reached[0]] <= ON_THE_WAY[0]))
    return int(earlier[-1]) if len(earlier) else None
