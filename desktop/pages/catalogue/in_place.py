"""Makes a catalogue entry beside the field that chooses one, without leaving the form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from desktop.context import Context
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.common.forms.form import Form
from desktop.pages.common.forms.lookup import task_name
from desktop.widgets import Button, ButtonKind, Field
from shared.codes import Permission
from shared.wire.catalogue import Task


def offer_new(
    context: Context, field: Field, text: str, form: Callable[[], Form], named: str, key: str
) -> None:
    """Put a button `text` beside a field that chooses an entry, for those who may make one.

    It opens `form`, whose field `named` begins with what was typed and names nothing yet; the entry that was
    saved, with its id in `key`, is chosen.
    """
    if not context.may(Permission.CATALOGUE_MANAGE):
        return
    button = Button(text, kind=ButtonKind.LINK)
    field.add_action(button)
    button.clicked.connect(lambda _checked=False: open_new(field, form(), named, key))


def open_new(field: Field, form: Form, named: str, key: str) -> None:
    """Open a form for a new entry and choose in `field` what it saves; see `offer_new`."""
    chooser = field.editor
    assert isinstance(chooser, SearchCombo)
    entry_id, typed = chooser.typed_choice()
    if typed.strip() and not entry_id:
        form.fields[named].set_text(typed.strip())
        form.mark_changed()

    def saved(entry: Any) -> None:
        name = task_name(entry) if isinstance(entry, Task) else str(getattr(entry, named))
        chooser.choose((getattr(entry, key), name))
        field.set_error("")
        field.setFocus()

    form.saved.connect(saved)
    form.finished.connect(form.deleteLater)
    form.open()
