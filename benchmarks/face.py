"""How well faces are told apart, and how fast.

    python -m benchmarks.face --pairs PAIRS.csv --images DIR --engine NAME --out RESULT.json
    python -m benchmarks.face [--only NAME]

With pairs (columns a, b, same: two file names below DIR, and 1 or 0) it embeds each picture once and prints
accuracy, equal error rate, and the false non-matches and thresholds at false match rates of 1e-2 and 1e-3.
Without, it measures the service: a login from the picture to the answer, the search, and what hostile
pictures cost. One JSON line per figure: `value`, `target`, `floor` (something bare in the same run), `ok`.

NAME is dlib, an installed pack, or the kind of a pack (open, insightface). Packs are looked for in the data
directory, then among the loose files in WALKAROUND_TEST_MODELS or in shared/models beside the project.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import csv
import functools
import json
import os
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.database import Database
from service.envelope import Refusal
from service.face import service as face_service
from service.face.consent import CONSENT_VERSION
from service.face.decode import BadPicture, decode, picture_bytes
from service.face.engine import Embedding, FaceEngine, Metric, look
from service.face.gallery import Gallery, score
from service.face.packs import PackError, install, installed, load_engine
from service.face.service import FaceService
from service.face.worker import FaceWorker
from service.schema import migrate
from service.settings import Settings
from shared.wire.account import Tokens

Scores = NDArray[np.float64]
MISSING = -9.0
"""The score of a pair of which one picture shows no face: below every score there is."""

LOGIN_MS = {"open": 60.0, "dlib": 250.0}
SEARCH_MS = {10_000: 2.0, 100_000: 15.0}
MEMORY_MB = 200.0


# --- which engine -------------------------------------------------------------------------------------


def packs_folder(name: str, own: Path) -> tuple[str, Path]:
    """The name of an installed pack and the folder of packs, for a name or a kind; `own` takes loose files.

    Raises PackError when there is none.
    """
    places = [Settings().face_models_dir]
    beside = Path(__file__).resolve().parents[2] / "shared" / "models"
    loose = Path(os.environ.get("WALKAROUND_TEST_MODELS", beside))
    if loose.is_dir():
        for sources in (("face_detection*", "mobilefacenet*", "minifasnet*"), ("det_*", "w600k*")):
            with tempfile.TemporaryDirectory() as folder:
                for path in (path for pattern in sources for path in loose.glob(pattern + ".onnx")):
                    Path(folder, path.name).write_bytes(path.read_bytes())
                try:
                    # To measure is research.
                    install(Path(folder), own, accept_research=True)
                except PackError:
                    continue
        places.append(own)
    for place in places:
        for pack in installed(place):
            if name in (pack.name, pack.engine):
                return pack.name, place
    raise PackError(f"there is no face model '{name}'; see: walkaround face models")


@contextmanager
def loader(name: str) -> Iterator[Callable[[], FaceEngine]]:
    """A picklable function that loads the engine."""
    with tempfile.TemporaryDirectory() as folder:
        found = (name, Path(folder)) if name == "dlib" else packs_folder(name, Path(folder))
        yield functools.partial(load_engine, *found)


# --- pairs --------------------------------------------------------------------------------------------


def read_pairs(path: Path) -> list[tuple[str, str, bool]]:
    """The rows of a file with columns a, b and same (1, true, yes or the opposite)."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        return [
            (row["a"], row["b"], row["same"].strip().lower() in {"1", "1.0", "true", "yes", "same"})
            for row in csv.DictReader(file)
        ]


def embeddings(engine: FaceEngine, folder: Path, names: Sequence[str]) -> dict[str, Embedding | None]:
    """The embedding of each picture; None where there is no readable face."""
    found: dict[str, Embedding | None] = {}
    for number, name in enumerate(names):
        try:
            found[name] = look(engine, decode((folder / name).read_bytes())).embedding
        except (BadPicture, OSError) as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            found[name] = None
        if number % 200 == 199:
            print(f"{number + 1} of {len(names)} pictures", file=sys.stderr)
    return found


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
    order = np.argsort(scores)
    ordered, good = scores[order], same[order]
    # With the threshold before position k: strangers below it and genuine pairs from it on are right.
    right = np.concatenate(([0], np.cumsum(~good))) + (good.sum() - np.concatenate(([0], np.cumsum(good))))
    edges = np.concatenate(([ordered[0] - 1], (ordered[1:] + ordered[:-1]) / 2, [ordered[-1] + 1]))
    return float(edges[int(np.argmax(right))])


