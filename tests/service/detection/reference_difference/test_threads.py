"""Tests that the threads of a comparison belong to their owner and change no result."""

from __future__ import annotations

import threading
from contextlib import closing
from functools import partial

import pytest

from service.detection.reference_difference import detect
from service.detection.reference_difference.threads import WorkThreads, in_order_if_small, run_parallel
from shared import samples
from shared.record.geometry import Rect


def at_work() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("compare")}


@pytest.mark.parametrize("seed", [1, 2])
def test_shared_work_gives_the_same_bytes_and_closing_ends_the_threads(seed: int) -> None:
    before = at_work()
    scene = samples.draw_scene(1200, 900, seed)
    whole = Rect(0, 0, 1200, 900)
    alone = detect(scene.reference, whole, scene.photo)
    assert at_work() == before
    with closing(WorkThreads()) as threads:
        with threads.shared():
            shared = detect(scene.reference, whole, scene.photo)
        assert at_work() - before
    assert at_work() == before
    assert alone.boxes
    assert shared.boxes == alone.boxes
    assert shared.alignment.homography.tobytes() == alone.alignment.homography.tobytes()


def test_results_keep_the_order_of_the_work() -> None:
    work = [partial(int, value) for value in range(20)]
    with closing(WorkThreads()) as threads, threads.shared():
        assert run_parallel(work) == list(range(20))


@pytest.mark.parametrize(("pixels", "count"), [(640 * 640, 1), (2000 * 1500, 2)])
def test_only_work_on_large_frames_is_shared(pixels: int, count: int) -> None:
    both_started = threading.Barrier(count)

    def work() -> int:
        both_started.wait(60)
        return threading.get_ident()

    with closing(WorkThreads()) as threads, threads.shared(), in_order_if_small(pixels):
        assert len(set(run_parallel([work, work]))) == count


def test_work_shared_within_work_ends() -> None:
    def inner() -> list[int]:
        return run_parallel([lambda: 1, lambda: 2])

    with closing(WorkThreads()) as threads, threads.shared():
        assert run_parallel([inner] * 20) == [[1, 2]] * 20
