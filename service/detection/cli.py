"""Runs `walkaround detect` on files without a service, and `walkaround model add | list`."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import csv
import io
import json
import math
import sqlite3
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from sqlalchemy import event
from sqlmodel import Session, select

from service.changes import BeforeCommit
from service.db.database import Database
from service.db.schema import migrate
from service.detection.compute.computer import Computer
from service.detection.failure import MESSAGES, BadModel, DetectionFailed
from service.detection.messages import Request
from service.detection.models.registry import Models, list_models
from service.detection.onnx.settings import parse_settings
from service.detection.reference_difference.variation.serial import MemoryUnreadable, from_bytes
from service.detection.tables import ModelRow
from service.settings import Settings
from service.web.envelope import Problem
from service.web.language import in_english
from shared.record.entries import EntryBox
from shared.system.os_errors import describe_os_error
from shared.wire.detection import REFERENCE_DIFFERENCE, DetectionModel, ModelKind
from shared.wire.inspection import Place


class _Pair(NamedTuple):
    """One line of work: the files, and what is wrong with the line of the table."""

    reference: Path | None
    photo: Path | None
    wrong: str | None = None


class _IncompleteLineError(Exception):
    """A line of a table names too little."""

    code = "line_incomplete"


def main(arguments: Sequence[str], settings: Settings, before_commit: Sequence[BeforeCommit] = ()) -> int:
    """Run `detect` or `model`; 0 done, 1 a failure was reported, 2 used wrongly.

    `before_commit` are listeners for what changes, such as the audit log's.
    """
    if arguments[0] == "detect":
        return _detect(list(arguments[1:]), settings)
    return _model(list(arguments[1:]), settings, before_commit)


def _detect(arguments: list[str], settings: Settings) -> int:
    parser = argparse.ArgumentParser(prog="walkaround detect", description="run detection on files")
    parser.add_argument("--reference", type=Path, help="the reference image")
    parser.add_argument("--photo", type=Path, help="today's photo")
    parser.add_argument("--model", default=REFERENCE_DIFFERENCE, help="model ID or .onnx file")
    add_comparison_options(parser)
    parser.add_argument(
        "--memory", type=Path, help="known variations of the region, written by `walkaround memory make`"
    )
    parser.add_argument(
        "--place",
        type=Place,
        choices=list(Place),
        default=Place.ALIGN,
        help="align (default), or compare by appearance: a fixed camera, or an object that lies anywhere",
    )
    parser.add_argument(
        "--passed",
        type=Path,
        nargs="+",
        default=[],
        help="photos that passed, to compare by appearance: with --place align if a photo cannot be aligned",
    )
    parser.add_argument("--batch", type=Path, help="CSV file with the columns reference,photo")
    parser.add_argument("--out", type=Path, help="file for the JSON lines (default: standard output)")
    options = parser.parse_args(arguments)
    if (options.batch is None) == (options.photo is None):
        parser.error("give either --photo (with --reference) or --batch")
    region = given_region(options, parser)
    if options.model != REFERENCE_DIFFERENCE and (options.place is not Place.ALIGN or options.passed):
        parser.error("--place and --passed are used without --model")
    try:
        model = _chosen_detector(options.model, settings)
        if options.memory is not None:
            from_bytes(options.memory.read_bytes())
    except MemoryUnreadable:
        reason = "is not a file of known variations, or of another version"
        print(f"walkaround detect: {options.memory} {reason}", file=sys.stderr)
        return 1
    except (BadModel, LookupError, OSError) as error:
        print(f"walkaround detect: {in_english(str(error))}", file=sys.stderr)
        return 1
    if model["kind"] == ModelKind.REFERENCE_DIFFERENCE:
        if options.batch is None and options.reference is None:
            parser.error("this model needs --reference")
        model["settings"] = {
            **model["settings"],
            "sensitivity": options.sensitivity,
            "smallest": options.smallest,
        }
    needed = ("reference", "photo") if model["kind"] == ModelKind.REFERENCE_DIFFERENCE else ("photo",)
    try:
        pairs = _pairs(options.batch, needed) if options.batch else [_Pair(options.reference, options.photo)]
    except (ValueError, csv.Error) as error:
        print(f"walkaround detect: {options.batch}: {error}", file=sys.stderr)
        return 2
    memory = None if options.memory is None else str(options.memory)
    extra = {
        "point": region,
        "mm_per_pixel": options.mm_per_pixel,
        "memory": memory,
        "item": {"place": options.place},
        "passed": tuple(str(photo) for photo in options.passed),
    }
    folder = Path() if options.batch is None else options.batch.parent
    if options.out is None:
        return _run(pairs, model, extra, folder, sys.stdout)
    with options.out.open("w", encoding="utf-8") as out:
        return _run(pairs, model, extra, folder, out)


def add_comparison_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the region and how finely it is compared."""
    parser.add_argument(
        "--region", help="x,y,w,h in pixels or fractions (0..1) of the reference image (default: all of it)"
    )
    parser.add_argument("--mm-per-pixel", type=float, help="scale of the reference image")
    parser.add_argument(
        "--smallest", type=float, help="length of the smallest defect in px (mm with --mm-per-pixel)"
    )
    parser.add_argument(
        "--sensitivity", type=float, default=0.5, help="0..1; higher finds fainter differences"
    )


