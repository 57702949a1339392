"""Every kind of edit has a name of its own in undo messages."""

from __future__ import annotations

from desktop.canvas.model.regions import RegionStep
from desktop.record.edit_names import EditName, edit_name


def test_no_step_of_the_canvas_shares_its_name_with_another_edit() -> None:
    assert not {name.value for name in EditName} & {step.value for step in RegionStep}
    assert edit_name(RegionStep.MOVE) == "Move region"
    assert edit_name(EditName.MOVE) == "Reorder items"
