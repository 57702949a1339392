"""Measures how many films of people a challenge refuses, and how many attacks made from them pass.

Each film and attacks of every kind are judged as a login judges them. Rates come with the exact upper
bound (Clopper and Pearson, 95 %; about 3 / n for none of n), because few films prove little.
"""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.face_forgeries import KINDS, make_attack
from benchmarks.face_sequences import Take, read_folder
from benchmarks.figures import print_figure, print_rate
from service.face.engines.analysis import warm_up
from service.face.engines.engine import FaceEngine, SequenceAnalysis, engine_info
from service.face.engines.sequence import judge
from service.face.liveness.movements import Movement, Reason
from service.face.rules import find_login_fault
from shared.images.cv import cv2

ATTACK_PERCENT = 2.0
REJECTION_PERCENT = 10.0
FRAME_MS = 60.0
ANSWER_MS = 1500.0
NOT_LIVE = "not_live"
"""The reason where only the face is refused, as by a liveness model."""

Load = Callable[[], FaceEngine]
_engine: FaceEngine | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The reasons of the verdicts on one film and on the attacks made from it, and how long the film took."""

    person: str
    name: str
    reasons: dict[str, list[str]]
    frames: int
    spent_ms: float


def measure_attacks(
    load: Load,
    kind: str,
    folders: Sequence[Path],
    *,
    seed: int = 1,
    jobs: int = 1,
    kinds: Sequence[str] = KINDS,
    repeat: int = 1,
    movement: Movement | None = None,
) -> None:
    """Print the figures for the films in `folders`, each attacked `repeat` times in all `kinds`, with the
    engine of `load`.

    Each of `folders` is a film, or holds the films of one person. Raises ValueError for one that is neither.
    """
    tasks = [((seed, repeat), *film, movement, tuple(kinds)) for film in find_films(folders)]
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker, (load,)) as pool:
        for outcome in pool.map(_measure, tasks):
            outcomes.append(outcome)
            print(f"{outcome.person} {outcome.name}: {outcome.reasons['genuine'][0]}", flush=True)
    report_rates(f"engine {kind}", kinds, outcomes)
    _report_time(kind, outcomes)


def find_films(folders: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """The person and the folder of each film."""
    for folder in folders:
        inside = sorted(each for each in folder.iterdir() if each.is_dir())
        yield from ((folder.name, each) for each in inside or [folder])


def _start_worker(load: Load) -> None:
    global _engine
    cv2.setNumThreads(1)
    _engine = load()
    warm_up(_engine)


def _measure(task: tuple[tuple[int, int], str, Path, Movement | None, tuple[str, ...]]) -> Outcome:
    (seed, repeat), person, folder, movement, kinds = task
    genuine = read_folder(folder, movement)
    started = time.process_time()
    seen = _judge(genuine)
    spent = (time.process_time() - started) * 1000
    reasons = {"genuine": [_find_reason(seen)]}
    if seen.first.faces:
        genuine = replace(genuine, eyes=seen.first.faces[0].eyes.astype(np.float64))
        for name in kinds:
            for number in range(seed, seed + repeat):
                seen = _judge(draw_attack(name, genuine, number, folder.name))
                reasons.setdefault(name, []).append(_find_reason(seen))
    return Outcome(person, folder.name, reasons, len(genuine.frames), spent)


def draw_attack(kind: str, genuine: Take, seed: int, name: str) -> Take:
    """The attack of `kind` on the film `name`, the same whichever others are made."""
    rng = np.random.default_rng((seed, zlib.crc32(f"{name} {kind}".encode())))
    return make_attack(kind, genuine, rng)


def _judge(take: Take) -> SequenceAnalysis:
    assert _engine is not None
    return judge(_engine, take.frames, take.times, take.steps)


def _find_reason(seen: SequenceAnalysis) -> str:
    assert _engine is not None
    limit = engine_info(_engine).liveness_limit
    if seen.reason is Reason.LIVE and find_login_fault(seen.first, limit) is not None:
        return NOT_LIVE
    return seen.reason.value


def report_rates(where: str, kinds: Sequence[str], outcomes: Sequence[Outcome]) -> None:
    """Print how many films of each person are refused, and how many attacks of each kind pass."""
    people = dict.fromkeys(outcome.person for outcome in outcomes)
    for person in people:
        films = [outcome for outcome in outcomes if outcome.person == person]
        _report_rate(f"films refused: {person}, {where}", "genuine", films, REJECTION_PERCENT)
    if len(people) > 1:
        _report_rate(f"films refused, {where}", "genuine", outcomes, REJECTION_PERCENT)
    for name in kinds:
        _report_rate(f"attacks that pass: {name}, {where}", name, outcomes, ATTACK_PERCENT)


def _report_time(kind: str, outcomes: Sequence[Outcome]) -> None:
    spent = [outcome.spent_ms / outcome.frames for outcome in outcomes]
    print_figure(f"one frame of a film, engine {kind}", float(np.median(spent)), "ms", goal=FRAME_MS)
    longest = max(outcome.spent_ms for outcome in outcomes)
    print_figure(f"the longest film, processor time, engine {kind}", longest, "ms", goal=ANSWER_MS)


def _report_rate(figure: str, name: str, outcomes: Sequence[Outcome], goal: float) -> None:
    """Print how many films are refused, or how many attacks of the kind `name` pass."""
    counted = Counter(reason for outcome in outcomes for reason in outcome.reasons.get(name, []))
    total = sum(counted.values())
    if not total:
        return
    passed = counted[Reason.LIVE.value]
    count = total - passed if name == "genuine" else passed
    print_rate(figure, count, total, goal, films=total, count=count, reasons=dict(sorted(counted.items())))