def accuracy(scores: Scores, same: NDArray[np.bool_], folds: int = 10) -> float:
    """The part of right answers, each tenth judged with the best threshold of the other nine."""
    order = np.random.default_rng(0).permutation(len(scores))
    folds = min(folds, len(scores))
    if folds < 2:
        return float(((scores >= best_threshold(scores, same)) == same).mean())
    right = 0
    for part in np.array_split(order, folds):
        rest = np.setdiff1d(order, part)
        right += int(((scores[part] >= best_threshold(scores[rest], same[rest])) == same[part]).sum())
    return right / len(scores)


def compare(engine: FaceEngine, pairs: Sequence[tuple[str, str, bool]], folder: Path) -> dict[str, Any]:
    """What `--pairs` writes."""
    names = sorted({name for a, b, _ in pairs for name in (a, b)})
    found = embeddings(engine, folder, names)

    def scored(a: str, b: str) -> float:
        one, other = found[a], found[b]
        return MISSING if one is None or other is None else score(one, other, engine.metric)

    scores = np.array([scored(a, b) for a, b, _ in pairs])
    same = np.array([alike for _, _, alike in pairs])
    sign = -1 if engine.metric is Metric.EUCLIDEAN else 1
    result: dict[str, Any] = {
        "engine": engine.name,
        "model": engine.model_id,
        "metric": engine.metric.value,
        "pairs": len(pairs),
        "pictures": len(names),
        "without_face": sum(each is None for each in found.values()),
        "accuracy": accuracy(scores, same),
        "eer": equal_error_rate(scores, same),
    }
    for rate in (1e-2, 1e-3):
        threshold, misses = at_rate(scores, same, rate)
        # A score that nothing reaches has no threshold: no match is loose enough to be wrong.
        shown = sign * threshold if np.isfinite(threshold) else None
        result[f"fnmr_at_fmr_{rate:.0e}"] = misses
        result[f"threshold_at_fmr_{rate:.0e}"] = shown
    in_force = engine.thresholds.at(1e-3)
    result["threshold_in_force"] = sign * in_force
    result["fmr_in_force"] = float((scores[~same] >= in_force).mean()) if (~same).any() else None
    result["fnmr_in_force"] = float((scores[same] < in_force).mean()) if same.any() else None
    return result


# --- speed and memory ---------------------------------------------------------------------------------


def say(figure: str, value: float, target: float, unit: str, **more: Any) -> None:
    """One line."""
    line = {"figure": figure, "value": round(value, 2), "target": target, "unit": unit, **more}
    print(json.dumps(line | {"ok": value <= target}, ensure_ascii=False), flush=True)


def milliseconds(work: Callable[[], Any], times: int) -> list[float]:
    """How long each call took."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1000)
    return taken


@asynccontextmanager
async def a_service(load: Callable[[], FaceEngine]) -> Any:
    """A face service on a fresh database, its engine in its own process."""

    async def log_in(user_id: str, _address: str) -> Tokens:
        return Tokens.model_construct(None, access_token=user_id)  # type: ignore[call-arg]

    async def may_log_in(_user_id: str) -> bool:
        return True

    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        settings.prepare()
        database = Database(settings.url)
        migrate(database)
        eyes = FaceWorker(load)
        made = FaceService(database, settings, log_in=log_in, may_log_in=may_log_in, eyes=eyes)
        try:
            yield made, eyes
        finally:
            await made.close()
            database.close()


def base64_of(image: NDArray[np.uint8], suffix: str = ".jpg") -> str:
    """The picture as `faceInfo`."""
    from tests.service.face.faces import encoded

    return base64.b64encode(encoded(image, suffix)).decode()


async def measure_login(kind: str) -> None:
    """From a camera frame of 640 x 480 to the tokens, the model warm; the floor is the engine alone."""
    from tests.service.face import faces

    face_service.LOGINS_PER_MINUTE = 10**6
    frame = base64_of(faces.login())
    with loader(kind) as load:
        async with a_service(load) as (made, _):
            await made.enrol("somebody", [base64_of(each) for each in faces.enrolments()], CONSENT_VERSION)
            taken = []
            for number in range(35):
                started = time.perf_counter()
                await made.login(frame, f"192.0.2.{number}")
                taken.append((time.perf_counter() - started) * 1000)
        engine = load()
        bare = milliseconds(lambda: look(engine, decode(picture_bytes(frame))), 15)[5:]
    taken = taken[5:]
    say(
        f"login, engine {kind}",
        statistics.median(taken),
        LOGIN_MS[kind],
        "ms",
        p95=round(sorted(taken)[int(len(taken) * 0.95)], 2),
        floor=round(statistics.median(bare), 2),
    )


def measure_search(templates: int, metric: Metric, dimension: int = 128) -> None:
    """The best user and the best other one among so many templates; the floor is the bare products."""
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(templates, dimension)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    gallery = Gallery(dimension, metric)
    gallery.fill((str(number // 3), row) for number, row in enumerate(matrix))
    probe = matrix[templates // 2]
    taken = milliseconds(lambda: gallery.search(probe), 40)[10:]
    floor = milliseconds(lambda: np.vecdot(matrix, probe), 40)[10:]
    say(
        f"search over {templates:,} templates, {metric}, {dimension} numbers",
        statistics.median(taken),
        SEARCH_MS[templates],
        "ms",
        p95=round(sorted(taken)[int(len(taken) * 0.95)], 2),
        floor=round(statistics.median(floor), 2),
    )


def a_bomb(width: int, height: int) -> bytes:
    """A small PNG file that unpacks to `width` x `height` white pixels."""
    import struct

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    packer = zlib.compressobj(9)
    row = bytes(1) + b"\xff" * (width * 3)
    packed = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def hostile() -> dict[str, str]:
    """What somebody may send instead of a face."""
    from tests.service.face import faces

    jpeg = faces.encoded(faces.enrolment())
    files = {
        "decompression bomb, 400 MP": a_bomb(20_000, 20_000),
        "PNG just below the limit, 49 MP": a_bomb(7_000, 7_000),
        "truncated JPEG": jpeg[: len(jpeg) // 2],
        "1 x 1": a_bomb(1, 1),
        "GIF": b"GIF89a\x01\x00\x01\x00\x00\x00\x00;",
        "SVG": b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
    }
    return {name: base64.b64encode(data).decode() for name, data in files.items()} | {
        "path": "../../etc/passwd",
        "20 faces": base64_of(faces.crowd(20)),
    }


def megabytes(pid: int, field: str) -> float:
    """VmRSS or VmHWM of a process in MB; 0 where the system does not tell."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(field)), 0.0)


