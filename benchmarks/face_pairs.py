"""Measures how well an engine distinguishes faces, on pairs of pictures.

Each picture is embedded once, as a login would (two passes, no quality limits), in several processes; of
several faces the one that is large and near the middle is taken, as such sets mean it. A picture without a
readable face is a failure to enrol: its pairs count as "different" in the headline figures, and are left out
of those under `without_failures`. A row whose file is not there is named and left out of both. The result
says so itself, under `counted`.

`accuracy` is that of ten folds, drawn with a fixed seed: each judged with the best threshold of the other
nine, as LFW does it; `accuracy_error` is its standard error over the folds. `best_threshold` is that of all
pairs. A threshold at a false match rate is the loosest score with at most that rate among these strangers;
with fewer strangers than 1 / rate it is only a bound, and `measurable` is false.
"""

from __future__ import annotations

import csv
import itertools
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path, PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.face.engines.analysis import analyse
from service.face.engines.engine import (
    DetectedFace,
    Embedding,
    EngineInfo,
    FaceEngine,
    Metric,
    engine_info,
    score,
)
from service.face.engines.picture import BadPicture, PictureFault, Pixels, decode
from shared.images.cv import cv2

Scores = NDArray[np.float64]
Load = Callable[[], FaceEngine]

MISSING = -9.0
"""The score of a pair of which one picture shows no face: below every score there is."""

RATES = (1e-2, 1e-3)
FOLDS = 10
_YES = {"1", "1.0", "true", "t", "yes", "y", "same"}
_NO = {"0", "0.0", "-1", "false", "f", "no", "n", "different"}
# Fewer pictures are not worth the start of further processes.
_FEW = 24
_PROGRESS = 100
_PARTS = 16
# So many rows or pictures are named on stderr, the others only counted.
_NAMED = 20
_PICTURES = {
    ".jpg",
    ".jpeg",
    ".jpe",
    ".png",
    ".webp",
    ".bmp",
    ".tif",
    ".tiff",
    ".ppm",
    ".pgm",
    ".gif",
    ".jp2",
}

COUNTED = (
    "A pair of which one picture shows no face or cannot be read is answered 'different', as a login would: "
    "a false non-match when both are one person. 'without_failures' leaves such pairs out. Rows whose file "
    "is not there ('pairs_left_out') count nowhere. Of several faces the one that is large and near the "
    "middle is compared. A pair matches when its score is at least the threshold (cosine) or at most "
    "(euclidean)."
)


class PairsError(ValueError):
    """The file of pairs cannot be used; the text says which row and why."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two pictures as the file names them, whether they show one person, and the line that says so."""

    a: str
    b: str
    same: bool
    line: int


