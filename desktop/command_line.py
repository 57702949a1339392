"""Runs the desktop's side of the `walkaround` command: `run`, `demo`, and its part of `doctor`."""

from __future__ import annotations

import argparse
import importlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from desktop.display import check_window_libraries, connect_fcitx, has_display
from shared.system.startup import without_garbage_collection


def main(arguments: Sequence[str]) -> int:
    """Run ``run [--server URL]``, ``demo [--out DIR]`` or ``doctor``, and return the exit status."""
    if arguments and arguments[0] == "doctor":
        from desktop.doctor import main as doctor

        return doctor(_without_service_options(arguments[1:]))
    return _demo(arguments[1:]) if arguments and arguments[0] == "demo" else _run(arguments[1:])


def _without_service_options(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of `doctor` without those that the service's part of it reads."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--data-dir")
    parser.add_argument("--database-url")
    return parser.parse_known_args(arguments)[1]


def _parse_server_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise argparse.ArgumentTypeError("give a whole address such as http://192.168.1.20:8600")
    return text.rstrip("/")


def _run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="walkaround run", description="Open the desktop.")
    parser.add_argument(
        "--server",
        metavar="URL",
        type=_parse_server_url,
        help="use the service at URL instead of starting one",
    )
    parser.add_argument(
        "--data-dir", metavar="DIR", type=Path, help="data folder of the service that the desktop starts"
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("out"),
        help="folder for the demo's output, without a display",
    )
    options = parser.parse_args(arguments)
    if not has_display():
        print("There is no display here, so the demo runs instead of the windows.", flush=True)
        return _play_demo(options.out)
    from desktop.connection.local_service import start_early

    # OpenBLAS, which numpy and OpenCV each bring, starts a thread for each core and lets it spin for work: a
    # fifth of the processor time of a start. Neither the desktop nor its service multiplies anything large.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # The service starts long before the window. A signal that arrives until then is kept for the window.
    terminated: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: terminated.append(number))
    service = start_early(options.server, options.data_dir)
    connect_fcitx()
    try:
        check_window_libraries()
        with without_garbage_collection():
            # Before Qt, because PySide reads the source of each module that is imported after it.
            for module in ("desktop.client", "shared.images.opening"):
                importlib.import_module(module)
            from desktop.app.running import run_desktop
    except ImportError:
        if service is not None:
            service.stop()
        raise
    return run_desktop(options.server, options.data_dir, service, lambda: bool(terminated))


def _demo(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="walkaround demo", description="Play a whole inspection offscreen, in a fresh data folder."
    )
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("out"), help="where it writes (out)")
    return _play_demo(parser.parse_args(arguments).out)


def _play_demo(out: Path) -> int:
    with without_garbage_collection():
        from desktop.demo import play_demo

    status: int = play_demo(out)
    if status == 0:
        print(f"The workbench is in {out / 'workbench.png'}, the report in {out / 'report.pdf'}.")
    return status
