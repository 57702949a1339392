"""Measures how well faces are distinguished, and how fast.

    python -m benchmarks.face --pairs PAIRS.csv --images DIR --engine NAME --out RESULT.json [--pack DIR]
    python -m benchmarks.face --attacks --sequence DIR ... [--movement NAME] [--engine NAME] [--liveness DIR]
    python -m benchmarks.face --enrolment --people DIR ... [--engine NAME]
    python -m benchmarks.face [--only NAME]

With pairs it prints accuracy, equal error rate, and false non-matches and thresholds at false match rates of
1e-2 and 1e-3 (benchmarks/face_pairs.py says how). Without, it measures the service: a login from the picture
to the answer, the search, and what hostile pictures cost, one JSON line per figure (benchmarks/figures.py).

With attacks it judges films of people who follow a challenge, attacks each of them in every way, and prints
why each film is refused, how many are, and how many attacks pass (benchmarks/face_attacks.py). DIR is a film,
or holds the films of one person: each a folder of frames (benchmarks/face_sequences.py).

With enrolment it compares one template with the four of a guided enrolment, on the pictures in DIR, one
folder a person (benchmarks/face_enrolment.py).

NAME is dlib, the engine or the name of a pack (open, insightface, mobilefacenet, sface), or a pack's folder.
`--pack DIR` uses a pack that is not installed: one with pack.json, a folder of loose model files that are
known, or an InsightFace pack. `--liveness DIR` adds the liveness models in DIR to dlib. Otherwise packs are
looked for among the installed ones, then among the loose files in WALKAROUND_TEST_MODELS or in shared/models
beside the project.
"""

from __future__ import annotations

import argparse
import base64
import functools
import json
import os
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.face_attacks import measure_attacks
from benchmarks.face_enrolment import measure_enrolment, read_folders
from benchmarks.face_forgeries import KINDS
from benchmarks.face_http import enrol, face_service, measure_over_http
from benchmarks.face_pairs import PairsError, compare, read_pairs
from benchmarks.figures import count_cores, percentile, print_figure, print_skipped, resident_mb, time_calls
from service.face.engines.analysis import analyse
from service.face.engines.engine import Metric
from service.face.engines.picture import decode, picture_bytes
from service.face.liveness.movements import Movement
from service.face.packs.pack_store import PackError, install, list_installed, load_engine
from service.face.templates.gallery import Gallery
from service.settings import Settings

LOGIN_MS = {"open": 60.0, "dlib": 250.0}
SEARCH_MS = {10_000: 2.0, 100_000: 15.0}
DIMENSIONS = (128, 512)
MEMORY_MB = 200.0
_WARM_UP = 5


# --- which engine -------------------------------------------------------------------------------------

NO_PACK = """there is no face model '{name}' here. Name a pack with --pack DIR (or a zip file), install one
(walkaround face install DIR, walkaround face download sface), or use --engine dlib, which needs none"""


def found_pack(name: str, source: Path | None, folder: Path) -> tuple[str, Path]:
    """The name of a pack and the folder of packs it lies in, for its name, its engine or its folder.

    `source` (or a `name` that is a folder or a zip file) is installed into `folder` first; otherwise the pack
    is looked for among the installed ones, then among loose model files. Raises PackError when there is none.
    """
    is_engine = name in ("open", "insightface")
    if source is None and not is_engine and (Path(name).is_dir() or Path(name).suffix == ".zip"):
        source, name = Path(name), ""
    # To measure is research.
    if source is not None:
        name_or_engine = name if name not in ("", "dlib") else None
        return install(source, folder, name_or_engine=name_or_engine, accept_research=True).name, folder
    installed_here = Settings().face_models_dir
    for pack in list_installed(installed_here):
        if name in (pack.name, pack.engine):
            return pack.name, installed_here
    beside = Path(__file__).resolve().parents[2] / "shared" / "models"
    loose = Path(os.environ.get("WALKAROUND_TEST_MODELS", beside))
    try:
        return install(loose, folder, name_or_engine=name, accept_research=True).name, folder
    except PackError:
        raise PackError(NO_PACK.format(name=name)) from None


@contextmanager
def chosen_model(
    name: str, pack: Path | None = None, liveness: Path | None = None
) -> Iterator[tuple[str, Path]]:
    """The name of the model and the folder of packs it lies in, with the models of `liveness`."""
    with tempfile.TemporaryDirectory() as folder:
        if liveness is not None:
            install(liveness, Path(folder), name_or_engine="liveness")
        if name == "dlib" and pack is None:
            yield name, Path(folder)
        else:
            yield found_pack(name, pack, Path(folder))


