"""Decides whether one head made the movements that were asked for, in time.

Timing, order and continuity are conditions, and each of them alone refuses a film. Whether the film shows a
solid head is weighed over all its turns together (`evidence.py`). If that leaves a doubt, a second film of
one more movement decides (ADR 0074): Wald's sequential test of two hypotheses, stopped after two films.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.evidence import MAX_ARC, combine_reliefs, weigh_arc, weigh_relief, weigh_unrest
from service.face.liveness.movements import Evidence, Movement, Reason, Step, Verdict
from service.face.liveness.parallax import measure_between
from service.face.liveness.path import Path, measure_path
from service.face.liveness.tracking import Tracks, measure_sway
from service.face.liveness.turns import Turn, measure_turn
from service.face.liveness.unrest import measure_unrest

Values = NDArray[np.float64]
Flags = NDArray[np.bool_]

# The sine of a turn that counts in one frame, by a nose of average height: some 5 degrees.
TURN = 0.08
# A head that comes closer grows by a seventh.
CLOSER = 0.15
# How many standard errors a turn needs in one frame, and how many a jump between two frames: the evidence of
# the relief weighs the error again.
CERTAIN = 0.75
CERTAIN_JUMP = 1.5
# No one reacts sooner than this after an instruction appears (simple visual reactions take 180 to 250 ms).
REACTION_MS = 120
FEWEST_FRAMES = 12
LONGEST_GAP_MS = 350
# A frame with fewer of the points is lost, and a film with more lost frames than this.
FEWEST_FOUND = 0.3
MAX_LOST = 0.6
# A movement starts from here at least, in parts of what counts: the pose drifts a little in the first frames.
MIN_START = -0.5
# A movement that is this far at its beginning had begun before. An earlier movement may leave more of it,
# because no one turns about one axis alone: then `RISE` has to come on top.
BEGUN = 0.8
BEGUN_LATER = 1.5
RISE = 0.6
# The cosine between a turn and the requested direction (66 degrees), and for what parallax alone shows of the
# turn (70 degrees): a screen that is tilted does not change it.
MIN_DIRECT = 0.4
MIN_DIRECT_IN_DEPTH = 0.35
# Frames in a row that show the movement.
HELD = 2
# Between two frames no nose jumps further than this, per 100 ms: 300 degrees a second, if the turn is
# measured half too large.
JUMP_PER_100_MS = 0.72
SHIFT_PER_100_MS = 0.9
# A movement is on its way between these parts of it, and some frame shows it there, or two in a row that are
# tracked in part. A cut has none, but the first frame after it is tracked only in part.
ON_THE_WAY = (0.15, 0.75)
FOUND_ON_THE_WAY = 0.5
# What the turns have to show, each alone and all together (`evidence.py`).
RELIEF_OF_ONE = 0.3
RELIEF = 1.5
# The ratio that is enough after one film, and after a second one.
RATIO = 1.15
LAST_RATIO = -0.6
# A film that lacks more than the true arc of one more turn is not in doubt.
DOUBTFUL_RATIO = LAST_RATIO - MAX_ARC
# How long before a later step its turn is measured from, ms.
_BEFORE_MS = 450
# Frames that show fewer of the points are less certain: what is still found there is often wrong.
_WELL_FOUND = 0.6
# So many of the first frames, and of those that hold a turn, show its direction, by so many points at least.
_COMPARED = 4
_FEWEST_POINTS = 40
# A turn is held while it is more than this part of its largest.
_HELD_PART = 0.5
# What is left when one smooth motion of a surface is subtracted, in distances of the eyes: more says that
# something moved in depth.
_SURFACE_MOVED = 0.012


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """How the head moved: `times` ms (frames,), the tracks, and the path of its turn."""

    times: Values
    tracks: Tracks
    path: Path

    def signal(self, movement: Movement) -> Values:
        """How far each frame shows `movement`, in parts of what counts."""
        if movement is Movement.CLOSER:
            return np.asarray((self.tracks.scale - 1) / CLOSER)
        return np.asarray(self.path.turn @ _direction(movement) / TURN)

    def is_certain(self, movement: Movement) -> Flags:
        """In which frames the signal is larger than its own error."""
        found = self.tracks.found_share >= FEWEST_FOUND
        if movement is Movement.CLOSER:
            return np.asarray(found)
        axis = 1 if movement is Movement.UP else 0
        larger = np.abs(self.path.turn[:, axis]) > CERTAIN * self.path.error[:, axis]
        return np.asarray(found & larger)


def measure_motion(times: Sequence[float], tracks: Tracks) -> Motion:
    """Measure how the head in `tracks` moved; `times` are ms since the first frame."""
    path = measure_path(tracks)
    if not np.isfinite(path.depths).any():
        # No solid body is found with the points of key frames.
        path = measure_path(tracks.direct)
    return Motion(np.asarray(times, float), tracks, path)


def decide(motion: Motion, steps: Sequence[Step], earlier: Evidence | None = None) -> Verdict:
    """Decide whether `motion` is a head that makes the movements of `steps` when it is asked to.

    Steps follow each other in time; the first frame is at 0 ms, and frames reach to the end of the last step
    or until its movement is made. `earlier` is the evidence of a film that was in doubt; with it, this film
    decides.
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
    return _weigh_turns(motion, steps, earlier)


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
    if len(known) < (1 - MAX_LOST) * len(tracks.shift):
        return False
    intervals = np.maximum(np.diff(motion.times[known]) / 100, 0.4)
    # Far turned and blurred frames leave the turn uncertain.
    turn, error = motion.path.turn[known], motion.path.error[known]
    leap = np.abs(np.diff(turn, axis=0)) - CERTAIN_JUMP * (error[1:] + error[:-1])
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
    start = float(np.median(recent)) if len(recent) else 0.0
    if step.movement is Movement.CLOSER:
        # A head that has just looked up is a little smaller.
        signal = signal - start
        start = 0.0
    else:
        # A far turned head leaves its pose uncertain.
        start = max(start - error, min(start, 0.0))
        if is_first:
            if start > BEGUN:
                return Reason.NOT_STEADY
        elif start > BEGUN_LATER and _measure_begun(motion, step, known_before) > BEGUN_LATER:
            return Reason.NOT_STEADY
    needed = max(1.0, start + RISE) if start >= 0 else 1.0 + max(start, MIN_START)
    certain = motion.is_certain(step.movement)
    reached_frames = within & (signal >= needed) & certain
    # A head that has just looked to one side starts from there.
    opposite = _opposite_signal(motion, step.movement)
    opposite_before = float(np.max(opposite[before], initial=0.0))
    wrong = within & certain & (opposite > 1.5 * opposite_before + 1.5)
    if _longest_run(reached_frames) < HELD:
        return _explain_miss(motion, within, wrong)
    reached = int(np.flatnonzero(reached_frames)[0])
    numbers = np.arange(len(times))
    if (wrong & (numbers < reached)).sum() >= HELD:
        return Reason.WRONG_MOVEMENT
    if not _is_direct(motion, step):
        return Reason.WRONG_MOVEMENT
    part = _measure_progress(motion, step, known_before, reached_frames)
    on_the_way = within & (part > ON_THE_WAY[0]) & (part < ON_THE_WAY[1])
    # After most of the turn the signal only scatters.
    on_the_way &= numbers < np.flatnonzero(reached_frames & (part >= ON_THE_WAY[1]))[0]
    share = motion.tracks.found_share
    if (on_the_way & (share >= FOUND_ON_THE_WAY)).any():
        return None
    return None if _longest_run(on_the_way & (share >= FEWEST_FOUND)) >= HELD else Reason.CUT


