"""Runs modal questions, and ends those that no person can answer.

Nobody sees the windows of Qt's platforms "offscreen" and "minimal", on which the tests, the demo and the
benchmarks run. A question that opens there would wait forever.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QLabel

_PLATFORMS_WITHOUT_PERSON = ("offscreen", "minimal")
_ANSWER_MS = 60_000
"""How long a program may take to answer a question, ms."""

_answering_programs = 0


class UnansweredQuestionError(RuntimeError):
    """A modal question opened where no person can answer it; `str()` has its title and text."""


def is_unattended() -> bool:
    """Return True if no person can see the windows. Needs a QGuiApplication."""
    return QGuiApplication.platformName() in _PLATFORMS_WITHOUT_PERSON


@contextmanager
def answers_by_program() -> Iterator[None]:
    """In the block, a program answers the questions, so an unattended question may stay for a minute."""
    global _answering_programs
    _answering_programs += 1
    try:
        yield
    finally:
        _answering_programs -= 1


@contextmanager
def question() -> Iterator[None]:
    """Contains the call that opens a modal question and returns with its answer.

    Raises UnansweredQuestionError at the end of the block if no person was there. Then the question was
    closed as soon as it was open, or after a minute within `answers_by_program`.
    """
    if not is_unattended():
        yield
        return
    closed: list[str] = []

    def close() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QDialog):
            closed.append(_describe(dialog))
            dialog.reject()

    timer = QTimer(interval=_ANSWER_MS if _answering_programs else 0)
    timer.timeout.connect(close)
    timer.start()
    try:
        yield
    finally:
        timer.stop()
    if closed:
        raise UnansweredQuestionError(f"no person is there to answer: {closed[0]}")


def ask(dialog: QDialog) -> bool:
    """Open a modal dialog; return True if it was accepted. Raises UnansweredQuestionError, see `question`."""
    with question():
        return dialog.exec() == QDialog.DialogCode.Accepted


def _describe(dialog: QDialog) -> str:
    texts = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible() and label.text()]
    title = dialog.windowTitle()
    return " / ".join([title, *(text for text in texts if text != title)])