# --- speed and memory ---------------------------------------------------------------------------------


def base64_of(image: NDArray[np.uint8], suffix: str = ".jpg") -> str:
    """The picture as `faceInfo`."""
    from shared.samples.faces import encode_picture

    return base64.b64encode(encode_picture(image, suffix)).decode()


def measure_login(kind: str, logins: int) -> None:
    """From a camera frame of 640 x 480 to the tokens, the model warm; the floor is the engine alone."""
    from shared.samples import faces

    frame = base64_of(faces.login_picture())
    with chosen_model(kind) as model:
        with face_service(model) as running:
            enrol(running.client, [base64_of(each) for each in faces.enrolment_pictures()]).raise_for_status()

            def log_in() -> None:
                body = {"faceInfo": frame}
                running.client.post("/auth/loginByFaceInfo", json=body).raise_for_status()

            taken = time_calls(log_in, logins, _WARM_UP)
        engine = load_engine(*model)
        bare = time_calls(
            lambda: analyse(engine, decode(picture_bytes(frame))), max(logins // 3, 1), _WARM_UP
        )
    print_figure(
        f"login, engine {kind}",
        statistics.median(taken),
        "ms",
        goal=LOGIN_MS[kind],
        floor=statistics.median(bare),
        p95=round(percentile(taken, 0.95), 2),
    )


def measure_search(templates: int, metric: Metric, dimension: int) -> None:
    """The best user and the best other one among so many templates; the floor is the bare products."""
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(templates, dimension)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    gallery = Gallery(dimension, metric)
    gallery.fill((str(number // 3), row) for number, row in enumerate(matrix))
    probe = matrix[templates // 2]
    taken = time_calls(lambda: gallery.search(probe), 30, warm_up=10)
    floor = time_calls(lambda: np.vecdot(matrix, probe), 30, warm_up=10)
    print_figure(
        f"search over {templates:,} templates, {metric}, {dimension} numbers",
        statistics.median(taken),
        "ms",
        goal=SEARCH_MS.get(templates),
        floor=statistics.median(floor),
        p95=round(percentile(taken, 0.95), 2),
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


def hostile(bomb: int) -> dict[str, str]:
    """What someone may send instead of a face; `bomb` is the side of the picture that is too large, px."""
    from shared.samples import faces

    jpeg = faces.encode_picture(faces.enrolment_picture())
    files = {
        f"decompression bomb, {bomb * bomb // 10**6} MP": a_bomb(bomb, bomb),
        "PNG just below the limit, 49 MP": a_bomb(7_000, 7_000),
        "truncated JPEG": jpeg[: len(jpeg) // 2],
        "1 x 1": a_bomb(1, 1),
        "GIF": b"GIF89a\x01\x00\x01\x00\x00\x00\x00;",
        "SVG": b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
    }
    return {name: base64.b64encode(data).decode() for name, data in files.items()} | {
        "path": "../../etc/passwd",
        "20 faces": base64_of(faces.crowd_picture(20)),
    }


def forget_peaks(pids: Sequence[int]) -> None:
    """Let VmHWM of these processes begin again (proc_pid_clear_refs(5), value 5)."""
    for pid in pids:
        Path(f"/proc/{pid}/clear_refs").write_text("5")


def measure_hostile(bomb: int) -> None:
    """Each hostile picture as an enrolment: the answer, its time, and the memory of the service over idle."""
    from shared.samples import faces

    with chosen_model("dlib") as model, face_service(model) as running:
        enrol(running.client, [base64_of(faces.enrolment_picture())]).raise_for_status()
        for name, face_info in hostile(bomb).items():
            pids = running.processes()
            idle = sum(resident_mb("VmRSS", pid) for pid in pids)
            forget_peaks(pids)
            started = time.perf_counter()
            answer = enrol(running.client, [face_info]).json()["msg"]
            taken = round((time.perf_counter() - started) * 1000, 1)
            peak = sum(resident_mb("VmHWM", pid) for pid in pids)
            print_figure(
                f"memory over idle: {name}", peak - idle, "MB", goal=MEMORY_MB, ms=taken, answer=answer
            )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.face", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pairs", type=Path, help="a CSV file with the columns a, b, same (1 or 0)")
    parser.add_argument("--images", type=Path, help="the folder that relative names in it start from")
    parser.add_argument(
        "--engine", default="dlib", help="dlib (default), open, insightface, a pack's name, or its folder"
    )
    parser.add_argument("--pack", type=Path, help="the pack to use: a folder or zip file, not installed")
    parser.add_argument("--liveness", type=Path, help="a folder with liveness models, for --attacks")
    parser.add_argument("--out", type=Path, help="where the result of --pairs goes, as JSON")
    parser.add_argument("--jobs", type=int, default=count_cores(), help="processes for --pairs and --attacks")
    parser.add_argument("--attacks", action="store_true", help="attack the challenge of a face login")
    parser.add_argument(
        "--enrolment", action="store_true", help="compare one template with a guided enrolment"
    )
    parser.add_argument("--people", type=Path, nargs="+", default=[], metavar="DIR", help="a folder a person")
    parser.add_argument("--http", action="store_true", help="play --sequence to a real service")
    parser.add_argument("--seed", type=int, default=1, help="which attacks are drawn")
    parser.add_argument("--repeat", type=int, default=1, help="attacks of each kind on each film")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS, help="attacks of --attacks; all")
    parser.add_argument("--sequence", type=Path, nargs="+", default=[], metavar="DIR", help="films")
    parser.add_argument("--movement", choices=list(Movement), help="what --sequence shows")
    parser.add_argument("--only", choices=("login", "search", "hostile"), help="a part of the table of goals")
    parser.add_argument("--logins", type=int, default=30)
    parser.add_argument("--templates", type=int, nargs="+", default=sorted(SEARCH_MS), help="to search")
    parser.add_argument("--bomb", type=int, default=20_000, metavar="PX", help="side of the largest picture")
    return parser


def measure_pairs(options: argparse.Namespace) -> None:
    """What `--pairs` does. Raises PairsError, PackError, ImportError."""
    pairs = read_pairs(options.pairs)
    if options.out is not None:
        # Before the work: it may take long.
        options.out.parent.mkdir(parents=True, exist_ok=True)
    with chosen_model(options.engine, options.pack) as model:
        result = compare(functools.partial(load_engine, *model), pairs, options.images, options.jobs)
    text = json.dumps(result, indent=2, ensure_ascii=False)
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n", encoding="utf-8")


def measure_challenge(options: argparse.Namespace) -> None:
    """What `--attacks` does. Raises PackError, ImportError, OSError, ValueError."""
    with chosen_model(options.engine, options.pack, options.liveness) as model:
        if options.http:
            measure_over_http(
                load_engine(*model),
                model,
                options.sequence,
                seed=options.seed,
                kinds=options.kinds,
                repeat=options.repeat,
            )
            return
        measure_attacks(
            functools.partial(load_engine, *model),
            options.engine,
            options.sequence,
            seed=options.seed,
            jobs=options.jobs,
            kinds=options.kinds,
            repeat=options.repeat,
            movement=Movement(options.movement) if options.movement else None,
        )


def measure_enrolments(options: argparse.Namespace) -> None:
    """What `--enrolment` does. Raises PackError, ImportError, ValueError."""
    with chosen_model(options.engine, options.pack) as model:
        engine = load_engine(*model)
        for folder in options.people:
            measure_enrolment(engine, options.engine, read_folders(folder), folder.name, strangers=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare pairs, or measure the table of goals."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.pairs is not None or options.attacks or options.enrolment:
        needed = {"pairs": "images", "attacks": "sequence", "enrolment": "people"}
        part = next(name for name in needed if getattr(options, name))
        if not getattr(options, needed[part]):
            parser.error(f"--{part} needs --{needed[part]}")
        parts = {"pairs": measure_pairs, "attacks": measure_challenge, "enrolment": measure_enrolments}
        try:
            parts[part](options)
        except (PairsError, PackError, ImportError, OSError, ValueError) as problem:
            print(f"benchmarks.face: {problem}", file=sys.stderr)
            return 1
        return 0
    if options.only in (None, "login"):
        for kind in LOGIN_MS:
            try:
                measure_login(kind, options.logins)
            except PackError as problem:
                print_skipped(f"login, engine {kind}", str(problem))
    if options.only in (None, "search"):
        for templates in options.templates:
            for metric in Metric:
                measure_search(templates, metric, DIMENSIONS[0])
        measure_search(max(options.templates), Metric.COSINE, DIMENSIONS[1])
    if options.only in (None, "hostile"):
        measure_hostile(options.bomb)
    return 0


if __name__ == "__main__":
    sys.exit(main())
