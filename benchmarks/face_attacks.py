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
from numpy.typing import NDArray

from benchmarks.face_forgeries import FLAT_KINDS, KINDS, make_attack
from benchmarks.face_sequences import Take, read_folder
from benchmarks.figures import print_figure
from service.face.engines.analysis import warm_up
from service.face.engines.engine import DetectedFace, FaceEngine, SequenceAnalysis, engine_info
from service.face.engines.sequence import judge, look
from service.face.liveness.decision import MAX_PLANE
from service.face.liveness.matching import match_plane
from service.face.liveness.movements import Movement, Reason
from service.face.rules import find_login_fault
from shared.images.cv import cv2
from shared.rates import rate_bound

ATTACK_PERCENT = 2.0
REJECTION_PERCENT = 10.0
FRAME_MS = 60.0
ANSWER_MS = 1500.0
# Limits of flatness to compare, and the frames of a turn that it is measured in.
FLATNESS_LIMITS = (0.7, 0.75, 0.8, MAX_PLANE, 0.9, 0.95)
_COMPARED = 6
NOT_LIVE = "not_live"
"""The reason where only the face is refused, as by a liveness model."""

Load = Callable[[], FaceEngine]
_engine: FaceEngine | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The reasons of the verdicts on one film and on the attacks made from it, how long the film took, and
    what one plane explains of a turn of each (the correlation of `match_plane`, NaN without a turned face).
    """

    person: str
    name: str
    reasons: dict[str, list[str]]
    frames: int
    spent_ms: float
    planes: dict[str, list[float]]


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
    _report_flatness(kind, outcomes)
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
    planes: dict[str, list[float]] = {}
    if seen.first.faces:
        planes["genuine"] = [_measure_flatness(genuine, seen.first.faces[0])]
        genuine = replace(genuine, eyes=seen.first.faces[0].eyes.astype(np.float64))
        for name in kinds:
            for number in range(seed, seed + repeat):
                seen = _judge(attack := draw_attack(name, genuine, number, folder.name))
                reasons.setdefault(name, []).append(_find_reason(seen))
                if name in FLAT_KINDS and seen.first.faces:
                    planes.setdefault(name, []).append(_measure_flatness(attack, seen.first.faces[0]))
    return Outcome(person, folder.name, reasons, len(genuine.frames), spent, planes)


def draw_attack(kind: str, genuine: Take, seed: int, name: str) -> Take:
    """The attack of `kind` on the film `name`, the same whichever others are made."""
    rng = np.random.default_rng((seed, zlib.crc32(f"{name} {kind}".encode())))
    return make_attack(kind, genuine, rng)


def _measure_flatness(take: Take, face: DetectedFace) -> float:
    """What one plane explains of the first turn of `take`, which begins with `face`: the median of a few
    frames in the second half of its time.
    """
    assert _engine is not None
    step = next(step for step in take.steps if step.movement is not Movement.CLOSER)
    times = np.asarray(take.times)
    start = int(np.searchsorted(times, max(step.from_ms, times[0]), "right")) - 1
    late = np.flatnonzero((times > (step.from_ms + min(step.to_ms, times[-1])) / 2) & (times <= step.to_ms))
    if not len(late):
        return float("nan")
    chosen = [start, *late[np.linspace(0, len(late) - 1, min(len(late), _COMPARED)).astype(int)]]
    film = look(_engine, [take.frames[index] for index in chosen], times[chosen].tolist(), face)
    turned = film.crops[1:][film.found[1:]]
    if not film.found[0] or not len(turned):
        return float("nan")
    return float(np.median([match_plane(film.crops[0], crop) for crop in turned]))


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


def _report_flatness(kind: str, outcomes: Sequence[Outcome]) -> None:
    """Print how well flatness alone tells people from pictures: the area under its ROC, and points of it."""

    def collect(names: Sequence[str]) -> NDArray[np.float64]:
        values = [value for outcome in outcomes for name in names for value in outcome.planes.get(name, [])]
        return np.array(values)[np.isfinite(values)] if values else np.empty(0)

    people, pictures = collect(["genuine"]), collect(FLAT_KINDS)
    if not len(people) or not len(pictures):
        return
    larger = (pictures[:, None] > people).mean() + (pictures[:, None] == people).mean() / 2
    points = {
        limit: (
            round(100 * float((people > limit).mean()), 1),
            round(100 * float((pictures <= limit).mean()), 1),
        )
        for limit in FLATNESS_LIMITS
    }
    print_figure(
        f"flatness alone, area under the ROC, engine {kind}",
        float(larger),
        "",
        people=len(people),
        pictures=len(pictures),
        people_refused_and_pictures_passed_percent=points,
    )


def _report_rate(figure: str, name: str, outcomes: Sequence[Outcome], goal: float) -> None:
    """Print how many films are refused, or how many attacks of the kind `name` pass."""
    counted = Counter(reason for outcome in outcomes for reason in outcome.reasons.get(name, []))
    total = sum(counted.values())
    if not total:
        return
    passed = counted[Reason.LIVE.value]
    count = total - passed if name == "genuine" else passed
    bound = rate_bound(count, total)
    print_figure(
        figure,
        100 * count / total,
        "%",
        goal=goal,
        films=total,
        count=count,
        bound=None if bound is None else round(100 * bound, 2),
        reasons=dict(sorted(counted.items())),
    )
