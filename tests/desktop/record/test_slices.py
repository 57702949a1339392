"""Parts of a large step, and showing them, never lie in one turn of the event loop."""

from __future__ import annotations

from desktop.record.slices import SliceGate


def test_part_waits_while_edits_are_being_shown() -> None:
    gate = SliceGate()
    assert gate.may_run_slice()
    gate.show()
    waited = 0
    while not gate.may_run_slice():
        waited += 1
    # The lists, their signals, and the canvas.
    assert waited == 3
    assert gate.may_run_slice()
