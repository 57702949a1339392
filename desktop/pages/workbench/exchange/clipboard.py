"""Copies and pastes regions with their items' settings, as text on the clipboard."""

from __future__ import annotations

import json
from collections.abc import Callable

from pydantic import TypeAdapter, ValidationError
from PySide6.QtGui import QGuiApplication

from desktop.canvas.views.canvas_view import CanvasView
from desktop.record.copied_item import CopiedItem, copy_of
from desktop.record.document import ItemView
from desktop.record.region_link import RegionLink

_ITEMS = TypeAdapter(dict[str, CopiedItem])


def copy_regions(view: CanvasView, link: RegionLink, item_of: Callable[[str], ItemView | None]) -> None:
    """Copy the selected regions and the fields of their items to the clipboard.

    Does nothing if none is selected.
    """
    text = view.editor.selection_text()
    if not text:
        return
    data = json.loads(text)
    items = {region_id: item_of(region_id) for region_id in view.store.selected_ids}
    copies = {key: copy_of(item, link.size) for key, item in items.items() if item is not None}
    copied_items = {key: copy.model_dump(mode="json") for key, copy in copies.items() if copy is not None}
    # As text: QMimeData made here would be deleted by Qt after the interpreter has ended.
    QGuiApplication.clipboard().setText(json.dumps({**data, "items": copied_items}))


def paste_regions(view: CanvasView, link: RegionLink) -> None:
    """Add the regions of the clipboard as copies, if there are any."""
    try:
        data = json.loads(QGuiApplication.clipboard().text())
        link.paste_sources = _ITEMS.validate_python(data.get("items", {}) if isinstance(data, dict) else {})
    except (ValueError, ValidationError):
        link.paste_sources = {}
    view.paste()
