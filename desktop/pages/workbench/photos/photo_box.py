"""Shows photo and reference of the selected item, with the versions of its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from desktop.canvas.views.alignment import AlignedPair
from desktop.canvas.views.compare_view import CompareView
from desktop.canvas.views.pair_drawing import CompareMode
from desktop.commands.bindings import Commands
from desktop.localization import camera_terms
from desktop.pages.workbench.bars import ModeButtons
from desktop.pages.workbench.photos.photo_strip import PhotoStrip
from desktop.record.correction import is_unsent
from desktop.record.document import ItemView
from desktop.widgets import (
    Button,
    ButtonKind,
    ElidedLabel,
    ErrorLine,
    FlowLayout,
    IconButton,
    ProgressBar,
    keep_place,
    label,
    row_of,
    status_text,
)
from shared.record import results
from shared.record.entries import Entry, EntryCorrection, EntryVerdict
from shared.wire.files import CameraData
from shared.wire.inspection import PhotoUse, TakenMark


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One version. `findings` says whether it has findings to show; a verdict has none."""

    version: int
    text: str
    findings: bool


def version_lines(item: ItemView) -> list[VersionLine]:
    """The finished detections, the corrections and the verdicts of an item, oldest first."""
    translate = QCoreApplication.translate
    entries = [
        entry
        for entry in results.sort_by_version(item.result)
        if results.is_verdict(entry) or results.is_finished(entry)
    ]
    count = sum(not results.is_verdict(entry) for entry in entries)
    lines: list[VersionLine] = []
    number = 0
    for entry in entries:
        if results.is_verdict(entry):
            verdict = entry["verdict"]
            text = translate("Workbench", "Verdict by {name}: {verdict}").format(
                name=_name(verdict), verdict=status_text(str(verdict.get("value")))
            )
            lines.append(VersionLine(results.entry_version(entry), text, findings=False))
            continue
        number += 1
        text = translate("Workbench", "Version {n} / {all}").format(n=number, all=count)
        lines.append(VersionLine(results.entry_version(entry), f"{text} · {_author(entry)}", findings=True))
    return lines


def _author(entry: Entry) -> str:
    translate = QCoreApplication.translate
    if is_unsent(entry):
        return translate("Workbench", "corrected by you, saving…")
    if results.is_correction(entry):
        return translate("Workbench", "corrected by {name}").format(name=_name(entry["correction"]))
    if not results.has_findings(entry):
        return translate("Workbench", "entered by a client, not detected")
    return translate("Workbench", "detected by model")


def _name(decision: EntryVerdict | EntryCorrection) -> str:
    return str(decision.get("by_name") or QCoreApplication.translate("Workbench", "another user"))


def no_photo_text(editable: bool) -> str:
    """Say that an item has no photo, and what a user who may change the record can do about it."""
    if editable:
        return QCoreApplication.translate("Photos", "No photos yet. Add or take one, or drop a file here.")
    return QCoreApplication.translate("Photos", "This item has no photos.")


MIN_PANE_PX = 108


