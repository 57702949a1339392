"""Decides whether one head made the movements that were asked for, in time.

Timing, order and continuity are conditions, and each of them alone refuses a film. Whether the film shows a
solid head is weighed over all its turns together (`evidence.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.evidence import combine_reliefs, weigh_arc, weigh_relief
from service.face.liveness.movements import Movement, Reason, Step, Verdict
from service.face.liveness.relief import Relief
from service.face.liveness.rigidity import measure_lost_detail, measure_sway
from service.face.liveness.tracking import Tracks
from service.face.liveness.turns import WELL_FOUND, measure_turn

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]

# The sine of a turn that counts in one frame, by a nose of average height: some 6 degrees.
TURN = 0.1
# No head that is asked to turn a little narrows by so much: a turn by 53 degrees.
TOO_NARROW = 0.4
# A head that comes closer grows by a seventh.
CLOSER = 0.15
# How many standard errors a turn needs in one frame.
CERTAIN = 1.5
# No one reacts sooner than this after an instruction appears (simple visual reactions take 180 to 250 ms).
REACTION_MS = 120
FEWEST_FRAMES = 12
LONGEST_GAP_MS = 350
# A frame with fewer of the points is lost, and a film with more lost frames than this.
FEWEST_FOUND = 0.45
MOST_LOST = 0.6
# A movement that is this far at its beginning had begun before. An earlier movement may leave more of it,
# because no one turns about one axis alone: then `RISE` has to come on top.
BEGUN = 0.8
BEGUN_LATER = 1.5
RISE = 0.6
# Frames in a row that show the movement.
HELD = 2
# Between two frames no nose jumps further than this, per 100 ms (about 200 degrees a second).
JUMP_PER_100_MS = 0.6
SHIFT_PER_100_MS = 0.9
# A movement is on its way between these parts of it, and some frame shows it there. A cut has none, but the
# first frame after it is tracked only in part.
ON_THE_WAY = (0.15, 0.75)
FOUND_ON_THE_WAY = 0.5
# What the turns have to show, each alone and all together (`evidence.py`).
RELIEF_OF_ONE = 0.8
RELIEF = 1.6
ARC_OF_ONE = -2.5
ARC = 0.0
# How long before a later step its turn is measured from, ms.
_BEFORE_MS = 450
# A turn is held while it is more than this part of its largest.
_HELD_PART = 0.5
# What is left when one smooth motion of a surface is subtracted, in distances of the eyes: more says that
# something moved in depth.
_SURFACE_MOVED = 0.012


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """How the head moved: `times` ms (frames,), the tracks, and the relief."""

    times: Values
    tracks: Tracks
    relief: Relief

    def signal(self, movement: Movement) -> Values:
        """How far each frame shows `movement`, in parts of what counts."""
        if movement is Movement.CLOSER:
            return np.asarray((self.tracks.scale - 1) / CLOSER)
        return np.asarray(self.relief.turn @ _direction(movement) / TURN)

    def narrowing(self, movement: Movement) -> Values:
        """How much narrower the face is by a turn of `movement`, or lower by looking up."""
        return np.asarray(self.relief.narrowing * (-1 if movement is Movement.UP else 1))

    def is_certain(self, movement: Movement) -> Flags:
        """In which frames the signal is larger than its own error."""
        found = self.tracks.found_share >= FEWEST_FOUND
        if movement is Movement.CLOSER:
            return np.asarray(found)
        axis = 1 if movement is Movement.UP else 0
        with np.errstate(invalid="ignore"):
            larger = np.abs(self.relief.turn[:, axis]) > CERTAIN * self.relief.error[:, axis]
        return np.asarray(found & larger & (self.narrowing(movement) < TOO_NARROW))


def decide(motion: Motion, steps: Sequence[Step]) -> Verdict:
    """Decide whether `motion` is a head that makes the movements of `steps` when it is asked to.

    Steps follow each other in time; the first frame is at 0 ms, and frames reach to the end of the last step
    or until its movement is made.
    """
    times = motion.times
    if len(times) < FEWEST_FRAMES or np.diff(times).max() > LONGEST_GAP_MS:
        return Verdict(Reason.TOO_FEW_FRAMES, 0.0)
    if not _is_one_take(motion):
        return Verdict(Reason.CUT, 0.0)
    for index, step in enumerate(steps):
        fault = _find_fault(motion, step, is_first=index == 0)
        if fault is not None:
            return Verdict(fault, 0.0)
    return _weigh_turns(motion, steps)


def find_peak(motion: Motion, step: Step) -> int:
    """The frame in which the movement of `step` is largest."""
    signal = np.where(_is_within(motion.times, step), motion.signal(step.movement), -np.inf)
    return int(np.nanargmax(signal)) if np.isfinite(signal).any() else 0


def _direction(movement: Movement) -> Values:
    """Which way (2,) the sine of yaw and pitch goes."""
    return np.array({Movement.LEFT: (1.0, 0.0), Movement.RIGHT: (-1.0, 0.0)}.get(movement, (0.0, -1.0)))


def _is_one_take(motion: Motion) -> bool:
    """Whether no two frames that are tracked well are too far apart, and enough frames are."""
    tracks, known = motion.tracks, np.flatnonzero(motion.tracks.found_share >= FEWEST_FOUND)
    if len(known) < (1 - MOST_LOST) * len(tracks.shift):
        return False
    intervals = np.maximum(np.diff(motion.times[known]) / 100, 0.4)
    # Far turned and blurred frames leave the turn uncertain.
    turn, error = motion.relief.turn[known], motion.relief.error[known]
    leap = np.abs(np.diff(turn, axis=0)) - CERTAIN * (error[1:] + error[:-1])
    jump = leap.max(axis=1) / intervals
    shift = np.hypot(*np.diff(tracks.shift[known], axis=0).T) / intervals
    return bool(np.nanmax(jump, initial=0) <= JUMP_PER_100_MS and shift.max(initial=0) <= SHIFT_PER_100_MS)


def _is_within(times: Values, step: Step) -> Flags:
    return np.asarray((times >= step.from_ms + REACTION_MS) & (times <= step.to_ms))


def _find_fault(motion: Motion, step: Step, *, is_first: bool) -> Reason | None:
    """Why the movement of `step` was not made in its time and in one take; None if it was."""
    times, signal = motion.times, motion.signal(step.movement)
    within = _is_within(times, step)
    before = times <= step.from_ms + REACTION_MS
    if not within.any() or not before.any():
        return Reason.TOO_FEW_FRAMES
    known_before = np.flatnonzero(before & (motion.tracks.found_share >= FEWEST_FOUND))[-3:]
    recent, error = signal[known_before], _median_error(motion, known_before)
    start = float(np.nanmedian(recent)) if np.isfinite(recent).any() else 0.0
    if step.movement is Movement.CLOSER:
        # A head that has just looked up is a little smaller.
        signal = signal - start
        start = 0.0
    elif start - error > (BEGUN if is_first else BEGUN_LATER):
        return Reason.NOT_STEADY
    needed = max(1.0, start + RISE)
    certain = motion.is_certain(step.movement)
    with np.errstate(invalid="ignore"):
        reached_frames = within & (signal >= needed) & certain
        # A head that has just looked to one side starts from there.
        opposite = _opposite_signal(motion, step.movement)
        opposite_before = float(np.nanmax(opposite[before][-3:], initial=0.0))
        wrong = within & certain & (opposite > max(1.4, 1.3 * opposite_before + 0.8))
    if _longest_run(reached_frames) < HELD:
        return _explain_miss(motion, within, wrong)
    reached = int(np.flatnonzero(reached_frames)[0])
    numbers = np.arange(len(times))
    if (wrong & (numbers < reached)).sum() >= HELD:
        return Reason.WRONG_MOVEMENT
    top = float(np.nanmax(signal[reached_frames]))
    part = (signal - start) / max(top - start, 1e-6)
    with np.errstate(invalid="ignore"):
        on_the_way = within & (part > ON_THE_WAY[0]) & (part < ON_THE_WAY[1])
    on_the_way &= motion.tracks.found_share >= FOUND_ON_THE_WAY
    # After most of the turn the signal only scatters.
    on_the_way &= numbers < np.flatnonzero(reached_frames & (part >= ON_THE_WAY[1]))[0]
    return None if on_the_way.any() else Reason.CUT


def _median_error(motion: Motion, frames: NDArray[np.intp]) -> float:
    """The usual error of the signal of a turn in `frames`."""
    errors = CERTAIN * motion.relief.error[frames].max(axis=1, initial=0.0) / TURN
    return float(np.nanmedian(errors)) if np.isfinite(errors).any() else 0.0


def _weigh_turns(motion: Motion, steps: Sequence[Step]) -> Verdict:
    """Whether the turns of `steps` together show a solid head."""
    reliefs, arcs = [], []
    for index, step in enumerate(steps):
        if step.movement is Movement.CLOSER:
            continue
        resting = motion.times <= steps[0].from_ms + REACTION_MS
        frames = motion.times <= step.to_ms if index == 0 else _pose_frames(motion, step, resting)
        # A turn that is held only where few points are found has its conditions alone.
        is_held = bool((frames & ~resting).any())
        pose = measure_turn(motion.tracks, motion.relief, frames, resting) if is_held else None
        if pose is not None:
            reliefs.append(weigh_relief(pose, float(pose.sine @ _direction(step.movement))))
        arc = _weigh_arc_of(motion, step, is_first=index == 0)
        if arc is not None:
            arcs.append(arc)
    if all(step.movement is Movement.CLOSER for step in steps):
        return Verdict(Reason.LIVE, 0.5)
    if not reliefs or not arcs or min(reliefs) < RELIEF_OF_ONE or combine_reliefs(reliefs) < RELIEF:
        return Verdict(Reason.FLAT, 0.0)
    if min(arcs) < ARC_OF_ONE or sum(arcs) < ARC:
        return Verdict(Reason.MORPH, 0.3)
    return Verdict(Reason.LIVE, float(np.clip(combine_reliefs(reliefs) / (4 * RELIEF), 0.5, 1)))


def _pose_frames(motion: Motion, step: Step, resting: Flags) -> Flags:
    """The frames that are `resting` at the beginning, and those in which the turn of `step` is held."""
    within = _is_within(motion.times, step)
    certain = motion.is_certain(step.movement) & (motion.tracks.found_share >= WELL_FOUND)
    signal = np.where(within & certain, motion.signal(step.movement), -np.inf)
    return np.asarray(resting | (signal > _HELD_PART * signal.max()))


def _weigh_arc_of(motion: Motion, step: Step, *, is_first: bool) -> float | None:
    """The evidence of the arc of `step`, from shortly before it to its end; None if it cannot be measured."""
    times = motion.times
    frames = (times <= step.to_ms) & (is_first | (times >= step.from_ms - _BEFORE_MS))
    turn = measure_turn(motion.tracks, motion.relief, frames, times <= step.from_ms + REACTION_MS)
    if turn is None:
        return None
    last = int(turn.course.argmax()) + 1
    detail = measure_lost_detail(motion.tracks, turn.frames[:last], np.clip(turn.course[:last], 0, 1))
    return weigh_arc(turn, lost_detail=detail, sway=measure_sway(motion.tracks, times <= step.from_ms))


def _opposite_signal(motion: Motion, movement: Movement) -> Values:
    if movement in (Movement.LEFT, Movement.RIGHT):
        return -motion.signal(movement)
    return np.full(len(motion.times), -np.inf)


def _explain_miss(motion: Motion, within: Flags, wrong: Flags) -> Reason:
    """Why the movement of a step was not seen: another one, a flat picture that moved, or nothing."""
    if wrong.sum() >= HELD:
        return Reason.WRONG_MOVEMENT
    tracks = motion.tracks
    known = within & np.isfinite(tracks.positions[:, :, 0]).any(axis=1)
    bent = np.sqrt(np.nanmean((tracks.positions[known] - tracks.points) ** 2, axis=(1, 2)))
    return Reason.FLAT if np.max(bent, initial=0.0) > _SURFACE_MOVED else Reason.NOT_MADE


def _longest_run(flags: Flags) -> int:
    """The most True in a row."""
    longest = run = 0
    for value in flags:
        run = run + 1 if value else 0
        longest = max(longest, run)
    return longest