def given_region(
    options: argparse.Namespace, parser: argparse.ArgumentParser
) -> tuple[float, float, float, float] | None:
    """The region of these options. Ends the program if an option of `add_comparison_options` is invalid."""
    if not 0 <= options.sensitivity <= 1:
        parser.error("--sensitivity lies within 0..1")
    for name, length in (("--smallest", options.smallest), ("--mm-per-pixel", options.mm_per_pixel)):
        if length is not None and not (math.isfinite(length) and length > 0):
            parser.error(f"{name} is a length above 0")
    if options.region is None:
        return None
    try:
        x, y, w, h = (float(part) for part in options.region.split(","))
    except ValueError:
        parser.error("--region is x,y,w,h")
    if not all(map(math.isfinite, (x, y, w, h))) or min(x, y) < 0 or min(w, h) <= 0:
        parser.error("--region lies outside of the reference image or has no area")
    return x, y, w, h


def _pairs(batch: Path, needed: Sequence[str]) -> list[_Pair]:
    """The pairs of a CSV file, in its order. Raises OSError, csv.Error, ValueError."""
    rows = csv.DictReader(io.StringIO(_text(batch.read_bytes()), newline=""), skipinitialspace=True)
    missing = [name for name in needed if name not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"the first line names no column {' and no '.join(missing)}")
    pairs = []
    for row in rows:
        paths = {name: (row.get(name) or "").strip() for name in ("reference", "photo")}
        reference, photo = (Path(text) if text else None for text in paths.values())
        empty = [name for name in needed if not paths[name]]
        pairs.append(
            _Pair(reference, photo, f"line {rows.line_num} has no {' or '.join(empty)}" if empty else None)
        )
    return pairs


def _text(data: bytes) -> str:
    """Decode a table: UTF-8 or UTF-16, else the code page of Chinese spreadsheets."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("gb18030")


def _resolve_path(path: Path, folder: Path) -> str:
    """Resolve a path: relative to the working directory if it exists there, else to the CSV file's folder."""
    return str(path if path.exists() or path.is_absolute() else folder / path)


def _chosen_detector(name: str, settings: Settings) -> dict[str, Any]:
    """The fields of a request that name a model: the built-in one, a file, or a model of the service."""
    if name == REFERENCE_DIFFERENCE:
        return {"kind": ModelKind.REFERENCE_DIFFERENCE, "settings": {}, "labels": ()}
    path = Path(name)
    if path.suffix.lower() == ".onnx" or path.is_file():
        if not path.is_file():
            raise LookupError(f"there is no file {path}")
        from service.detection.compute.compute_process import check_model

        checked = check_model(path, None, {})
        return {**checked, "labels": tuple(checked["labels"]), "model": str(path)}
    unknown = LookupError(f"there is no model {name}; `walkaround model list` names them")
    database = Database(settings.url)
    if database.is_sqlite and not Path(str(database.url.database)).is_file():
        raise unknown
    try:

        def read(session: Session) -> dict[str, Any]:
            row = session.exec(select(ModelRow).where(ModelRow.model_id == name)).first()
            if row is None or row.sha256 is None:
                raise unknown
            blob = Models(database, settings).path(row.sha256)
            stored = {"kind": row.kind, "settings": row.settings, "labels": tuple(row.labels)}
            return {**stored, "model": str(blob), "sha256": row.sha256}

        return database.read_now(read)
    finally:
        database.close()


def _request(fields: dict[str, Any], folder: Path, pair: _Pair) -> Request:
    """The request for a pair. Raises _IncompleteLineError, and DetectionFailed if a path is not a file."""
    reference, photo, wrong = pair
    if photo is None or wrong is not None:
        raise _IncompleteLineError
    photo_path, reference_path = (
        _resolve_path(photo, folder),
        None if reference is None else _resolve_path(reference, folder),
    )
    if not all(Path(path).is_file() for path in (photo_path, reference_path) if path is not None):
        # A pipe or a device would never end.
        raise DetectionFailed("file_lost")
    return Request(photo=photo_path, reference=reference_path, **fields)