def _is_direct(motion: Motion, step: Step) -> bool:
    """Whether a turn is mainly in the direction of `step`: a turn to a side raises the head a little, and a
    screen in a hand can be tilted in this direction while it shows another movement.
    """
    if step.movement is Movement.CLOSER:
        return True
    held, direction = _find_held(motion, step), _direction(step.movement)
    pose = np.median(motion.path.turn[held], axis=0)
    turn = _measure_turn_in_depth(motion, held)
    return bool(
        pose @ direction >= MIN_DIRECT * np.hypot(*pose)
        and turn is not None
        and turn @ direction >= MIN_DIRECT_IN_DEPTH * np.hypot(*turn)
    )


def _measure_begun(motion: Motion, step: Step, frames: NDArray[np.intp]) -> float:
    """How far `frames` show the movement of `step` by parallax alone, in parts of what counts. Infinity if
    too few points are tracked: a pose that is turned far to one side can be wrong about the other axis.
    """
    flags = np.zeros(len(motion.times), bool)
    flags[frames] = True
    turn = _measure_turn_in_depth(motion, flags)
    return float(np.inf if turn is None else turn @ _direction(step.movement) / TURN)


def _measure_turn_in_depth(motion: Motion, held: Flags) -> Values | None:
    """The turn (2,) from the first frames to the frames `held` by parallax alone. None if too few points are
    tracked in both.
    """
    tracks, depths = motion.tracks, motion.path.depths
    found = (np.isfinite(tracks.positions[:, :, 0]) & np.isfinite(depths)).sum(axis=1)
    first = np.flatnonzero(tracks.found_share >= FEWEST_FOUND)[:_COMPARED]
    # The frames that show the most points of the turned head.
    last = np.flatnonzero(held)[np.argsort(-found[held], kind="stable")[:_COMPARED]]
    measured = (
        measure_between(tracks, depths, one, other, fewest=_FEWEST_POINTS)
        for one, other in itertools.product(first.tolist(), last.tolist())
    )
    turns = [each[0] for each in measured if each is not None]
    return np.median(turns, axis=0) if turns else None


