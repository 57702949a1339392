"""Runs `walkaround worker`: a child process that the service starts and controls by its standard streams.

A child process loads only the module of its kind, so this module names the kinds as strings.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence

from shared.system.startup import without_garbage_collection

# Option -> (module with `main()`, one line of help)
KINDS = {
    "--check": ("service.detection.compute.model_check", "check model files instead"),
    "--faces": ("service.face.face_worker", "compare faces instead"),
    "--variations": (
        "service.detection.compute.variation_worker",
        "find what photos add to a memory instead",
    ),
    "--films": ("service.files.film_process", "check films instead"),
    "--tiles": ("service.files.tile_process", "create tiles of images instead"),
}
_DETECTION = "service.detection.compute.worker"


def main(arguments: Sequence[str]) -> int:
    """Answer requests of one kind until the input closes; detections if no option is given."""
    parser = argparse.ArgumentParser(prog="walkaround worker", description="run a child process of a service")
    kinds = parser.add_mutually_exclusive_group()
    for option, (module, line) in KINDS.items():
        kinds.add_argument(option, dest="module", action="store_const", const=module, help=line)
    parser.set_defaults(module=_DETECTION)
    options = parser.parse_args(arguments[1:])
    with without_garbage_collection():
        serve: Callable[[], None] = importlib.import_module(options.module).main
    serve()
    return 0