def forget_peaks(pids: Sequence[int]) -> None:
    """Let VmHWM of these processes begin anew (proc_pid_clear_refs(5), value 5)."""
    for pid in pids:
        Path(f"/proc/{pid}/clear_refs").write_text("5")


async def measure_hostile() -> None:
    """Each hostile picture as an enrolment: its answer, its time, and both processes' memory over idle."""
    from tests.service.face import faces

    with loader("dlib") as load:
        async with a_service(load) as (made, eyes):
            await made.enrol("somebody", [base64_of(faces.enrolment())], CONSENT_VERSION)
            child = eyes.process_id
            assert child is not None
            for name, face_info in hostile().items():
                pids = (os.getpid(), child)
                idle = sum(megabytes(pid, "VmRSS") for pid in pids)
                forget_peaks(pids)
                started = time.perf_counter()
                answer = "enrolled"
                try:
                    await made.enrol("other", [face_info], CONSENT_VERSION)
                except Refusal as refusal:
                    answer = refusal.msg
                taken = round((time.perf_counter() - started) * 1000, 1)
                peak = sum(megabytes(pid, "VmHWM") for pid in pids)
                say(f"memory over idle: {name}", peak - idle, MEMORY_MB, "MB", ms=taken, answer=answer)


def main() -> int:
    """Compare pairs, or measure the table of goals."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.face")
    parser.add_argument("--pairs", type=Path, help="a CSV file with the columns a, b, same")
    parser.add_argument("--images", type=Path, help="the folder that the names in it start from")
    parser.add_argument("--engine", default="dlib", help="dlib, a pack, or the kind of a pack")
    parser.add_argument("--out", type=Path, help="where the result of --pairs goes, as JSON")
    parser.add_argument("--only", choices=("login", "search", "hostile"))
    options = parser.parse_args()
    if options.pairs is not None:
        if options.images is None:
            parser.error("--pairs needs --images")
        with loader(options.engine) as load:
            result = compare(load(), read_pairs(options.pairs), options.images)
        text = json.dumps(result, indent=2, ensure_ascii=False)
        print(text)
        if options.out is not None:
            options.out.write_text(text + "\n", encoding="utf-8")
        return 0
    if options.only in (None, "login"):
        for kind in LOGIN_MS:
            try:
                asyncio.run(measure_login(kind))
            except PackError as problem:
                print(json.dumps({"figure": f"login, engine {kind}", "skipped": str(problem)}))
    if options.only in (None, "search"):
        for templates in SEARCH_MS:
            for metric in Metric:
                measure_search(templates, metric)
        measure_search(100_000, Metric.COSINE, 512)
    if options.only in (None, "hostile"):
        asyncio.run(measure_hostile())
    return 0


if __name__ == "__main__":
    sys.exit(main())