def read_pairs(path: Path) -> list[Pair]:
    """The rows of a CSV file in UTF-8 with columns a, b and same. Raises PairsError, OSError."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            pairs = list(_rows(path, csv.DictReader(file, skipinitialspace=True)))
    except (UnicodeDecodeError, csv.Error) as problem:
        raise PairsError(f"{path.name} cannot be read as a CSV file in UTF-8: {problem}") from None
    if not pairs:
        raise PairsError(f"{path.name} holds no pairs")
    return pairs


def _rows(path: Path, rows: csv.DictReader[str]) -> Iterator[Pair]:
    rows.fieldnames = [name.strip().lower() for name in rows.fieldnames or ()]
    if missing := {"a", "b", "same"} - set(rows.fieldnames):
        lacking = ", ".join(sorted(missing))
        raise PairsError(f"{path.name} lacks the column {lacking} in its first line (with commas between)")
    for row in rows:
        a, b, same = ((row[name] or "").strip() for name in ("a", "b", "same"))
        if not (a or b or same):
            continue
        if not a or not b or same.lower() not in _YES | _NO:
            raise PairsError(f"{path.name}, line {rows.line_num}: a, b and same (1 or 0) are needed")
        yield Pair(a, b, same.lower() in _YES, rows.line_num)


def located(names: set[str], folder: Path) -> dict[str, Path]:
    """The file of each name that is there: as it is written, else in another case or with its ending left
    out.

    Relative names start from `folder`; a backslash parts folders as well. A name that then could mean two
    files means none.
    """
    files_by_name = {name: path for name in names if _is_file(path := folder / name)}
    if len(files_by_name) == len(names):
        return files_by_name
    alike: dict[str, Path | None] = {}
    for at, _, files in os.walk(folder):
        for file in files:
            path = Path(at, file)
            inside = path.relative_to(folder)
            keys = {inside.as_posix().casefold()}
            if path.suffix.lower() in _PICTURES:
                keys.add(inside.with_suffix("").as_posix().casefold())
            for key in keys:
                alike[key] = None if key in alike else path
    for name in names - files_by_name.keys():
        key = os.path.normpath(name.replace("\\", "/")).removeprefix(f"{folder}{os.sep}")
        if (like := alike.get(PurePath(key).as_posix().casefold())) is not None:
            files_by_name[name] = like
    return files_by_name


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        # A name that no file can have.
        return False


# --- embedding ----------------------------------------------------------------------------------------


# What a login refuses for its format or size may still be measured: OpenCV's flag for it.
_STILL_MEASURED = {
    PictureFault.FORMAT: cv2.IMREAD_COLOR,
    PictureFault.TOO_SMALL: cv2.IMREAD_COLOR,
    PictureFault.TOO_LARGE: cv2.IMREAD_REDUCED_COLOR_2,
    PictureFault.TOO_MANY_PIXELS: cv2.IMREAD_REDUCED_COLOR_4,
}


def picture(path: Path) -> Pixels:
    """The upright BGR picture in a file: whatever OpenCV reads, of any size. Raises BadPicture, OSError."""
    data = path.read_bytes()
    try:
        return decode(data)
    except BadPicture as bad:
        if bad.fault not in _STILL_MEASURED or not data:
            raise
        flag = _STILL_MEASURED[bad.fault]
    image: Pixels | None = cv2.imdecode(np.frombuffer(data, np.uint8), flag)
    if image is None:
        raise BadPicture(PictureFault.FORMAT)
    return image


def embedded(engine: FaceEngine, path: Path) -> Embedding | str:
    """The embedding of the face that a picture is about, or why there is none."""
    try:
        image = picture(path)
        middle = np.array(image.shape[1::-1]) / 2

        def weight(face: DetectedFace) -> float:
            x0, y0, x1, y1 = face.box
            offset = (np.array((x0 + x1, y0 + y1)) / 2 - middle) ** 2
            return (x1 - x0) * (y1 - y0) - 2 * float(offset.sum())

        embedding = analyse(engine, image, weight).embedding
    except BadPicture as bad:
        return bad.fault.value
    except (OSError, ValueError, RuntimeError, MemoryError, cv2.error) as problem:
        return type(problem).__name__
    return embedding if embedding is not None else "no_face"


_engine: FaceEngine | None = None


def _start_worker(load: Load) -> None:
    global _engine
    cv2.setNumThreads(1)
    _engine = load()


def _embed_in_worker(path: Path) -> Embedding | str:
    assert _engine is not None
    return embedded(_engine, path)


def embeddings(load: Load, paths: Sequence[Path], jobs: int) -> tuple[EngineInfo, list[Embedding | str]]:
    """What the engine is, and for each picture its embedding or why there is none; progress on stderr.

    Raises PairsError when a process dies of a picture.
    """
    engine = load()
    about = engine_info(engine)
    if jobs < 2 or len(paths) <= _FEW:
        return about, list(_report_progress((embedded(engine, path) for path in paths), len(paths)))
    del engine
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker, (load,)) as pool:
        try:
            results = pool.map(_embed_in_worker, paths, chunksize=max(1, min(_PARTS, len(paths) // jobs)))
            return about, list(_report_progress(results, len(paths)))
        except BrokenProcessPool:
            raise PairsError(
                "a process ended in the middle of its pictures, perhaps for want of memory: try --jobs 1"
            ) from None


def _report_progress(results: Iterator[Embedding | str], count: int) -> Iterator[Embedding | str]:
    for number, result in enumerate(results, 1):
        if number % _PROGRESS == 0 or number == count:
            print(f"{number} of {count} pictures", file=sys.stderr, flush=True)
        yield result


# --- figures ------------------------------------------------------------------------------------------


def rates(scores: Scores, same: NDArray[np.bool_]) -> tuple[Scores, Scores, Scores]:
    """Every threshold that matters (rising), with its false match and false non-match rate."""
    strangers, genuine = np.sort(scores[~same]), np.sort(scores[same])
    thresholds = np.append(np.unique(scores), np.inf)
    matches = 1 - np.searchsorted(strangers, thresholds, side="left") / max(len(strangers), 1)
    misses = np.searchsorted(genuine, thresholds, side="left") / max(len(genuine), 1)
    return thresholds, matches, misses


def at_rate(scores: Scores, same: NDArray[np.bool_], rate: float) -> tuple[float, float]:
    """The loosest threshold whose false match rate is at most `rate`, and its false non-match rate."""
    thresholds, matches, misses = rates(scores, same)
    first = int(np.argmax(matches <= rate))
    return float(thresholds[first]), float(misses[first])


def equal_error_rate(scores: Scores, same: NDArray[np.bool_]) -> float:
    """Where false matches and false non-matches are equally frequent."""
    _, matches, misses = rates(scores, same)
    at = int(np.argmin(np.abs(matches - misses)))
    return float((matches[at] + misses[at]) / 2)


def best_threshold(scores: Scores, same: NDArray[np.bool_]) -> float:
    """The threshold with the most right answers: in the middle between two scores."""
    order = np.argsort(scores, kind="stable")
    ordered, good = scores[order], same[order]
    # With the threshold before position k: strangers below it and genuine pairs from it on are right.
    right = np.concatenate(([0], np.cumsum(~good))) + (good.sum() - np.concatenate(([0], np.cumsum(good))))
    # Between two equal scores there is no threshold.
    right[1:-1][ordered[1:] == ordered[:-1]] = -1
    edges = np.concatenate(([ordered[0] - 1], (ordered[1:] + ordered[:-1]) / 2, [ordered[-1] + 1]))
    return float(edges[int(np.argmax(right))])


def accuracies(scores: Scores, same: NDArray[np.bool_], folds: int = FOLDS) -> list[float]:
    """The part of right answers in each fold, judged with the best threshold of the others."""
    folds = min(folds, len(scores))
    if folds < 2:
        return [float(((scores >= best_threshold(scores, same)) == same).mean())]
    order = np.random.default_rng(0).permutation(len(scores))
    shares = []
    for part in np.array_split(order, folds):
        rest = np.setdiff1d(order, part)
        shares.append(
            float(((scores[part] >= best_threshold(scores[rest], same[rest])) == same[part]).mean())
        )
    return shares


def figures(scores: Scores, same: NDArray[np.bool_], about: EngineInfo) -> dict[str, Any]:
    """Accuracy and rates of these pairs; None where one of the two kinds of pairs is missing.

    Thresholds are in the metric's own terms: a cosine, or a distance.
    """
    sign = -1 if about.metric is Metric.EUCLIDEAN else 1
    genuine, strangers = int(same.sum()), int((~same).sum())
    result: dict[str, Any] = {"pairs": len(scores), "genuine": genuine, "strangers": strangers}
    if not genuine or not strangers:
        return result
    folds = accuracies(scores, same)
    result["accuracy"] = float(np.average(folds, weights=[len(x) for x in np.array_split(same, len(folds))]))
    result["accuracy_error"] = float(np.std(folds) / np.sqrt(len(folds)))
    result["best_threshold"] = sign * best_threshold(scores, same)
    result["eer"] = equal_error_rate(scores, same)
    for rate in RATES:
        threshold, misses = at_rate(scores, same, rate)
        result[f"fnmr_at_fmr_{rate:.0e}"] = misses
        # A score that nothing reaches has no threshold: no match is loose enough to be wrong.
        result[f"threshold_at_fmr_{rate:.0e}"] = sign * threshold if np.isfinite(threshold) else None
        result[f"measurable_at_fmr_{rate:.0e}"] = strangers * rate >= 1
    result["in_force"] = [
        {
            "templates": templates,
            "threshold": sign * (needed := about.thresholds.at(1e-3 / templates)),
            "fmr": float((scores[~same] >= needed).mean()),
            "fnmr": float((scores[same] < needed).mean()),
        }
        for templates in (1, 10, 100, 1000)
    ]
    return result


def compare(load: Load, pairs: Sequence[Pair], folder: Path, jobs: int = 1) -> dict[str, Any]:
    """What `--pairs` writes; `folder` is where relative names start. Raises PairsError without any pair."""
    if not folder.is_dir():
        raise PairsError(f"there is no folder {folder}")
    paths = located({name for pair in pairs for name in (pair.a, pair.b)}, folder)
    whole = [pair for pair in pairs if pair.a in paths and pair.b in paths]
    _name(
        f"line {pair.line}: there is no picture {name}; the row is left out"
        for pair in pairs
        for name in (pair.a, pair.b)
        if name not in paths
    )
    if not whole:
        raise PairsError(f"not one pair has both pictures below {folder}")
    used = sorted({paths[name].resolve() for pair in whole for name in (pair.a, pair.b)})
    about, results = embeddings(load, used, jobs)
    reasons = {path: result for path, result in zip(used, results, strict=True) if isinstance(result, str)}
    _name(f"{path}: {reason}" for path, reason in reasons.items())
    vectors = {
        path: result for path, result in zip(used, results, strict=True) if not isinstance(result, str)
    }
    both = [(vectors.get(paths[pair.a].resolve()), vectors.get(paths[pair.b].resolve())) for pair in whole]
    scores = np.array(
        [MISSING if a is None or b is None else score(a, b, about.metric) for a, b in both], np.float64
    )
    same = np.array([pair.same for pair in whole])
    good = scores > MISSING
    return {
        "engine": about.name,
        "model": about.model_id,
        "metric": about.metric.value,
        "pictures": len(used),
        "failures_to_enrol": len(reasons),
        "reasons": dict(Counter(reasons.values())),
        "pairs_with_failures": int((~good).sum()),
        "pairs_left_out": len(pairs) - len(whole),
        "counted": COUNTED,
        **figures(scores, same, about),
        "without_failures": figures(scores[good], same[good], about),
    }


def _name(lines: Iterator[str]) -> None:
    """The first of these lines on stderr, and how many more there are."""
    for line in itertools.islice(lines, _NAMED):
        print(line, file=sys.stderr)
    if more := sum(1 for _ in lines):
        print(f"... and {more} more", file=sys.stderr)
