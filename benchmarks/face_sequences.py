"""Reads films of people who follow a challenge from folders of frames."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.photos import list_photos, read_photo
from service.face.engines.picture import Pixels
from service.face.liveness.movements import Movement, Step

FRAME_MS = 80


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """Frames BGR uint8, their times in ms, the steps they answer, and the eyes (2, 2) px in the first one."""

    frames: list[Pixels]
    times: list[float]
    steps: list[Step]
    eyes: NDArray[np.float64]


def read_folder(folder: Path, movement: Movement | None = None) -> Take:
    """The image sequence in `folder`, in the order of its file names.

    `sequence.json` there may hold `times` (ms of each frame) and `steps` (movement, from_ms, to_ms). Without
    it the frames are `FRAME_MS` apart, and `movement` is asked for after the first sixth. Raises ValueError
    for a folder without that.
    """
    frames = [read_photo(file) for file in list_photos(folder)]
    if len(frames) < 2:
        raise ValueError(f"{folder}: not a sequence of pictures")
    about = folder / "sequence.json"
    if about.is_file():
        fields = json.loads(about.read_text(encoding="utf-8"))
        steps = [Step(Movement(step["movement"]), step["from_ms"], step["to_ms"]) for step in fields["steps"]]
        times = [float(at) for at in fields.get("times", range(0, FRAME_MS * len(frames), FRAME_MS))]
    elif movement is not None:
        times = [float(at) for at in range(0, FRAME_MS * len(frames), FRAME_MS)]
        steps = [Step(movement, round(times[-1] / 6), round(times[-1]) + FRAME_MS)]
    else:
        raise ValueError(f"{folder}: no sequence.json; name the movement with --movement")
    return Take(frames, times, steps, np.zeros((2, 2)))
