"""What can be wrong with a window: to the eye, to the keyboard, to a screen reader; each fault as a line."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QScrollBar,
    QTableView,
    QWidget,
)

from desktop.app.palette import Palette
from desktop.app.window import MainWindow
from desktop.theme import LABEL_PX, text_font

SMALL_SCREEN = (1280, 670)
"""A laptop of 1920 x 1080 at 1.5, less its task bar and the frame of the window."""
_SLACK = 8


def visible_widgets(root: QWidget) -> list[QWidget]:
    return [widget for widget in root.findChildren(QWidget) if widget.isVisible() and not _inner(widget)]


def _inner(widget: QWidget) -> bool:
    """Parts that Qt makes for itself inside a control."""
    parent = widget.parentWidget()
    return (
        widget.objectName().startswith("qt_")
        or isinstance(widget, QScrollBar | QHeaderView)
        or (isinstance(parent, QComboBox | QLineEdit) and not isinstance(widget, QAbstractButton))
        or type(widget).__name__ == "QLineEditIconButton"
        or type(widget).__name__.startswith("QTableCornerButton")
    )


def controls(root: QWidget) -> list[QWidget]:
    """What a person can click or type into."""
    kinds = QAbstractButton | QLineEdit | QPlainTextEdit | QComboBox | QAbstractItemView | QAbstractSlider
    return [
        widget
        for widget in visible_widgets(root)
        if (isinstance(widget, kinds) or widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.focusProxy() is None
        and not isinstance(widget, QScrollArea)
    ]


def accessible_name(widget: QWidget) -> str:
    """What a screen reader calls it."""
    return str(QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)).strip()


def widget_name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton | QLineEdit) else ""
    return f"{type(widget).__name__}({widget.accessibleName() or text or widget.objectName()!r})"


def find_unnamed(root: QWidget) -> list[str]:
    return [
        f"{widget_name(widget)} in {type(widget.parentWidget()).__name__}"
        for widget in controls(root)
        if not accessible_name(widget)
    ]


def walk(root: QWidget) -> set[QWidget]:
    """The widgets that Tab leads to, round once; a canvas that keeps Tab for itself is left with F6."""
    top = root.window()
    reached: set[QWidget] = set()
    for _ in range(400):
        before = QApplication.focusWidget() or top
        QTest.keyClick(before, Qt.Key.Key_Tab)
        now = QApplication.focusWidget()
        if now is before:
            QTest.keyClick(before, Qt.Key.Key_F6)
            now = QApplication.focusWidget()
        if now is None or now in reached:
            break
        reached.add(now)
    return reached


def find_unreachable(root: QWidget) -> list[str]:
    reached = walk(root)
    return [
        widget_name(widget)
        for widget in controls(root)
        if widget.isEnabled()
        and widget not in reached
        # The arrows move in the list of the palette while the focus stays in its line.
        and not (isinstance(root, Palette) and isinstance(widget, QAbstractItemView))
        # Of the buttons of a group that excludes one another the arrows choose.
        and not any(_together(widget, other) for other in reached)
    ]


def _together(first: QWidget, second: QWidget) -> bool:
    if not isinstance(first, QAbstractButton) or not isinstance(second, QAbstractButton):
        return False
    group = first.group()
    return group is not None and group is second.group() and group.exclusive()


def cut(root: QWidget) -> list[str]:
    """The texts that do not fit, and what they would need."""
    faults = []
    for widget in visible_widgets(root):
        if widget.toolTip():
            continue
        if isinstance(widget, QTableView):
            faults += cut_titles(widget)
        need, have = widget.sizeHint().width(), widget.width()
        tall, high = 0, 0
        if isinstance(widget, QLabel):
            if not widget.text():
                continue
            if widget.wordWrap():
                need, tall, high = 0, widget.heightForWidth(have), widget.height()
        elif isinstance(widget, QComboBox):
            need = widget.fontMetrics().horizontalAdvance(widget.currentText()) + 34
        elif isinstance(widget, QLineEdit):
            keys = [key for key in widget.findChildren(QLabel) if key.isVisible()]
            beside = widget.textMargins().left() + sum(key.width() + 10 for key in keys)
            need = widget.fontMetrics().horizontalAdvance(widget.placeholderText()) + 22 + beside
        elif not isinstance(widget, QAbstractButton):
            continue
        if need > have + 1 or tall > high + 1:
            faults.append(f"{widget_name(widget)} needs {need} x {tall}, has {have} x {high}")
    return faults


def cut_titles(table: QTableView) -> list[str]:
    """The titles of columns that do not fit."""
    head, model = table.horizontalHeader(), table.model()
    titles = [str(model.headerData(at, Qt.Orientation.Horizontal)) for at in range(model.columnCount())]
    metrics = QFontMetrics(text_font(LABEL_PX, bold=True))
    return [
        f"the column {title} of {widget_name(table)}"
        for at, title in enumerate(titles)
        if not head.isSectionHidden(at) and metrics.horizontalAdvance(title) + 20 > head.sectionSize(at)
    ]


def outside(window: MainWindow) -> list[str]:
    """The controls and labels that leave the window, where nothing scrolls."""
    faults = []
    whole = window.rect()
    for widget in visible_widgets(window):
        if _is_in_scroll_area(widget):
            continue
        place = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
        if not whole.contains(place):
            faults.append(f"{widget_name(widget)} at {place.getRect()}")
    return faults


def overlapping(root: QWidget) -> list[str]:
    """Pairs of neighbours of one layout that lie on one another."""
    faults = []
    for parent in [root, *visible_widgets(root)]:
        layout = parent.layout()
        if layout is None:
            continue
        inside = [
            child
            for child in parent.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
            if child.isVisible() and not child.isWindow() and _laid_out(child, layout)
        ]
        for first, second in combinations(inside, 2):
            if first.geometry().intersects(second.geometry()):
                faults.append(f"{widget_name(first)} and {widget_name(second)} in {type(parent).__name__}")
    return faults


def sideways(root: QWidget) -> list[str]:
    """The lists whose columns do not fit, and what is cut where nothing scrolls sideways."""
    return [
        f"{widget_name(widget)} scrolls sideways by {widget.horizontalScrollBar().maximum()} px"
        for widget in visible_widgets(root)
        if isinstance(widget, QAbstractItemView | QScrollArea) and widget.horizontalScrollBar().maximum() > 0
    ]


def too_small(window: MainWindow) -> list[str]:
    """What the page in front needs, where it has less."""
    page = window.page
    assert page is not None
    need, have = page.minimumSizeHint(), page.size()
    if need.width() <= have.width() and need.height() <= have.height():
        return []
    return [f"needs {need.width()} x {need.height()}, has {have.width()} x {have.height()}"]


def too_large(dialog: QWidget) -> list[str]:
    """What a dialog has more than a small screen."""
    size = dialog.size()
    if size.width() <= SMALL_SCREEN[0] and size.height() <= SMALL_SCREEN[1]:
        return []
    return [f"{size.width()} x {size.height()} on a screen of {SMALL_SCREEN}"]


def find_padded_texts(dialog: QWidget) -> list[str]:
    """The one-line texts that were given more height than they need: emptiness where none was meant."""
    return [
        f"{widget_name(label)} needs {label.sizeHint().height()}, has {label.height()}"
        for label in visible_widgets(dialog)
        if isinstance(label, QLabel)
        and label.parentWidget() is dialog
        and not label.wordWrap()
        and label.text()
        and label.height() > label.sizeHint().height() + _SLACK
        and label.width() > dialog.width() // 2
    ]


def _laid_out(child: QWidget, layout: Any) -> bool:
    return any(
        item.widget() is child or (item.layout() is not None and _laid_out(child, item.layout()))
        for item in (layout.itemAt(index) for index in range(layout.count()))
    )


def _is_in_scroll_area(widget: QWidget) -> bool:
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea | QAbstractItemView):
            return True
        above = above.parentWidget()
    return False