class PhotoBox(QWidget):
    """Shows the compared pair. Its signals request photos, versions and the comparison on the canvas."""

    add_wanted = Signal()
    camera_wanted = Signal()
    cancelled = Signal()
    """Emitted to cancel the upload."""
    version_chosen = Signal(int)
    compare_versions_wanted = Signal()
    align_wanted = Signal()
    """Emitted to align by three points."""
    forget_wanted = Signal()
    """Emitted to cancel the alignment by three points."""
    pair_shown = Signal()
    """Another pair is shown, or it is compared in another way."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pane = CompareView()
        self.pane.setObjectName("compare")
        self.pane.setFixedHeight(MIN_PANE_PX)
        self.pane.may_stack = True
        self._alignment = label("", "small")
        self._versions: Sequence[VersionLine] = ()
        self.align = Button("", kind=ButtonKind.QUIET)
        self.align.setObjectName("align-by-hand")
        self.align.clicked.connect(self._on_align_clicked)
        self._by_hand = False
        self.version = Button("", kind=ButtonKind.QUIET)
        self.version.setObjectName("version")
        self.version.clicked.connect(self._offer_versions)
        self.add = IconButton(
            "upload", commands.title("item.photo"), keys=commands.keys_text("item.photo"), side=26
        )
        self.add.setObjectName("photo-add")
        self.camera = IconButton(
            "camera", commands.title("item.camera"), keys=commands.keys_text("item.camera"), side=26
        )
        self.camera.setObjectName("photo-camera")
        self.add.clicked.connect(lambda _checked=False: self.add_wanted.emit())
        self.camera.clicked.connect(lambda _checked=False: self.camera_wanted.emit())
        self.phone = IconButton("phone", commands.title("item.phone"), side=26)
        self.phone.setObjectName("photo-phone")
        self.phone.clicked.connect(lambda _checked=False: commands.run("item.phone"))
        self.strip = PhotoStrip()
        self.camera_line = ElidedLabel("", "small")
        """Shows the time and the camera of the displayed photo."""
        self.camera_line.setObjectName("photo-camera-data")
        self.camera_mark = label("", "strong", wrap=True)
        self.camera_mark.setObjectName("photo-camera-mark")
        self.show_camera(None, None)
        self.shared = Button("", kind=ButtonKind.LINK, elide=True)
        """Shows which photo of the record it is, and that other items share it."""
        self.shared.setObjectName("photo-shared")
        self.shared.hide()
        self._bar = ProgressBar(self.tr("Uploading photo"))
        self._stop = IconButton("close", self.tr("Cancel upload"), side=22)
        self._stop.clicked.connect(lambda _checked=False: self.cancelled.emit())
        self.error = ErrorLine()
        self._build(commands)
        self.show_progress(None)
        self.show_versions((), 0)
        self.show_alignment(None, by_hand=False)
        self.show_pair(None)

    def _build(self, commands: Commands) -> None:
        head = QHBoxLayout()
        head.setSpacing(2)
        head.addWidget(label(self.tr("Reference image / photo"), "label"))
        head.addStretch(1)
        head.addWidget(self.add)
        head.addWidget(self.camera)
        head.addWidget(self.phone)
        modes = FlowLayout(spacing=4)
        self.modes = ModeButtons("compare", commands, modes, self)
        self.modes.chosen.connect(self.set_mode)
        taken = row_of(self.strip, 1, (self.align, 0, Qt.AlignmentFlag.AlignTop))
        below = row_of(self._alignment, 1, self.version)
        upload = row_of((self._bar, 1), self._stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self.pane)
        column.addLayout(modes)
        column.addLayout(taken)
        column.addWidget(self.camera_line)
        column.addWidget(self.camera_mark)
        column.addWidget(self.shared, 0, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(upload)
        column.addWidget(self.error)
        column.addLayout(below)
        self.modes.mark(CompareMode.SIDE_BY_SIDE)

    def resize_pair(self, free: int) -> None:
        """Make the pair `free` px higher, or lower, as far as that enlarges it."""
        # The height of the layout to come, which `height()` is not.
        now = self.pane.minimumHeight()
        most = self.pane.useful_height()
        # While the pair of the next item is being made, the panel stays unchanged.
        wanted = min(now + free, now if most is None else most)
        self.pane.setFixedHeight(max(wanted, MIN_PANE_PX))

    def set_mode(self, mode: CompareMode) -> None:
        """Set the mode of comparison."""
        self.pane.set_mode(mode)
        self.modes.mark(mode)
        self.pair_shown.emit()

    def show_pair(self, pair: AlignedPair | None, sentence: str = "", is_coming: bool = False) -> None:
        """Show a pair, or the reason why there is none. Some modes are offered only with an alignment.

        While a pair `is_coming`, what belongs to it keeps its place.
        """
        self.pane.set_pair(pair)
        self.pane.show_message(sentence)
        keep_place(self.align, is_coming)
        self.align.setVisible(pair is not None and pair.to_reference is not None)
        self.modes.offer(pair)
        self.modes.mark(self.pane.drawn_mode)
        self.pair_shown.emit()

    def show_alignment(self, quality: tuple[float, int] | None, by_hand: bool) -> None:
        """Show the quality of the alignment: mean error in px and matched points, or that a user set it."""
        self._by_hand = by_hand
        text = self.tr("Reset alignment") if by_hand else self.tr("Align with three points")
        self.align.setText(text)
        self.align.setAccessibleName(text)
        text = ""
        if by_hand:
            text = self.tr("Aligned with three points")
        elif quality is not None:
            # A mean error of less than 0.05 px would read as none.
            text = self.tr("Aligned within {px} px · {n} points").format(
                px=f"{max(quality[0], 0.1):.1f}", n=quality[1]
            )
        self._alignment.setText(text)
        self._alignment.setVisible(bool(text))

    def show_versions(self, lines: Sequence[VersionLine], current: int) -> None:
        """Set the versions of the result to choose from. `current` is the shown one."""
        self._versions = lines
        versions = [line.version for line in lines if line.findings]
        self.version.setVisible(bool(versions))
        number = versions.index(current) + 1 if current in versions else len(versions)
        self.version.setText(self.tr("Version {n} / {all}").format(n=number, all=len(versions)))
        self.version.setEnabled(len(lines) > 1)

    def show_camera(
        self,
        camera: CameraData | None,
        mark: TakenMark | None,
        use: PhotoUse | None = None,
        *,
        is_coming: bool = False,
    ) -> None:
        """Show the time and the camera of the displayed photo, and what is unusual about them.

        use: another record that had the photo before. While the photo `is_coming`, the lines are hidden and
        keep their place.
        """
        for line in (self.camera_line, self.camera_mark):
            keep_place(line, is_coming and bool(line.text()))
            if is_coming:
                line.hide()
        if is_coming:
            return
        parts = (
            () if camera is None else (camera_terms.taken_text(camera), camera_terms.camera_and_lens(camera))
        )
        text = " · ".join(filter(None, parts))
        self.camera_line.setText(text)
        self.camera_line.setVisible(bool(text))
        marks = "\n".join(filter(None, (camera_terms.mark_sentence(mark), camera_terms.used_sentence(use))))
        self.camera_mark.setText(marks)
        self.camera_mark.setVisible(bool(marks))

    def show_progress(self, share: float | None) -> None:
        """Show the progress of an upload, 0..1; None hides it."""
        self._bar.setVisible(share is not None)
        self._stop.setVisible(share is not None)
        self._bar.setValue(round(100 * (share or 0.0)))

    def set_editable(self, on: bool) -> None:
        """Enable or disable adding photos."""
        self.add.setEnabled(on)
        self.camera.setEnabled(on)
        self.phone.setEnabled(on)

    def _offer_versions(self) -> None:
        menu = QMenu(self)
        for line in self._versions:
            entry = menu.addAction(line.text)
            entry.setEnabled(line.findings)
            entry.triggered.connect(lambda _checked=False, it=line.version: self.version_chosen.emit(it))
        if sum(line.findings for line in self._versions) > 1:
            menu.addSeparator()
            both = menu.addAction(self.tr("Compare versions…"))
            both.triggered.connect(lambda _checked=False: self.compare_versions_wanted.emit())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.version.mapToGlobal(self.version.rect().bottomLeft()))

    def _on_align_clicked(self) -> None:
        (self.forget_wanted if self._by_hand else self.align_wanted).emit()
