"""Edits an item's detection settings in a folding box."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QSlider, QVBoxLayout, QWidget

from desktop.localization.detection_terms import place_text
from desktop.record.detection_settings import (
    ItemDetectionSettings,
    sensitivity_of,
    takes_thresholds,
)
from desktop.record.edit_names import group_digits
from desktop.widgets import Button, ButtonKind, Combo, IconButton, clear_layout, column_of, label, row_of
from shared.record.geometry import Rect
from shared.wire.detection import DetectionModel
from shared.wire.inspection import Place

_STEP = 5
_LARGEST = 100_000.0


class DetectionSettingsBox(QWidget):
    """Place, sensitivity, smallest defect and ignored areas of the chosen item."""

    changed = Signal(object)
    """Emits the changed `ItemDetectionSettings`."""
    area_wanted = Signal()
    """Emitted to draw an ignored area."""
    area_chosen = Signal(int)
    """Emits the index of the selected ignored area, or -1."""
    use_for_all_wanted = Signal()
    """Emitted to have all items detected as this one is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = ItemDetectionSettings()
        self._editable = True
        self._areas: tuple[Rect, ...] = ()
        self.fold = Button("", kind=ButtonKind.QUIET, icon="chevron-right")
        self.fold.setObjectName("own-settings")
        self._content = QWidget()
        self.sensitivity = QSlider(Qt.Orientation.Horizontal)
        self.sensitivity.setObjectName("own-sensitivity")
        self.sensitivity.setRange(0, 100)
        self.sensitivity.setSingleStep(_STEP)
        self.sensitivity.setPageStep(2 * _STEP)
        self.sensitivity.setAccessibleName(self.tr("Sensitivity"))
        self._sensitivity_label = label("", "dim")
        self.as_model = Button(self.tr("Default"), kind=ButtonKind.LINK)
        self.smallest = QDoubleSpinBox()
        self.smallest.setObjectName("own-smallest")
        self.smallest.setAccessibleName(self.tr("Minimum finding size"))
        self.smallest.lineEdit().setTextMargins(6, 0, 0, 0)
        self.smallest.setRange(0, _LARGEST)
        self.smallest.setKeyboardTracking(False)
        self.smallest.setSpecialValueText(self.tr("Default"))
        self.place = Combo(self.tr("Position in photos"))
        self.place.setObjectName("own-place")
        self.place.set_choices([(place, place_text(place)) for place in Place])
        self.use_for_all = Button(self.tr("Use for all items"), kind=ButtonKind.LINK)
        self.use_for_all.setObjectName("own-for-all")
        self.use_for_all.setToolTip(self.tr("Sensitivity, minimum finding size and position in photos"))
        self.area = Button(self.tr("Add ignored area"), icon="rectangle")
        self.area.setObjectName("own-area")
        self._problem = label(
            self.tr("Cannot read these settings. Set them again, or reset to default."),
            "error",
            wrap=True,
        )
        self._list = QVBoxLayout()
        self._thresholds = QWidget()
        self._build()
        self._connect()
        self.open(False)

    def _build(self) -> None:
        head = row_of(label(self.tr("Sensitivity"), "label"), 1, self._sensitivity_label)
        size = row_of(label(self.tr("Minimum finding size"), "label"), 1, self.smallest)
        place = row_of(label(self.tr("Position in photos"), "label"), 1, self.place)
        lines = QVBoxLayout(self._thresholds)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(6)
        lines.addLayout(head)
        lines.addWidget(self.sensitivity)
        lines.addLayout(size)
        lines.addLayout(place)
        lines.addWidget(self.use_for_all, 0, Qt.AlignmentFlag.AlignRight)
        self._list.setSpacing(2)
        inner = QVBoxLayout(self._content)
        inner.setContentsMargins(0, 4, 0, 0)
        inner.setSpacing(8)
        inner.addWidget(self._problem)
        inner.addWidget(self._thresholds)
        inner.addWidget(label(self.tr("Ignored areas"), "label"))
        inner.addLayout(self._list)
        row = row_of(self.area, 1, self.as_model)
        inner.addLayout(row)
        column_of(
            (self.fold, 0, Qt.AlignmentFlag.AlignLeft), self._content, parent=self, margins=0, spacing=0
        )

    def _connect(self) -> None:
        self.fold.clicked.connect(lambda _checked=False: self.open(self._content.isHidden()))
        self.sensitivity.valueChanged.connect(self._on_sensitivity_changed)
        self.smallest.valueChanged.connect(self._on_smallest_changed)
        self.place.picked.connect(self._on_place_picked)
        self.use_for_all.clicked.connect(lambda _checked=False: self.use_for_all_wanted.emit())
        self.area.clicked.connect(lambda _checked=False: self.area_wanted.emit())
        self.as_model.clicked.connect(
            lambda _checked=False: self.changed.emit(
                ItemDetectionSettings(alignment=self._settings.alignment)
            )
        )
        for widget in (self.sensitivity, self.smallest):
            widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # A wheel scrolls the panel; it must not change a value by accident.
        if event.type() is QEvent.Type.Wheel and watched in (self.sensitivity, self.smallest):
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def open(self, on: bool) -> None:
        """Unfold the settings, or fold them."""
        self._content.setVisible(on)
        self.fold.set_icon("chevron-down" if on else "chevron-right")
        self.area_chosen.emit(-1)

    def choose_place(self, place: Place) -> None:
        """Change where the region of the item lies in photos."""
        self.changed.emit(replace(self._settings, place=place, readable=True))

    def show_settings(
        self,
        settings: ItemDetectionSettings,
        model: DetectionModel | None,
        areas: tuple[Rect, ...],
        mm_per_pixel: float | None,
        has_others: bool = False,
    ) -> None:
        """Show the settings of an item with this `model`. `areas` are its ignored areas in px.

        `has_others`: the record has other items.
        """
        self.use_for_all.setVisible(has_others)
        self.setVisible(model is not None)
        has_thresholds = takes_thresholds(model)
        self._thresholds.setVisible(has_thresholds)
        self._problem.setHidden(settings.readable)
        controls = (self.sensitivity, self.smallest)
        for widget in controls:
            widget.blockSignals(True)
        self.smallest.setDecimals(0 if mm_per_pixel is None else 1)
        self.smallest.setSingleStep(1 if mm_per_pixel is None else 0.5)
        self.smallest.setSuffix(" px" if mm_per_pixel is None else " mm")
        value = sensitivity_of(model) if settings.sensitivity is None else settings.sensitivity
        self.sensitivity.setValue(round(100 * value))
        self.smallest.setValue(settings.smallest or 0)
        self.place.set_value(settings.place)
        for widget in controls:
            widget.blockSignals(False)
        self._sensitivity_label.setText(self._sensitivity_text(value, settings.sensitivity is None))
        self.sensitivity.setAccessibleDescription(self._sensitivity_label.text())
        self.as_model.setVisible(not settings.default)
        if areas != self._areas or self._list.count() != len(areas):
            self._areas = areas
            self._list_areas()
        self._settings = settings
        title = (
            self.tr("Detection settings: default")
            if settings.default
            else self.tr("Detection settings: custom")
        )
        self.fold.setText(title)

    def set_editable(self, on: bool) -> None:
        """Enable or disable changes of the settings."""
        self._editable = on
        controls = (self.sensitivity, self.smallest, self.place, self.use_for_all, self.area, self.as_model)
        for widget in controls:
            widget.setEnabled(on)
        for button in self.findChildren(IconButton):
            button.setEnabled(on)

    def _list_areas(self) -> None:
        clear_layout(self._list)
        for index, area in enumerate(self._areas):
            self._list.addWidget(self._area_row(index, area))

    def _area_row(self, place: int, area: Rect) -> QWidget:
        size = f"{group_digits(area.w)} × {group_digits(area.h)} px"
        text = self.tr("Area {n}: {size}").format(n=place + 1, size=size)
        name = Button(text, kind=ButtonKind.QUIET)
        name.clicked.connect(lambda _checked=False: self.area_chosen.emit(place))
        remove = IconButton("trash", self.tr("Remove ignored area {n}").format(n=place + 1), side=24)
        remove.setEnabled(self._editable)
        remove.clicked.connect(lambda _checked=False: self.changed.emit(self._settings.without_area(place)))
        line = QWidget()
        row_of(name, 1, remove, parent=line, margins=0)
        return line

    def _on_sensitivity_changed(self, value: int) -> None:
        wanted = round(value / _STEP) * _STEP / 100
        self._sensitivity_label.setText(self._sensitivity_text(wanted, False))
        self.changed.emit(replace(self._settings, sensitivity=wanted, readable=True))

    def _on_smallest_changed(self, value: float) -> None:
        self.changed.emit(replace(self._settings, smallest=value or None, readable=True))

    def _on_place_picked(self, place: object) -> None:
        self.choose_place(Place(str(place)))

    def _sensitivity_text(self, value: float, default: bool) -> str:
        levels = (
            self.tr("very low"),
            self.tr("low"),
            self.tr("medium"),
            self.tr("high"),
            self.tr("very high"),
        )
        word = levels[min(int(value * 5), 4)]
        return self.tr("{word} (default)").format(word=word) if default else word
