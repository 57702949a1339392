"""Parts of a large step, and showing them, never lie in one turn of the event loop."""

from __future__ import annotations

from desktop.pages.workbench.sync.slice_order import SliceGate


def test_a_part_waits_while_what_came_is_shown() -> None:
    pace = SliceGate()
    assert pace.may_go_on()
    pace.show()
    waited = 0
    while not pace.may_go_on():
        waited += 1
    # The lists, what they set off, and the canvas.
    assert waited == 3
    assert pace.may_go_on()
