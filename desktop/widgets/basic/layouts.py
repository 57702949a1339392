"""Removes widgets from layouts."""

from __future__ import annotations

from PySide6.QtWidgets import QLayout, QWidget


def discard(widget: QWidget, layout: QLayout) -> None:
    """Take `widget` out of `layout`, and delete it.

    Without the first, Qt deletes the layout's item together with the widget, and PySide does not learn of it:
    it goes on taking the item's address for the item. When Qt next makes an object at that address, a timer
    for example, the program crashes as soon as that object is deleted (Shiboken 6.11, `Object::destroy`).
    """
    layout.removeWidget(widget)
    widget.hide()
    widget.deleteLater()


def clear(layout: QLayout) -> None:
    """Remove all items from `layout` and delete their widgets. Nested layouts are not supported."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
