"""Creates a catalogue entry from the field that selects one, without leaving the form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from desktop.context import Context
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.common.forms.form import Form
from desktop.pages.common.forms.lookup import task_name
from desktop.widgets import Button, ButtonKind, Field
from shared.record.codes import Permission
from shared.wire.catalogue import Task


def add_creation_button(
    context: Context, field: Field, text: str, form: Callable[[], Form], name_field: str, id_field: str
) -> None:
    """Add a button `text` to a field that selects an entry, if the user may create one.

    The button opens `form`. If the typed text is not the name of an entry, it is filled into the form's field
    `name_field`. The saved entry, whose ID is in `id_field`, is selected.
    """
    if not context.may(Permission.CATALOGUE_MANAGE):
        return
    button = Button(text, kind=ButtonKind.LINK)
    field.add_action(button)
    button.clicked.connect(lambda _checked=False: open_creation_form(field, form(), name_field, id_field))


def open_creation_form(field: Field, form: Form, name_field: str, id_field: str) -> None:
    """Open a form for a new entry and select the saved entry in `field`; see `add_creation_button`."""
    chooser = field.editor
    assert isinstance(chooser, SearchCombo)
    entry_id, typed_text = chooser.typed_choice()
    if typed_text.strip() and not entry_id:
        form.fields[name_field].set_text(typed_text.strip())
        form.mark_changed()

    def use_entry(entry: Any) -> None:
        name = task_name(entry) if isinstance(entry, Task) else str(getattr(entry, name_field))
        chooser.choose((getattr(entry, id_field), name))
        field.set_error("")
        field.setFocus()

    form.saved.connect(use_entry)
    form.finished.connect(form.deleteLater)
    form.open()
