"""Tests that a notifier wakes every waiter on its event loop, and that tasks end that lose a cancellation."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.tasks import Notifier, end_tasks

PATIENCE = 60.0


def run_with_time_limit(work: Coroutine[Any, Any, None]) -> None:
    async def run_bounded() -> None:
        async with asyncio.timeout(PATIENCE):
            await work

    asyncio.run(run_bounded())


async def run_ready_tasks() -> None:
    """Let the event loop run ready tasks; the end of a wait takes a few of its iterations."""
    for _ in range(10):
        await asyncio.sleep(0)


STEPS = st.lists(
    st.tuples(st.sampled_from(["wait", "notify", "notify from thread", "cancel"]), st.integers(0, 3)),
    max_size=30,
)


@given(STEPS)
def test_waiter_continues_exactly_after_a_later_notification(steps: list[tuple[str, int]]) -> None:
    async def work() -> None:
        notifier = Notifier()
        waiters: dict[int, tuple[int, asyncio.Task[int]]] = {}
        for step, number in steps:
            if step == "wait":
                if number not in waiters:
                    # The count may be old: the notifications since then are not missed.
                    count = max(0, notifier.count - number)
                    waiters[number] = count, asyncio.create_task(notifier.wait(count))
            elif step == "cancel":
                if number in waiters:
                    waiters.pop(number)[1].cancel()
            elif step == "notify":
                notifier.notify()
            else:
                thread = threading.Thread(target=notifier.notify)
                thread.start()
                thread.join()
            await run_ready_tasks()
            for count, task in waiters.values():
                assert task.done() == (notifier.count > count)
        for count, task in waiters.values():
            if task.done():
                assert task.result() > count
            task.cancel()

    run_with_time_limit(work())


def test_no_wake_up_is_missed_between_threads_and_loops() -> None:
    """Threads write and readers on several loops count. After a missed wake-up a reader would never end."""
    notifier = Notifier()
    lock = threading.Lock()
    written = 0
    writers, each, loops, readers = 4, 500, 3, 5

    def write() -> None:
        nonlocal written
        for _ in range(each):
            with lock:
                written += 1
            notifier.notify()

    async def read() -> None:
        read_so_far = 0
        while read_so_far < writers * each:
            count = notifier.count
            if (newest := written) == read_so_far:
                await notifier.wait(count)
            read_so_far = newest

    async def read_all() -> None:
        await asyncio.gather(*(read() for _ in range(readers)))

    with ThreadPoolExecutor(writers + loops) as pool:
        reading = [pool.submit(run_with_time_limit, read_all()) for _ in range(loops)]
        writing = [pool.submit(write) for _ in range(writers)]
        for future in (*writing, *reading):
            future.result(PATIENCE)
    assert notifier.count == writers * each


async def test_wait_ends_at_its_time_limit_without_a_notification() -> None:
    async with asyncio.timeout(PATIENCE):
        notifier = Notifier()
        notifier.notify()
        assert await notifier.wait(1, 0.001) == 1
        assert await notifier.wait(1, -1) == 1
        assert not notifier._waiting


async def test_cancelled_waiter_ends_also_when_it_is_notified_in_the_same_turn() -> None:
    async with asyncio.timeout(PATIENCE):
        notifier = Notifier()
        cancelled, other = (asyncio.create_task(notifier.wait(0, PATIENCE)) for _ in range(2))
        await run_ready_tasks()
        notifier.notify()
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert await other == 1
        notifier.notify()


async def test_closed_loop_of_a_waiter_keeps_no_other_waiter_asleep() -> None:
    async with asyncio.timeout(PATIENCE):
        notifier = Notifier()
        closed = asyncio.new_event_loop()

        def leave_waiting() -> None:
            waiting = closed.create_task(notifier.wait(0))
            closed.call_soon(closed.call_soon, closed.stop)
            closed.run_forever()
            assert not waiting.done()
            closed.close()
            # A task that was destroyed is logged otherwise.
            waiting._log_destroy_pending = False  # type: ignore[attr-defined]

        await asyncio.to_thread(leave_waiting)
        other = asyncio.create_task(notifier.wait(0))
        await run_ready_tasks()
        notifier.notify()
        assert await other == 1


async def test_waiter_that_is_always_notified_lets_others_run() -> None:
    async with asyncio.timeout(PATIENCE):
        notifier = Notifier()
        notifier.notify()

        others = 0

        async def other() -> None:
            nonlocal others
            for _ in range(10):
                others += 1
                await asyncio.sleep(0)

        beside = asyncio.create_task(other())
        for _ in range(10):
            await notifier.wait(0)
        assert others >= 9
        await beside


async def lose_one_cancellation() -> None:
    """As `asyncio.wait_for` of Python 3.11 loses one in the moment in which what it waits for is done."""
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        await asyncio.sleep(60)


async def fail() -> None:
    raise LookupError


async def test_task_that_loses_a_cancellation_is_cancelled_again() -> None:
    task = asyncio.create_task(lose_one_cancellation())
    await asyncio.sleep(0)
    await asyncio.wait_for(end_tasks(task, None, seconds=0.01), 20)
    assert task.cancelled()


async def test_failure_of_a_task_is_not_raised() -> None:
    task = asyncio.create_task(fail())
    await asyncio.sleep(0)
    await end_tasks(task)
    assert isinstance(task.exception(), LookupError)
