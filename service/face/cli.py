"""Runs `walkaround face`: lists, installs and downloads packs of face models, calibrates the threshold."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from service.db.database import Database
from service.db.schema import migrate
from service.face.calibrate import calibration
from service.face.engines.analysis import analyse
from service.face.engines.engine import FaceEngine, Metric, engine_info
from service.face.engines.manifest import Pack, downloads
from service.face.engines.picture import BadPicture, decode
from service.face.packs.catalogue import list_models
from service.face.packs.download import download
from service.face.packs.pack_store import PackError, install, load_engine, model_in_use, use
from service.face.rules import FALSE_MATCH_RATE
from service.face.templates.gallery import Gallery
from service.face.templates.vault import Vault, read_templates
from service.settings import Settings
from shared.images.formats import is_picture_name
from shared.wire.face import FaceCalibration, FaceModel, FaceScores

_BAR = 30


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="walkaround face")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("models", help="list face models, their licences and what those allow")
    install_parser = commands.add_parser("install", help="install a pack from a zip file or a folder")
    install_parser.add_argument("source", type=Path)
    download_parser = commands.add_parser("download", help="download and install a known pack")
    download_parser.add_argument("name", choices=sorted(downloads()))
    for option_parser in (install_parser, download_parser):
        option_parser.add_argument(
            "--accept-research-only", action="store_true", help="your use is covered by a research licence"
        )
    use_parser = commands.add_parser(
        "use", help="choose the face model; takes effect at the next start of the service"
    )
    use_parser.add_argument("name")
    calibrate_parser = commands.add_parser("calibrate", help="compare the enrolled users with each other")
    calibrate_parser.add_argument(
        "--strangers", type=Path, help="a folder with photos of people who are not enrolled"
    )
    return parser


def main(arguments: Sequence[str], settings: Settings) -> int:
    """Run `face ...` and return the exit status."""
    options = _parser().parse_args(list(arguments[1:]))
    settings.prepare()
    try:
        if options.command == "models":
            _models(settings)
        elif options.command == "install":
            _print_installed(
                install(options.source, settings.face_models_dir, accept_research=_accepts(options))
            )
        elif options.command == "use":
            use(options.name, settings)
            print(f"{options.name} is used from the next start; models never mix, so everyone enrols again")
        elif options.command == "download":
            _download(options, settings)
        else:
            _calibrate(options, settings)
    except (PackError, ImportError, FileNotFoundError) as problem:
        print(f"walkaround face: {problem}", file=sys.stderr)
        return 1
    return 0


def _accepts(options: argparse.Namespace) -> bool:
    return bool(options.accept_research_only)


def _models(settings: Settings) -> None:
    for model in list_models(settings.face_models_dir, model_in_use(settings)):
        state = "in use" if model.state == "in_use" else "to get" if model.state == "offered" else model.state
        print(f"{'*' if model.state == 'in_use' else ' '} {model.name} ({state}, engine {model.engine})")
        if model.state == "missing":
            print("    it is in use, but not installed: face login does not work")
        print(f"    licence:  {model.licence}\n    allows:   {model.allows}")
        print(f"    liveness: {_describe_liveness(model)}")
        if model.how:
            print(f"    get it:   {model.how}")
    print("\n* in use; another is chosen with: walkaround face use NAME")


def _describe_liveness(model: FaceModel) -> str:
    if model.engine == "liveness":
        return "yes, with every other model"
    if model.checks_liveness:
        return "yes"
    return "no: a photo on a phone can log in, unless minifasnet is installed too"


def _print_installed(pack: Pack) -> None:
    print(f"installed {pack.name} ({pack.licence}; {pack.allows})")
    if pack.engine == "liveness":
        print("it checks every face login from the next start")
    else:
        print(f"choose it with: walkaround face use {pack.name}")


def _download(options: argparse.Namespace, settings: Settings) -> None:
    def progress(name: str, bytes_done: int, size: int) -> None:
        filled_width = _BAR * bytes_done // size
        bar = "#" * filled_width + "." * (_BAR - filled_width)
        end = "\n" if bytes_done >= size else ""
        print(f"\r{name} [{bar}] {bytes_done / 2**20:.1f} of {size / 2**20:.1f} MB", end=end, file=sys.stderr)

    offer = downloads()[options.name]
    _print_installed(download(offer, settings.face_models_dir, progress, accept_research=_accepts(options)))


def _calibrate(options: argparse.Namespace, settings: Settings) -> None:
    engine = load_engine(model_in_use(settings), settings.face_models_dir)
    database = Database(settings.url)
    try:
        migrate(database)
        vault = Vault(settings.data_dir, settings.face_key_file)
        templates, unreadable_count = database.read_now(
            lambda session: read_templates(session, vault, engine.model_id)
        )
    finally:
        database.close()
    with ThreadPoolExecutor(os.cpu_count() or 1) as readers:
        gallery = Gallery(engine.dimension, engine.metric, readers)
        gallery.fill(templates)
        strangers = None
        if options.strangers is not None:
            embeddings = list(_embeddings(engine, options.strangers))
            print(f"{len(embeddings)} photos of strangers with a face")
            strangers = (
                np.concatenate([gallery.scores(embedding) for embedding in embeddings])
                if embeddings
                else None
            )
        if unreadable_count:
            print(f"{unreadable_count} templates do not open with this face.key and are left out")
        _print(calibration(engine_info(engine), gallery, strangers))


def _embeddings(engine: FaceEngine, folder: Path) -> Iterator[np.ndarray]:
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}")
    for path in sorted(folder.rglob("*")):
        if not is_picture_name(path.name):
            continue
        try:
            embedding = analyse(engine, decode(path.read_bytes())).embedding
        except BadPicture as bad:
            print(f"{path.name}: {bad.fault}", file=sys.stderr)
            continue
        if embedding is None:
            print(f"{path.name}: no face", file=sys.stderr)
        else:
            yield embedding


def _print(figures: FaceCalibration) -> None:
    print(f"model {figures.model}: {figures.templates} templates of {figures.users} users")
    score = "minus the distance" if figures.metric == Metric.EUCLIDEAN else "cosine"
    print(f"threshold in force: {figures.threshold:.3f} ({score}; larger is more alike)")
    for name, scores in (("strangers", figures.strangers), ("same user", figures.same_user)):
        print(f"{name:<10} {_scores(scores)}")
    if figures.false_match_bound is None:
        print("no comparisons of strangers yet: enrol a second user or name a folder with --strangers")
        return
    print(
        f"{figures.false_matches} false matches in {figures.strangers.pairs} comparisons: the rate is below "
        f"{figures.false_match_bound:.2g} with 95 % confidence (wanted: {FALSE_MATCH_RATE:g} a login)"
    )


def _scores(scores: FaceScores) -> str:
    if scores.largest is None:
        return "no pairs"
    return (
        f"{scores.pairs} pairs: largest {scores.largest:.3f}, 99 % below {scores.percentile_99:.3f}, "
        f"median {scores.median:.3f}, smallest {scores.smallest:.3f}"
    )