def _measure_progress(motion: Motion, step: Step, before: NDArray[np.intp], reached_frames: Flags) -> Values:
    """How much of the movement of `step` each frame shows (frames,), 0 `before` and 1 at its largest in
    `reached_frames`, by the whole pose: who looks from one side upwards turns about two axes.
    """
    closer = step.movement is Movement.CLOSER
    pose = motion.signal(step.movement)[:, None] if closer else motion.path.turn
    away = pose - (np.median(pose[before], axis=0) if len(before) else 0.0)
    reached = away[reached_frames]
    whole = reached[np.linalg.norm(reached, axis=1).argmax()]
    return np.asarray(away @ whole / max(float(whole @ whole), 1e-9))


def _median_error(motion: Motion, frames: NDArray[np.intp]) -> float:
    """The usual error of the signal of a turn in `frames`."""
    errors = CERTAIN_JUMP * motion.path.error[frames].max(axis=1, initial=0.0) / TURN
    return float(np.nanmedian(errors)) if np.isfinite(errors).any() else 0.0


def _weigh_turns(motion: Motion, steps: Sequence[Step], earlier: Evidence | None) -> Verdict:
    """Whether the turns of `steps`, and those of `earlier`, together show a solid head."""
    turns = [(step, _measure(motion, step)) for step in steps if step.movement is not Movement.CLOSER]
    if not turns:
        return Verdict(Reason.LIVE, 0.5)
    arcs = [
        weigh_arc(turn, sway=measure_sway(motion.tracks, motion.times <= step.from_ms), is_first=index == 0)
        for index, (step, turn) in enumerate(turns)
        if turn is not None
    ]
    unrest = weigh_unrest(measure_unrest(motion.times, motion.tracks, motion.path.depths))
    reliefs = tuple(0.0 if turn is None else weigh_relief(turn) for _, turn in turns)
    evidence = Evidence(reliefs, sum(arcs) + unrest)
    if earlier is not None:
        evidence = earlier + evidence
    relief = combine_reliefs(evidence.reliefs)
    if min(evidence.reliefs) < RELIEF_OF_ONE or relief < RELIEF:
        return Verdict(Reason.FLAT, 0.0)
    if evidence.ratio >= (RATIO if earlier is None else LAST_RATIO):
        return Verdict(Reason.LIVE, float(np.clip(relief / (4 * RELIEF), 0.5, 1)))
    if earlier is None and evidence.ratio >= DOUBTFUL_RATIO:
        return Verdict(Reason.IN_DOUBT, 0.4, evidence)
    return Verdict(Reason.MORPH, 0.3)


def _measure(motion: Motion, step: Step) -> Turn | None:
    """The turn of `step`, from shortly before it to its end."""
    frames = (motion.times <= step.to_ms) & (motion.times >= step.from_ms - _BEFORE_MS)
    direction = _direction(step.movement)
    return measure_turn(motion.tracks.direct, motion.path, frames, _find_held(motion, step), direction)


def _find_held(motion: Motion, step: Step) -> Flags:
    """The frames in which the turn of `step` is held, at least one."""
    within = _is_within(motion.times, step) & (motion.tracks.found_share >= FEWEST_FOUND)
    # Frames that turn so far that much of the face is hidden are less certain than those on the way there.
    # But a turn that has hardly begun still shows the movement before.
    well = within & (motion.tracks.found_share >= _WELL_FOUND)
    signal = motion.signal(step.movement)
    if np.max(signal[well], initial=0.0) >= max(1.0, _HELD_PART * np.max(signal[within], initial=0.0)):
        within = well
    signal = np.where(within, signal, -np.inf)
    top = signal.max()
    return np.asarray(signal >= top - (1 - _HELD_PART) * abs(top))


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
