"""Measures how many attacks on a challenge pass and how many people who follow it are refused.

For each head or named sequence the genuine frames and one attack of every kind are judged as a login judges
them, with the engine. Rates come with the exact upper bound (Clopper and Pearson, 95 %), because few
sequences prove little.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.face_sequences import KINDS, Take, attacked, from_folder, rendered
from benchmarks.figures import say
from service.face.engines.engine import FaceEngine, warm_up
from service.face.engines.sequence import judge
from service.face.liveness.movements import Movement, Reason
from shared.rates import rate_bound

ATTACK_PERCENT = 1.0
REJECTION_PERCENT = 5.0
FRAME_MS = 60.0


def measure_attacks(
    engine: FaceEngine,
    kind: str,
    *,
    heads: int,
    seed: int,
    folders: Sequence[Path] = (),
    movement: Movement | None = None,
) -> None:
    """Print the figures for `heads` rendered heads, half of them held out, and the sequences in `folders`.

    Raises ValueError for a folder that is not a sequence.
    """
    warm_up(engine)
    reasons: dict[str, Counter[Reason]] = {name: Counter() for name in ("genuine", *KINDS)}
    named_reasons: Counter[Reason] = Counter()
    taken: list[float] = []
    for number in range(heads + len(folders)):
        # Each its own, so that one is the same however many come before it.
        rng = np.random.default_rng((seed, number))
        if number < heads:
            genuine = rendered(rng, held_out=number % 2 == 1)
        else:
            genuine = from_folder(folders[number - heads], movement)
        verdict, eyes, spent = _judged(engine, genuine)
        taken.append(spent)
        reasons["genuine"][verdict] += 1
        if number >= heads:
            named_reasons[verdict] += 1
            print(f"{folders[number - heads]}: {verdict}", flush=True)
        if eyes is None:
            continue
        genuine = replace(genuine, eyes=eyes.astype(np.float64))
        for name in KINDS:
            reasons[name][_judged(engine, attacked(name, genuine, rng))[0]] += 1
    _report(kind, reasons, taken)
    if folders:
        _say_rejections(f"false rejections of the named sequences, engine {kind}", named_reasons)


def _judged(engine: FaceEngine, take: Take) -> tuple[Reason, NDArray[np.float32] | None, float]:
    """The verdict, the eyes in the first frame and the ms of processor time of one frame."""
    started = time.process_time()
    analysis = judge(engine, take.frames, take.times, take.steps)
    spent = (time.process_time() - started) * 1000 / len(take.frames)
    return analysis.verdict.reason, analysis.first.faces[0].eyes if analysis.first.faces else None, spent


def _report(kind: str, reasons: dict[str, Counter[Reason]], taken: Sequence[float]) -> None:
    _say_rejections(f"false rejections, engine {kind}", reasons["genuine"])
    for name in KINDS:
        counted = reasons[name]
        total = sum(counted.values())
        if not total:
            continue
        passed = counted[Reason.LIVE]
        say(
            f"attacks that pass: {name}, engine {kind}",
            100 * passed / total,
            "%",
            goal=ATTACK_PERCENT,
            attacks=total,
            bound=_percent(rate_bound(passed, total)),
            reasons=dict(sorted(counted.items())),
        )
    figure = f"one frame of a challenge, processor time, engine {kind}"
    say(figure, float(np.median(taken)), "ms", goal=FRAME_MS)


def _percent(rate: float | None) -> float | None:
    return None if rate is None else round(100 * rate, 2)


def _say_rejections(figure: str, counted: Counter[Reason]) -> None:
    total = sum(counted.values())
    if not total:
        return
    refused = total - counted[Reason.LIVE]
    say(
        figure,
        100 * refused / total,
        "%",
        goal=REJECTION_PERCENT,
        sequences=total,
        bound=_percent(rate_bound(refused, total)),
        reasons=dict(sorted(counted.items())),
    )
