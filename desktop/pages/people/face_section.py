"""Shows the policy and devices of face login, and the measured accuracy of face recognition.

Compares a folder of photos of people who are not enrolled with the enrolled faces, in batches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop.background.workers import Lane, ProgressReport, Task, run
from desktop.client.http.errors import ClientError
from desktop.client.session import Session
from desktop.context import Context
from desktop.localization.language import join_sentences
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, open_folder
from desktop.pages.common.forms.passwords import ask_password
from desktop.pages.common.lists.list_section import PageSection
from desktop.pages.people.face_policy.cards import DevicesCard, ModelsCard, PolicyCard
from desktop.widgets import Button, ButtonKind, Card, StateStack, clear_layout, column_of, label, row_of
from shared.images.cv import cv2
from shared.images.formats import is_picture_name
from shared.rates import rate_bound
from shared.wire.face import Device, FaceCalibration, FaceModel, FacePolicy, StrangerScores

_BATCH_SIZE = 8
# Sufficient for a face, and a batch stays well below the limit of a request.
_MAX_SIDE_PX = 1280
_QUALITY = 92


@dataclass(frozen=True, slots=True)
class StrangerTotals:
    """The sums of the `StrangerScores` of the `done` photos; the folder contains `total` photos."""

    total: int
    done: int = 0
    faces: int = 0
    comparisons: int = 0
    false_matches: int = 0
    largest: float | None = None

    def plus(self, photos: int, scores: StrangerScores | None) -> StrangerTotals:
        """Add a batch of `photos` photos, whose readable photos have these scores."""
        if scores is None:
            return replace(self, done=self.done + photos)
        largest = [score for score in (self.largest, scores.largest) if score is not None]
        return StrangerTotals(
            self.total,
            self.done + photos,
            self.faces + scores.faces,
            self.comparisons + scores.comparisons,
            self.false_matches + scores.false_matches,
            max(largest, default=None),
        )


def compare_folder(report: ProgressReport, session: Session, folder: Path) -> StrangerTotals:
    """Compare every picture in `folder` and its subfolders. Reports the `StrangerTotals` before each batch.

    Raises OSError, and the errors of `Faces.compare_strangers`.
    """
    paths = sorted(path for path in folder.rglob("*") if is_picture_name(path.name))
    totals = StrangerTotals(len(paths))
    for start in range(0, len(paths), _BATCH_SIZE):
        report(totals)
        batch = paths[start : start + _BATCH_SIZE]
        images = [image for path in batch if (image := _read_reduced(path)) is not None]
        totals = totals.plus(len(batch), session.faces.compare_strangers(images) if images else None)
    return totals


def _read_reduced(path: Path) -> bytes | None:
    """Read a picture as a JPEG of at most `_MAX_SIDE_PX`; None if the file is not a picture."""
    try:
        data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        # OpenCV rotates it upright; the new file has no EXIF orientation.
        image = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    except (OSError, cv2.error):
        return None
    if image is None:
        return None
    scale = _MAX_SIDE_PX / max(image.shape[:2])
    if scale < 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    is_encoded, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return bytes(jpeg) if is_encoded else None


_MAX_WIDTH = 760
_MIN_PAIRS = 300
"""With fewer pairs of strangers, the bound on false matches is above 1 % (rule of three)."""


@dataclass(frozen=True, slots=True)
class _Overview:
    """The data that the section shows."""

    policy: FacePolicy
    devices: list[Device]
    models: list[FaceModel]
    figures: FaceCalibration | ClientError


class FaceSection(PageSection):
    """Sets the policy of face login and explains the figures of the calibration."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.policy = PolicyCard(context)
        self.policy.toast.connect(self.toast)
        self.devices = DevicesCard(context)
        self.devices.toast.connect(self.toast)
        self.models = ModelsCard()
        self.advice = label("", wrap=True)
        self.better_model = label(
            self.tr(
                "The built-in model dlib is in use. An open model pack is faster, more accurate and "
                "has a liveness check. On the service's computer, run: walkaround face download "
                "sface, then walkaround face use sface. All users must then enrol again."
            ),
            "dim",
            wrap=True,
        )
        self.strangers = Button(self.tr("Compare with photos of strangers…"), icon="photo")
        self.strangers.clicked.connect(lambda _checked=False: self._choose_strangers())
        self.progress = label("", "dim", wrap=True)
        self._comparison: Task | None = None
        self._calibration: FaceCalibration | None = None
        self._rows = QWidget()
        self.details = Button(self.tr("Details"), kind=ButtonKind.QUIET, icon="chevron-right")
        self.details.clicked.connect(lambda _checked=False: self._open_details(self._rows.isHidden()))
        self._figures = QGridLayout(self._rows)
        self._figures.setContentsMargins(0, 0, 0, 0)
        self._figures.setHorizontalSpacing(24)
        self._figures.setVerticalSpacing(10)
        self._figures.setColumnStretch(1, 1)
        inner = QWidget()
        inner.setProperty("clear", True)
        inner.setMaximumWidth(_MAX_WIDTH)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(16)
        column.addWidget(self.policy)
        column.addWidget(self.devices)
        column.addWidget(self.models)
        column.addWidget(self._figures_card())
        column.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setAlignment(Qt.AlignmentFlag.AlignLeft)
        area.setWidget(inner)
        self.stack = StateStack(area)
        column_of(self.stack, parent=self, margins=0)

    def _figures_card(self) -> Card:
        card = Card()
        column = QVBoxLayout(card)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(14)
        column.addWidget(label(self.tr("Face recognition accuracy"), "item"))
        column.addWidget(self.advice)
        column.addWidget(self.better_model)
        column.addWidget(self.details, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._rows)
        self._open_details(False)
        row = row_of(self.strangers, (self.progress, 1), spacing=12)
        column.addLayout(row)
        return card

    def enter(self) -> None:
        """Called when the section comes to the front."""
        self.stack.show_loading()
        run(_fetch, self._context.session, owner=self, done=self._show, failed=self._show_error)

    def _show_error(self, error: Exception) -> None:
        self.stack.show_error(sentence(error), self.enter)

    def _show(self, overview: _Overview) -> None:
        figures = overview.figures
        self.policy.show_policy(overview.policy)
        self.devices.show_devices(overview.devices)
        self.models.show_models(overview.models)
        calibration = figures if isinstance(figures, FaceCalibration) else None
        self._calibration = calibration
        self.better_model.setVisible(calibration is not None and calibration.model.startswith("dlib-"))
        self.strangers.setVisible(calibration is not None and calibration.templates > 0)
        if isinstance(figures, ClientError):
            self.advice.setText(sentence(figures))
            self._show_figures([])
        else:
            self.advice.setText(self._advice(figures))
            self._show_figures(self._figure_rows(figures))
        self.stack.show_content()

    def _open_details(self, on: bool) -> None:
        self._rows.setVisible(on)
        self.details.set_icon("chevron-down" if on else "chevron-right")

    def _show_figures(self, rows: list[tuple[str, str, str]]) -> None:
        self.details.setVisible(bool(rows))
        clear_layout(self._figures)
        for row, (name, value, explanation) in enumerate(rows):
            cell = QWidget()
            lines = QVBoxLayout(cell)
            lines.setContentsMargins(0, 0, 0, 0)
            lines.setSpacing(2)
            lines.addWidget(label(value, "strong", wrap=True))
            lines.addWidget(label(explanation, "small", wrap=True))
            self._figures.addWidget(label(name, "dim"), row, 0, Qt.AlignmentFlag.AlignTop)
            self._figures.addWidget(cell, row, 1)

    def _advice(self, figures: FaceCalibration) -> str:
        strangers = figures.strangers
        if strangers.pairs == 0 or figures.false_match_bound is None:
            return self.tr(
                "At least two enrolled people are needed to measure mistaken matches. The threshold "
                "in use is the default of this model."
            )
        if figures.false_matches:
            return self.tr(
                "%n pair(s) of different people can be mistaken for each other. Enrol them again in "
                "better light, or disable face login.",
                "",
                figures.false_matches,
            )
        one_in = max(1, int(1 / figures.false_match_bound))
        text = self.tr("False match rate: below 1 in {n} (95% confidence).").format(
            n=QLocale().toString(one_in)
        )
        if strangers.pairs < _MIN_PAIRS:
            text = join_sentences((text, self.tr("More enrolled people make this more exact.")))
        return text

    def _figure_rows(self, figures: FaceCalibration) -> list[tuple[str, str, str]]:
        """The name, value and explanation of each figure."""
        strangers, same_user = figures.strangers, figures.same_user
        people = self.tr("%n person(s)", "", figures.users)
        templates = self.tr("%n face template(s)", "", figures.templates)
        rows = [
            (
                self.tr("Model"),
                figures.model,
                self.tr("The score is the negative distance between two faces. Higher means more similar.")
                if figures.metric == "euclidean"
                else self.tr("The score is the similarity of two faces. Higher means more similar."),
            ),
            (
                self.tr("Enrolled"),
                f"{people} · {templates}",
                self.tr("Several templates per person allow for glasses and changing light."),
            ),
            (
                self.tr("Threshold"),
                f"{figures.threshold:.3f}",
                self.tr("Two photos with at least this score count as the same person."),
            ),
        ]
        if strangers.pairs and strangers.largest is not None:
            rows.append(
                (
                    self.tr("Different people"),
                    self.tr("maximum {score} in {pairs} pairs").format(
                        score=f"{strangers.largest:.3f}", pairs=QLocale().toString(strangers.pairs)
                    ),
                    self.tr(
                        "The highest score between two different people. It should be well below "
                        "the threshold."
                    ),
                )
            )
        if same_user.pairs and same_user.smallest is not None:
            rows.append(
                (
                    self.tr("Same person"),
                    self.tr("minimum {score} in {pairs} pairs").format(
                        score=f"{same_user.smallest:.3f}", pairs=QLocale().toString(same_user.pairs)
                    ),
                    self.tr(
                        "The lowest score between templates of one person. It should be above the threshold."
                    ),
                )
            )
        if figures.false_match_bound is not None:
            rows.append(
                (
                    self.tr("Mistaken matches"),
                    self.tr("{n} pairs, at most {share}").format(
                        n=figures.false_matches, share=_percent(figures.false_match_bound)
                    ),
                    self.tr("Upper bound (95%) of how often different people are mistaken for one."),
                )
            )
        return rows

    # Photos of strangers

    def _choose_strangers(self) -> None:
        if self._comparison is not None:
            self._comparison.cancel()
            self._end_comparison()
            self.progress.setText(self.tr("Cancelled."))
            return
        title = self.tr("Select a folder with photos of people who are not enrolled")
        folder = open_folder(self, title, Purpose.FACES)
        if folder is not None:
            self.compare_strangers(folder)

    def compare_strangers(self, folder: Path) -> None:
        """Compare the photos in `folder` with the enrolled faces, and show the result."""
        self.strangers.setText(self.tr("Cancel"))
        self.progress.setText(self.tr("Searching for photos…"))
        self._comparison = run(
            compare_folder,
            self._context.session,
            folder,
            owner=self,
            done=self._on_compared,
            failed=partial(self._on_comparison_failed, folder),
            progress=self._show_progress,
            lane=Lane.LONG,
        )

    def _show_progress(self, totals: StrangerTotals) -> None:
        number = QLocale().toString
        self.progress.setText(
            self.tr("{done} of {total} photos").format(done=number(totals.done), total=number(totals.total))
        )

    def _end_comparison(self) -> None:
        self._comparison = None
        self.strangers.setText(self.tr("Compare with photos of strangers…"))

    def _on_compared(self, totals: StrangerTotals) -> None:
        self._end_comparison()
        figures = self._calibration
        if figures is None:
            return
        if not totals.comparisons:
            self.progress.setText(self.tr("No faces found in these photos."))
            return
        self.progress.setText("")
        self._show_figures([*self._figure_rows(figures), self._stranger_row(figures, totals)])
        self._open_details(True)

    def _stranger_row(self, figures: FaceCalibration, totals: StrangerTotals) -> tuple[str, str, str]:
        number = QLocale().toString
        faces = self.tr("%n face(s) in photos", "", totals.faces)
        value = self.tr("{faces}, {pairs} comparisons, {n} mistaken, maximum {score}").format(
            faces=faces,
            pairs=number(totals.comparisons),
            n=number(totals.false_matches),
            score=f"{totals.largest:.3f}",
        )
        pairs = totals.comparisons + figures.strangers.pairs
        bound = rate_bound(totals.false_matches + figures.false_matches, pairs)
        assert bound is not None
        explanation = self.tr(
            "Including enrolled people: {pairs} comparisons. With 95% confidence, a stranger "
            "matches a given template in at most {share} of them. The photos are not stored."
        ).format(pairs=number(pairs), share=_percent(bound))
        return self.tr("Strangers"), value, explanation

    def _on_comparison_failed(self, folder: Path, error: Exception) -> None:
        self._end_comparison()
        self.progress.setText("")
        retry = partial(self.compare_strangers, folder)
        if ask_password(self._context, error, owner=self, on_logged_in=retry) is None:
            self.progress.setText(sentence(error))


def _fetch(session: Session) -> _Overview:
    faces = session.faces
    policy, devices, models = faces.policy(), faces.devices(), faces.models()
    try:
        return _Overview(policy, devices, models, faces.calibration())
    except ClientError as error:
        # The policy can be changed even if the face engine does not work.
        return _Overview(policy, devices, models, error)


def _percent(share: float) -> str:
    return f"{share:.2%}" if share < 0.1 else f"{share:.0%}"
