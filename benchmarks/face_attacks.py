"""Measures how many attacks on a challenge pass and how many people who follow it are refused.

For each head or named sequence the genuine frames and one attack of every kind are judged as a login judges
them, with an engine, or by the tracks alone. If a film leaves a doubt, one more movement is filmed and
attacked in the same way; of named sequences there is none, so that they stay in doubt and count as refused.
Rates come with the exact upper bound (Clopper and Pearson, 95 %; about 3 / n for none of n), because few
sequences prove little. Refusals are counted again by what the rendered films differ in.
"""

from __future__ import annotations

import os
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.face_forgeries import KINDS, make_attack
from benchmarks.face_heads import Conditions
from benchmarks.face_sequences import Take, read_folder, render_take
from benchmarks.figures import print_figure
from service.face.engines.engine import FaceEngine, warm_up
from service.face.engines.sequence import judge
from service.face.liveness.decision import decide, measure_motion
from service.face.liveness.movements import Evidence, Movement, Reason, Verdict
from service.face.liveness.tracking import track
from shared.images.cv import cv2
from shared.rates import rate_bound

ATTACK_PERCENT = 1.0
REJECTION_PERCENT = 5.0
FRAME_MS = 60.0
# Without an engine the eyes are known; engines find them with about this error, in distances of the eyes.
_EYE_ERROR = 0.03
# So many heads are reported at a time: a long run shows how far it is.
_PROGRESS = 25

Load = Callable[[], FaceEngine]
_engine: FaceEngine | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict on every sequence that was made from one person's."""

    name: str
    reasons: dict[str, Reason]
    frame_ms: float
    conditions: Conditions | None
    second: Reason | None = None
    """The verdict on a second login of a rendered person whose first one was refused."""
    doubtful: frozenset[str] = frozenset()
    """The names of the sequences whose first film was in doubt."""


def measure_attacks(
    load: Load | None,
    kind: str,
    *,
    heads: int,
    seed: int,
    jobs: int = 1,
    kinds: Sequence[str] = KINDS,
    folders: Sequence[Path] = (),
    movement: Movement | None = None,
) -> None:
    """Print the figures for `heads` rendered heads and the sequences in `folders`, attacked in all `kinds`,
    judged with the engine that `load` gives, or without one.

    Raises ValueError for a folder that is not a sequence.
    """
    tasks = [(seed, number, None, movement, tuple(kinds)) for number in range(heads)]
    named = [(seed, heads + number, folder, movement, tuple(kinds)) for number, folder in enumerate(folders)]
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker, (load,)) as pool:
        for outcome in pool.map(_measure, tasks):
            outcomes.append(outcome)
            if len(outcomes) % _PROGRESS == 0:
                print(f"{len(outcomes)} heads", flush=True)
        of_folders = list(pool.map(_measure, named))
    for outcome in of_folders:
        print(f"{outcome.name}: {outcome.reasons['genuine']}", flush=True)
    _report(kind, kinds, [*outcomes, *of_folders])
    _report_conditions(kind, outcomes)
    if of_folders:
        _say_rejections(f"false rejections of the named sequences, engine {kind}", of_folders)


def _start_worker(load: Load | None) -> None:
    global _engine
    cv2.setNumThreads(1)
    if load is not None:
        _engine = load()
        warm_up(_engine)


def _measure(task: tuple[int, int, Path | None, Movement | None, tuple[str, ...]]) -> Outcome:
    seed, number, folder, movement, kinds = task
    # Each its own, so that one is the same however many come before it, and whichever kinds.
    rng = np.random.default_rng((seed, number))
    genuine = render_take(rng) if folder is None else read_folder(folder, movement)
    started = time.process_time()
    verdict, eyes = _judge(genuine, rng)
    spent = (time.process_time() - started) * 1000 / len(genuine.frames)
    verdicts = {"genuine": verdict}
    if eyes is not None:
        genuine = replace(genuine, eyes=eyes)
        for name in kinds:
            rng = np.random.default_rng((seed, number, zlib.crc32(name.encode())))
            verdicts[name] = _judge(make_attack(name, genuine, rng), rng)[0]

    def end(name: str, verdict: Verdict) -> Reason:
        if folder is not None or verdict.evidence is None:
            return verdict.reason
        rng = np.random.default_rng((seed, number, zlib.crc32(f"one more, {name}".encode())))
        one_more = render_take(rng, genuine, is_one_more=True)
        if name in kinds:
            one_more = make_attack(name, one_more, rng)
        return _judge(one_more, rng, verdict.evidence)[0].reason

    reasons = {name: end(name, verdict) for name, verdict in verdicts.items()}
    second = None
    if folder is None and reasons["genuine"] is not Reason.LIVE:
        rng = np.random.default_rng((seed, number, zlib.crc32(b"second film")))
        second = end("second", _judge(render_take(rng, genuine), rng)[0])
    doubtful = frozenset(name for name, verdict in verdicts.items() if verdict.evidence is not None)
    return Outcome(os.fspath(folder or ""), reasons, spent, genuine.conditions, second, doubtful)


