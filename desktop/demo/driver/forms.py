"""Fills in the forms of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from shiboken6 import isValid

from desktop.demo.driver.stage import FailedError, click, wait_until, write
from desktop.pages.common.forms.chooser import SearchCombo
from desktop.pages.common.forms.form import Form


def _nothing() -> None:
    pass


def fill(form: Form, texts: Mapping[str, str], then: Callable[[], None] = _nothing) -> None:
    """Type `texts` into the fields of a form, do `then`, and save. Raises FailedError with what it says."""
    for name, text in texts.items():
        editor = form.fields[name].editor
        if isinstance(editor, SearchCombo):
            write(editor, text)
            wait_until(partial(_offers, editor, text), f"{text} can be chosen")
        else:
            write(editor, text)
    then()
    click(form.save)
    wait_until(partial(_saved, form), "the form is saved")


def _saved(form: Form) -> bool:
    if not isValid(form) or not form.isVisible():
        return True
    if complaint(form):
        raise FailedError(f"the form was not saved: {complaint(form)}")
    return False


def _offers(chooser: SearchCombo, text: str) -> bool:
    return chooser.findText(text) >= 0


def complaint(form: Form) -> str:
    """What a form says is wrong, or an empty string."""
    errors = [field.error() for field in form.fields.values() if field.error()]
    if form.banner.isVisible():
        errors.append(form.banner.text())
    return "; ".join(errors)
