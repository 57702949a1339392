"""The live preview: the face is marked where the mirrored picture shows it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from desktop.camera import Face, Hint
from desktop.pages.common.faces.viewfinder import Viewfinder


@pytest.fixture
def view(qtbot: QtBot) -> Viewfinder:
    view = Viewfinder()
    qtbot.addWidget(view)
    view.resize(640, 480)
    frame = QImage(640, 480, QImage.Format.Format_BGR888)
    frame.fill(QColor(90, 90, 90))
    view.show_frame(frame)
    return view


def test_the_face_is_marked_mirrored(view: Viewfinder) -> None:
    without = view.grab().toImage()
    view.show_face(Face(0.1, 0.25, 0.25, 0.3))
    assert view.face_box() == QRectF(0.65 * 640, 120, 160, 144)
    marked = view.grab().toImage()
    # The corner is drawn, the middle of the face is not.
    assert marked.pixel(420, 121) != without.pixel(420, 121)
    assert marked.pixel(496, 150) == without.pixel(496, 150)
    view.show_face(None)
    assert view.grab().toImage().pixel(420, 121) == without.pixel(420, 121)


def test_mark_stays_on_the_face_in_a_cropped_picture(view: Viewfinder) -> None:
    view.resize(480, 480)
    view.show_face(Face(0.5, 0.0, 0.5, 1.0))
    assert view.face_box() == QRectF(-80, 0, 320, 480)


def test_without_a_picture_nothing_is_marked(view: Viewfinder) -> None:
    view.show_face(Face(0.1, 0.25, 0.25, 0.3))
    view.show_sentence("The camera was unplugged.")
    assert view.face_box().isEmpty()


def test_each_hint_has_its_text(view: Viewfinder) -> None:
    texts = [view.hint_text(hint) for hint in Hint]
    assert all(texts)
    assert len(set(texts)) == len(texts)
