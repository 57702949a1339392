"""Decides from the measured turn of the nose whether the asked movements were made, in time, by one head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from service.face.liveness.movements import Movement, Reason, Step, Verdict
from service.face.liveness.relief import Relief
from service.face.liveness.rigidity import bulge, lost_detail, sway
from service.face.liveness.tracking import Tracks

Values = NDArray[np.float64]

# The sine of a turn that counts, by a nose of average height: some 9 degrees.
TURN = 0.12
# A picture that is tilted far bends what is measured, and narrows. A head moves its nose at least by this
# part of the sine that the narrowing means: flat noses have 0.6 of the average height, and slanting cheeks
# narrow more than the turn does.
SHARE = 0.28
# No head that is asked to turn a little narrows by so much: a turn by 53 degrees.
TOO_NARROW = 0.4
# A head that comes closer grows by a seventh.
CLOSER = 0.15
# How many standard errors a turn needs.
CERTAIN = 1.5
# No one reacts sooner than this after an instruction appears (simple visual reactions take 180 to 250 ms).
REACTION_MS = 120
FEWEST_FRAMES = 12
LONGEST_GAP_MS = 350
FEWEST_FOUND = 0.45
# A movement that is so far at its beginning had begun before. One before it may leave more of it, because no
# one turns about one axis alone: then `RISE` has to come on top.
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
# The arc of a head that turns, in squares of the turn's sine, and when it looks up: most of a face hardly
# changes in height.
ARC = 0.5
ARC_UP = 0.3
# From this sine on the turn is overestimated: the far side of the nose hides.
LARGE = 0.5
# A head shows about 1 of the arc and a morph about 0.
CURVED = 0.45
# Two pictures that are blended lose detail half way, a head that turns does not: it counts against the arc.
_BLENDED = 0.6
# No one holds the head so still before the movement, from frame to frame: 0.025 mm. A picture does.
_STILL = 0.0004
_FROZEN = 0.3
# A movement after the first turn is judged by its arc only from the front: this much turned, as a sine.
_FRONT = 0.08
# What is left when one smooth motion of a surface is subtracted says that something moved in depth.
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
        axis, sign = (1, -1) if movement is Movement.UP else (0, 1 if movement is Movement.LEFT else -1)
        # 1 - cos is half the square of the sine.
        tilted = np.sqrt(2 * np.maximum(self.narrowed(movement), 0))
        return np.asarray(sign * self.relief.turn[:, axis] / np.maximum(TURN, SHARE * tilted))

    def narrowed(self, movement: Movement) -> Values:
        """How much narrower the face is by a turn of `movement`, or lower by looking up."""
        return np.asarray(self.relief.narrowed * (-1 if movement is Movement.UP else 1))

    def certain(self, movement: Movement) -> NDArray[np.bool_]:
        """In which frames the signal is larger than its own error."""
        if movement is Movement.CLOSER:
            return np.ones(len(self.times), bool)
        axis = 1 if movement is Movement.UP else 0
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(self.relief.turn[:, axis]) > CERTAIN * self.relief.error[:, axis])


def decide(motion: Motion, steps: Sequence[Step]) -> Verdict:
    """Whether `motion` is a head that makes the movements of `steps` when it is asked to.

    Steps follow each other in time; the first frame is at 0 ms, and frames reach to the end of the last step
    or until its movement is made.
    """
    times = motion.times
    if len(times) < FEWEST_FRAMES or np.diff(times).max() > LONGEST_GAP_MS:
        return Verdict(Reason.TOO_FEW_FRAMES, 0.0)
    broken = _broken(motion)
    if broken is not None:
        return Verdict(broken, 0.0)
    scores = []
    turns = [step for step in steps if step.movement is not Movement.CLOSER]
    for index, step in enumerate(steps):
        verdict = _judged(motion, step, first=index == 0, first_turn=step in turns[:1])
        if not verdict.live:
            return verdict
        scores.append(verdict.score)
    return Verdict(Reason.LIVE, min(scores))


def peak(motion: Motion, step: Step) -> int:
    """The frame in which the movement of `step` is largest."""
    signal = np.where(_within(motion.times, step), motion.signal(step.movement), -np.inf)
    return int(np.nanargmax(signal)) if np.isfinite(signal).any() else 0


def _broken(motion: Motion) -> Reason | None:
    """Why the frames are not one take."""
    tracks, seconds = motion.tracks, np.diff(motion.times) / 100
    share = tracks.found_share
    if (share < FEWEST_FOUND).sum() > 0.1 * len(share):
        return Reason.CUT
    # Far turned and blurred frames leave the turn uncertain.
    error = motion.relief.error[1:] + motion.relief.error[:-1]
    leap = np.abs(np.diff(motion.relief.turn, axis=0)) - CERTAIN * error
    jump = leap.max(axis=1) / np.maximum(seconds, 0.4)
    shift = np.hypot(*np.diff(tracks.shift, axis=0).T) / np.maximum(seconds, 0.4)
    if np.nanmax(jump, initial=0) > JUMP_PER_100_MS or shift.max() > SHIFT_PER_100_MS:
        return Reason.CUT
    return None


def _within(times: Values, step: Step) -> NDArray[np.bool_]:
    return np.asarray((times >= step.from_ms + REACTION_MS) & (times <= step.to_ms))


def _judged(motion: Motion, step: Step, *, first: bool, first_turn: bool) -> Verdict:
    times, signal = motion.times, motion.signal(step.movement)
    within = _within(times, step)
    before = times <= step.from_ms + REACTION_MS
    if not within.any() or not before.any():
        return Verdict(Reason.TOO_FEW_FRAMES, 0.0)
    recent = signal[before][-3:]
    start = float(np.nanmedian(recent)) if np.isfinite(recent).any() else 0.0
    if step.movement is Movement.CLOSER:
        # A head that has just looked up is a little smaller.
        signal = signal - start
        start = 0.0
    elif np.nanmax(recent, initial=-np.inf) > (BEGUN if first else BEGUN_LATER):
        return Verdict(Reason.NOT_STEADY, 0.0)
    needed = max(1.0, start + RISE)
    with np.errstate(invalid="ignore"):
        reached_frames = within & (signal >= needed) & motion.certain(step.movement)
        if step.movement is not Movement.CLOSER:
            reached_frames &= motion.narrowed(step.movement) < TOO_NARROW
        # Who has just looked to one side comes from there.
        opposite = _opposite(motion, step.movement)
        came = float(np.nanmax(opposite[before][-3:], initial=0.0))
        wrong = within & (opposite > max(1.4, 1.3 * came + 0.8))
    if _longest(reached_frames) < HELD:
        return _missed(motion, within, wrong)
    reached = int(np.flatnonzero(reached_frames)[0])
    if (wrong & (np.arange(len(times)) < reached)).sum() >= HELD:
        return Verdict(Reason.WRONG_MOVEMENT, 0.0)
    top = float(np.nanmax(signal[reached_frames]))
    part = (signal - start) / max(top - start, 1e-6)
    with np.errstate(invalid="ignore"):
        way = within & (part > ON_THE_WAY[0]) & (part < ON_THE_WAY[1])
    way &= motion.tracks.found_share >= FOUND_ON_THE_WAY
    # What a turn has already reached only scatters.
    way &= np.arange(len(times)) < np.flatnonzero(reached_frames & (part >= ON_THE_WAY[1]))[0]
    if not way.any():
        return Verdict(Reason.CUT, 0.2)
    if step.movement is not Movement.CLOSER and _morphed(motion, step, reached, first_turn=first_turn):
        return Verdict(Reason.MORPH, 0.3)
    held = np.sort(signal[reached_frames])[::-1][:HELD]
    return Verdict(Reason.LIVE, float(np.clip(held.mean() / 2, 0.5, 1)))


def _morphed(motion: Motion, step: Step, reached: int, *, first_turn: bool) -> bool:
    """Whether the face changes from one picture into another, instead of turning."""
    pitch = step.movement is Movement.UP
    turn = motion.relief.turn[:, 1 if pitch else 0]
    last = max(peak(motion, step), reached)
    numbers = np.arange(len(turn))
    frames = np.flatnonzero((motion.times >= step.from_ms - 150) & (numbers <= last + 1) & np.isfinite(turn))
    if not len(frames):
        return True
    if not first_turn and np.nanmax(np.abs(motion.relief.turn[frames[0]])) > _FRONT:
        return False
    turned = turn[frames]
    size = float(np.sort(np.abs(turned))[-3:].mean())
    come = (turned - turned[0]) / (turned[-1] - turned[0] or 1.0)
    large = max(1.0, size / LARGE) ** 2
    arc = bulge(motion.tracks, frames, pitch=pitch)
    if arc is None:
        return True
    sure = float(np.clip(arc / size**2 * large / (ARC_UP if pitch else ARC), -1, 1))
    sure -= _BLENDED * lost_detail(motion.tracks, frames, come)
    if sway(motion.tracks, motion.times <= step.from_ms) < _STILL:
        sure -= _FROZEN
    return sure < CURVED


def _opposite(motion: Motion, movement: Movement) -> Values:
    if movement is Movement.LEFT:
        return motion.signal(Movement.RIGHT)
    if movement is Movement.RIGHT:
        return motion.signal(Movement.LEFT)
    return np.full(len(motion.times), -np.inf)


def _missed(motion: Motion, within: NDArray[np.bool_], wrong: NDArray[np.bool_]) -> Verdict:
    """Why the movement of a step was not seen: another one, a flat picture that moved, or nothing."""
    if wrong.sum() >= HELD:
        return Verdict(Reason.WRONG_MOVEMENT, 0.0)
    tracks = motion.tracks
    bent = np.sqrt(np.nanmean((tracks.moved - tracks.places) ** 2, axis=(1, 2)))
    moved = np.nanmax(bent[within], initial=0.0)
    return Verdict(Reason.FLAT if moved > _SURFACE_MOVED else Reason.NOT_MADE, 0.0)


def _longest(flags: NDArray[np.bool_]) -> int:
    """The most True in a row."""
    best = run = 0
    for value in flags:
        run = run + 1 if value else 0
        best = max(best, run)
    return best
