"""Fills in the forms of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from shiboken6 import isValid

from desktop.demo.driver.stage import StepFailedError, click, wait_until, write
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.common.forms.form import Form


def _do_nothing() -> None:
    pass


def fill(form: Form, texts: Mapping[str, str], then: Callable[[], None] = _do_nothing) -> None:
    """Type `texts` into the fields of a form, do `then`, and save.

    Raises StepFailedError with the errors that the form shows.
    """
    for name, text in texts.items():
        editor = form.fields[name].editor
        if isinstance(editor, SearchCombo):
            write(editor, text)
            wait_until(partial(_has_choice, editor, text), f"{text} can be chosen")
        else:
            write(editor, text)
    then()
    click(form.save)
    wait_until(partial(_is_saved, form), "the form is saved")


def _is_saved(form: Form) -> bool:
    if not isValid(form) or not form.isVisible():
        return True
    if shown_errors(form):
        raise StepFailedError(f"the form was not saved: {shown_errors(form)}")
    return False


def _has_choice(chooser: SearchCombo, text: str) -> bool:
    return chooser.findText(text) >= 0


def shown_errors(form: Form) -> str:
    """What a form says is wrong, or an empty string."""
    errors = [field.error() for field in form.fields.values() if field.error()]
    if form.banner.isVisible():
        errors.append(form.banner.text())
    return "; ".join(errors)
