"""Runs `walkaround memory make | show`: the memory of a region from files, without a service."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from service.detection.cli import add_comparison_options, given_region
from service.detection.compute.computer import Computer
from service.detection.failure import DetectionFailed
from service.detection.messages import VERSION, Request
from service.detection.reference_difference import RegionMemory
from service.detection.reference_difference.variation.serial import MemoryUnreadable, from_bytes, to_bytes
from service.settings import Settings
from shared.record.content import sha256
from shared.record.geometry import Rect
from shared.system.os_errors import describe_os_error
from shared.wire.detection import ModelKind


def main(arguments: Sequence[str], _settings: Settings) -> int:
    """Run `memory`; 0 done, 1 a failure was reported, 2 used wrongly."""
    parser = argparse.ArgumentParser(
        prog="walkaround memory", description="make and show the known variations of a region"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make", help="make the known variations of a region from photos that passed")
    making.add_argument("--reference", type=Path, required=True, help="the reference image")
    making.add_argument("--out", type=Path, required=True, help="file to write")
    making.add_argument(
        "photos", type=Path, nargs="+", metavar="PHOTO", help="photos that passed, oldest first"
    )
    add_comparison_options(making)
    showing = commands.add_parser("show", help="show the photos that a file was made from")
    showing.add_argument("file", type=Path)
    options = parser.parse_args(list(arguments[1:]))
    try:
        if options.command == "show":
            print(json.dumps(_summary(from_bytes(options.file.read_bytes()))))
            return 0
        return _make(options, given_region(options, making))
    except MemoryUnreadable:
        reason = "is not a file of known variations, or of another version"
        print(f"walkaround memory: {options.file} {reason}", file=sys.stderr)
    except OSError as error:
        print(f"walkaround memory: {describe_os_error(error)}", file=sys.stderr)
    return 1


def _make(options: argparse.Namespace, region: tuple[float, float, float, float] | None) -> int:
    """Write the memory, with one JSON line per photo; 1 when no photo could be compared. Raises OSError."""
    memories: list[RegionMemory] = []
    settings = {"sensitivity": options.sensitivity, "smallest": options.smallest}
    with Computer() as computer:
        for order, photo in enumerate(options.photos):
            line: dict[str, object] = {"photo": str(photo)}
            try:
                if not (photo.is_file() and options.reference.is_file()):
                    # Reading a pipe or a device would never end.
                    raise DetectionFailed("file_lost")
                request = Request(
                    kind=ModelKind.REFERENCE_DIFFERENCE,
                    photo=str(photo),
                    reference=str(options.reference),
                    point=region,
                    mm_per_pixel=options.mm_per_pixel,
                    settings=settings,
                )
                alone = computer.photo_memory(request, sha256(photo.read_bytes()), order)
                memories.append(alone)
                line["differences"] = sum(len(appearance.appearances) for appearance in alone.photos)
            except DetectionFailed as error:
                line |= {"differences": None, "error": error.code, "message": str(error)}
            print(json.dumps(line, ensure_ascii=False), flush=True)
    if not memories:
        return 1
    together = RegionMemory.of(memories[0].region, (photo for memory in memories for photo in memory.photos))
    options.out.write_bytes(to_bytes(together))
    return 0


def _summary(memory: RegionMemory) -> dict[str, object]:
    return {
        "version": VERSION,
        "region": _rect_values(memory.region),
        "photos": [{"sha256": photo.key, "differences": len(photo.appearances)} for photo in memory.photos],
        "disagrees_with_reference": [_rect_values(place) for place in memory.aligned().disagreements()],
    }


def _rect_values(rect: Rect) -> list[float]:
    return [round(value, 1) for value in (rect.x, rect.y, rect.w, rect.h)]