def _judge(
    take: Take, rng: np.random.Generator, earlier: Evidence | None = None
) -> tuple[Verdict, NDArray[np.float64] | None]:
    """The verdict and the eyes in the first frame; `earlier` is the evidence of the film before it."""
    if _engine is not None:
        analysis = judge(_engine, take.frames, take.times, take.steps, earlier)
        faces = analysis.first.faces
        return analysis.verdict, faces[0].eyes.astype(np.float64) if faces else None
    apart = float(np.hypot(*(take.eyes[1] - take.eyes[0])))
    found = take.eyes + rng.normal(0, _EYE_ERROR * apart, (2, 2))
    greys = [cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) for frame in take.frames]
    tracks = track(greys, found.astype(np.float32))
    return decide(measure_motion(take.times, tracks), take.steps, earlier), take.eyes


def _report(kind: str, kinds: Sequence[str], outcomes: Sequence[Outcome]) -> None:
    _say_rejections(f"false rejections, engine {kind}", outcomes)
    for name in kinds:
        counted = Counter(outcome.reasons[name] for outcome in outcomes if name in outcome.reasons)
        total = sum(counted.values())
        if not total:
            continue
        passed = counted[Reason.LIVE]
        print_figure(
            f"attacks that pass: {name}, engine {kind}",
            100 * passed / total,
            "%",
            goal=ATTACK_PERCENT,
            attacks=total,
            passed=passed,
            in_doubt=sum(name in outcome.doubtful for outcome in outcomes),
            bound=_percent(rate_bound(passed, total)),
            reasons=dict(sorted(counted.items())),
        )
    figure = f"one frame of a challenge, processor time, engine {kind}"
    print_figure(figure, float(np.median([outcome.frame_ms for outcome in outcomes])), "ms", goal=FRAME_MS)


def _say_rejections(figure: str, outcomes: Sequence[Outcome]) -> None:
    counted = Counter(outcome.reasons["genuine"] for outcome in outcomes)
    total = sum(counted.values())
    if not total:
        return
    refused = total - counted[Reason.LIVE]
    print_figure(
        figure,
        100 * refused / total,
        "%",
        goal=REJECTION_PERCENT,
        sequences=total,
        refused=refused,
        in_doubt=sum("genuine" in outcome.doubtful for outcome in outcomes),
        bound=_percent(rate_bound(refused, total)),
        reasons=dict(sorted(counted.items())),
    )
    # Sequences in folders have one film each.
    retried = [outcome for outcome in outcomes if outcome.second is not None]
    if retried:
        again = sum(outcome.second is not Reason.LIVE for outcome in retried)
        print_figure(
            f"{figure}, both of two logins",
            100 * again / total,
            "%",
            sequences=total,
            refused=again,
            bound=_percent(rate_bound(again, total)),
        )


def _report_conditions(kind: str, outcomes: Sequence[Outcome]) -> None:
    """Print the refusals in each third of what the rendered films differ in."""
    rows = [
        (asdict(each.conditions) | {"eye_distance": each.conditions.eye_distance}, each.reasons["genuine"])
        for each in outcomes
        if each.conditions is not None
    ]
    if not rows:
        return
    for name in rows[0][0]:
        values = np.array([abs(float(conditions[name])) for conditions, _ in rows])
        refused = np.array([reason is not Reason.LIVE for _, reason in rows])
        # Thirds of what is measured, and both values of what is or is not there.
        is_flag = isinstance(rows[0][0][name], bool)
        edges = np.array((0, 0.5, 1)) if is_flag else np.unique(np.quantile(values, (0, 1 / 3, 2 / 3, 1)))
        parts = {}
        for index, low in enumerate(edges[:-1] if len(edges) > 1 else edges):
            high = edges[min(index + 1, len(edges) - 1)]
            last = index + 2 >= len(edges)
            inside = (values >= low) & ((values <= high) if last else (values < high))
            parts[f"{low:.3g} to {high:.3g}"] = f"{refused[inside].sum()} of {inside.sum()}"
        print_figure(f"false rejections by {name}, engine {kind}", 100 * refused.mean(), "%", parts=parts)


def _percent(rate: float | None) -> float | None:
    return None if rate is None else round(100 * rate, 2)
