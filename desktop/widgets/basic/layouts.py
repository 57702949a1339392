"""Fills rows and columns, removes widgets from layouts, and keeps places in them."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

Part: TypeAlias = QWidget | QLayout | int | tuple[Any, ...]
"""A widget or layout, alone or in a tuple with the other arguments of `addWidget`; a number is a stretch."""
Margins: TypeAlias = int | tuple[int, int, int, int]
"""Left, top, right and bottom in px; one number for all."""

_Box = TypeVar("_Box", bound=QBoxLayout)


def row_of(
    *parts: Part, parent: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Create a row of `parts`, as the layout of `parent` if one is given. None keeps what the style gives."""
    return _fill(QHBoxLayout() if parent is None else QHBoxLayout(parent), parts, margins, spacing)


def column_of(
    *parts: Part, parent: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """Create a column, as `row_of` does a row."""
    return _fill(QVBoxLayout() if parent is None else QVBoxLayout(parent), parts, margins, spacing)


def _fill(box: _Box, parts: tuple[Part, ...], margins: Margins | None, spacing: int | None) -> _Box:
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
            continue
        inner, *options = part if isinstance(part, tuple) else (part,)
        (box.addWidget if isinstance(inner, QWidget) else box.addLayout)(inner, *options)
    return box


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
