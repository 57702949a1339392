"""Tests that tasks end also if they lose a cancellation."""

from __future__ import annotations

import asyncio

from service.tasks import end_tasks


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
