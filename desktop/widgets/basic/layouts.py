"""Removes widgets from layouts, and keeps places in them."""

from __future__ import annotations

from PySide6.QtWidgets import QLayout, QWidget


def remove_widget(widget: QWidget, layout: QLayout) -> None:
    """Remove `widget` from `layout` and delete it.

    If the widget is deleted without removing it first, Qt deletes its layout item and PySide does not notice:
    it keeps the address of the item. If Qt then creates another object at that address, for example a timer,
    the program crashes when that object is deleted (Shiboken 6.11, `Object::destroy`). `removeWidget` does
    the same with an item of a layout that is written in Python.
    """
    layout.takeAt(layout.indexOf(widget))
    widget.hide()
    widget.deleteLater()


def keep_place(widget: QWidget, on: bool) -> None:
    """Set whether `widget` keeps its place in a layout while it is hidden."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(on)
    widget.setSizePolicy(policy)


def clear_layout(layout: QLayout) -> None:
    """Remove all items from `layout` and delete their widgets, also those in nested layouts."""
    while (item := layout.takeAt(0)) is not None:
        widget, nested = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif nested is not None:
            clear_layout(nested)
            nested.deleteLater()