def _run(
    pairs: Sequence[_Pair],
    model: dict[str, Any],
    extra: dict[str, Any],
    folder: Path,
    out: TextIO,
) -> int:
    """Write one JSON line per pair, with the error of a refused pair. Returns 1 if no pair was compared."""
    failed, total = 0, 0
    make = partial(_request, {**model, **extra}, folder)
    with Computer() as computer:
        for pair, following in zip(pairs, [*pairs[1:], None], strict=True):
            reference, photo, wrong = pair
            total, started = total + 1, time.perf_counter()
            reference_name, photo_name = (None if path is None else str(path) for path in (reference, photo))
            line: dict[str, Any] = {"reference": reference_name, "photo": photo_name}
            then = None
            with contextlib.suppress(DetectionFailed, _IncompleteLineError):
                then = None if following is None else make(following)
            try:
                finished = computer.run(make(pair), then=then)
                line["boxes"] = [_box(finding) for finding in finished.boxes]
                if extra.get("memory") is not None:
                    line["suppressed"] = [
                        {**_box(finding.box), "left": finding.left, "photos": list(finding.photos)}
                        for finding in finished.suppressed
                    ]
                if finished.appearance is not None:
                    line["appearance"] = finished.appearance
                line["passed"] = finished.passed
                line["alignment"] = finished.alignment
            except (DetectionFailed, _IncompleteLineError) as error:
                failed += 1
                # Without a service nothing can be uploaded again: the path is what helps.
                lost = [
                    path
                    for path in (reference_name, photo_name)
                    if path and not Path(_resolve_path(Path(path), folder)).is_file()
                ]
                line |= {
                    "boxes": [],
                    "passed": None,
                    "alignment": None,
                    "error": error.code,
                    "message": wrong or _message(error.code, lost),
                }
            line["seconds"] = round(time.perf_counter() - started, 4)
            print(json.dumps(line, ensure_ascii=False), file=out, flush=True)
    return 1 if failed and failed == total else 0


def _message(code: str, lost: Sequence[str]) -> str:
    """What failed, in English as all of the command line, for a code and the paths that are not files."""
    if lost:
        return f"no such file: {', '.join(lost)}"
    return in_english(MESSAGES[code])


def _box(box: EntryBox) -> dict[str, Any]:
    return {"label": box["label"], "confidence": box["confidence"], **box["points"]}


def _model(arguments: list[str], settings: Settings, before_commit: Sequence[BeforeCommit]) -> int:
    parser = argparse.ArgumentParser(prog="walkaround model", description="add and list detection models")
    commands = parser.add_subparsers(dest="command", required=True)
    adding = commands.add_parser("add", help="check an ONNX file and add it")
    adding.add_argument("file", type=Path)
    adding.add_argument("--name", help="model name (default: file name)")
    adding.add_argument("--description")
    adding.add_argument(
        "--kind",
        choices=[kind.value for kind in ModelKind if kind is not ModelKind.REFERENCE_DIFFERENCE],
    )
    adding.add_argument("--labels", type=Path, help="text file with one label a line")
    adding.add_argument("--settings", default="{}", help="settings of the detector as a JSON object")
    commands.add_parser("list", help="list the models as JSON lines")
    options = parser.parse_args(arguments)
    if options.command == "add" and options.file.exists() and not options.file.is_file():
        # A pipe or a device would never end.
        print(f"walkaround model: {options.file} is no file", file=sys.stderr)
        return 1
    settings.prepare()
    database = Database(settings.url)
    database.before_commit.extend(before_commit)
    if database.is_sqlite:
        # Only a running service folds the log into the SQLite file; two that do could corrupt it.
        event.listen(database.writer, "connect", _no_checkpoint)
    models = Models(database, settings)
    try:
        migrate(database)
        if options.command == "list":
            for model in list_models(database):
                print(_in_english(model).model_dump_json())
            return 0
        added = models.add_now(
            options.file,
            options.name or options.file.stem,
            options.description,
            None if options.kind is None else ModelKind(options.kind),
            _overrides(options.settings),
            options.labels.read_text("utf-8").splitlines() if options.labels else None,
            None,
            "command line",
        )
        print(added.model_dump_json())
    except (Problem, OSError, ValueError) as error:
        text = describe_os_error(error) if isinstance(error, OSError) else in_english(str(error))
        print(f"walkaround model: {text}", file=sys.stderr)
        return 1
    finally:
        models.close()
        database.close()
    return 0


def _in_english(model: DetectionModel) -> DetectionModel:
    """The model, with an English name and description if it is the built-in one."""
    if model.kind is not ModelKind.REFERENCE_DIFFERENCE:
        return model
    description = "Aligns the photo to the region of the reference image and compares them; needs no training"
    return model.model_copy(update={"model_name": "Reference difference", "model_description": description})


def _overrides(text: str) -> dict[str, Any]:
    try:
        return parse_settings(text)
    except ValueError as error:
        raise ValueError(f"--settings is {error}") from error


def _no_checkpoint(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA wal_autocheckpoint = 0").close()
