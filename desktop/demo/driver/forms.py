"""Fills in the forms of the program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from shiboken6 import isValid

from desktop.demo.driver.window_driver import StepFailedError, click, type_text, wait_until
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.common.forms.form import Form


def fill_form(form: Form, texts: Mapping[str, str]) -> None:
    """Type `texts` into the fields of a form and save it.

    Raises StepFailedError with the errors that the form shows.
    """
    for name, text in texts.items():
        editor = form.fields[name].editor
        if isinstance(editor, SearchCombo):
            type_text(editor, text)
            wait_until(partial(_has_choice, editor, text), f"{text} can be chosen")
        else:
            type_text(editor, text)
    click(form.save)
    wait_until(partial(_is_saved, form), "the form is saved")


def _is_saved(form: Form) -> bool:
    if not isValid(form) or not form.isVisible():
        return True
    if form_errors(form):
        raise StepFailedError(f"the form was not saved: {form_errors(form)}")
    return False


def _has_choice(chooser: SearchCombo, text: str) -> bool:
    return chooser.findText(text) >= 0


def form_errors(form: Form) -> str:
    """Return the errors that a form shows, or ""."""
    errors = [field.error() for field in form.fields.values() if field.error()]
    if form.banner.isVisible():
        errors.append(form.banner.text())
    return "; ".join(errors)
