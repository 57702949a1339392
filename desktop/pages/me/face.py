"""Shows whether the user's face is enrolled, with consent, enrolment and deletion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from desktop.background.workers import run
from desktop.camera import sources
from desktop.client import Session
from desktop.client.device_token import DeviceToken
from desktop.localization.dates import format_minute
from desktop.localization.language import join_sentences
from desktop.messages.error_messages import sentence
from desktop.pages.common.faces.face_picture import choose_face_pictures, read_face_picture
from desktop.pages.login.face_login import FindSources
from desktop.pages.me.camera_dialogs import CameraDialog, EnrolDialog, PracticeDialog
from desktop.widgets import Button, ButtonKind, Card, Chip, ErrorLine, confirm, label, row_of
from shared.wire.face import FaceStatus

Dialog = TypeVar("Dialog", bound=CameraDialog)


class FaceCard(Card):
    """Shows and changes the enrolment. Nothing is sent unless the consent is checked."""

    changed = Signal(str)
    """A sentence that says what was changed."""

    def __init__(
        self,
        session: Session,
        device: DeviceToken,
        *,
        find_sources: FindSources = sources,
        preferred_camera: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._device = device
        self._find_sources = find_sources
        self._preferred_camera = preferred_camera
        self._status: FaceStatus | None = None
        self._busy = False
        self.chip = Chip()
        self.chip.hide()
        self._status_label = label(self.tr("Loading…"), "dim", wrap=True)
        self.advice = label(
            self.tr(
                "This service uses the built-in face model, which fails to recognize people more "
                "often. Complete every camera step when you enrol. An administrator can install a "
                "better model."
            ),
            "small",
            wrap=True,
        )
        self.advice.hide()
        self.warning = label("", "dim", wrap=True)
        self.warning.hide()
        self._consent_text = label("", "text", wrap=True)
        self.consent = QCheckBox(self.tr("I agree"))
        self.consent.toggled.connect(lambda _on: self._update_buttons())
        self.by_camera = Button(self.tr("Enrol with camera"), icon="camera")
        self.by_camera.clicked.connect(lambda _checked=False: self._open_camera())
        self.by_files = Button(self.tr("Enrol from photo files"), icon="photo")
        self.by_files.clicked.connect(lambda _checked=False: self._choose_files())
        self.practise = Button(self.tr("Try the head movements"), icon="refresh")
        self.practise.clicked.connect(lambda _checked=False: self._open_practice())
        self.delete = Button(self.tr("Delete"), kind=ButtonKind.DANGER, icon="trash")
        self.delete.clicked.connect(lambda _checked=False: self._delete())
        self.error = ErrorLine()
        self._build()
        self._update_buttons()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        head = row_of(label(self.tr("Face login"), "item"))
        head.addSpacing(4)
        head.addWidget(self.chip, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addStretch(1)
        column.addLayout(head)
        for widget in (
            self._status_label,
            self.warning,
            self.advice,
            self._consent_text,
            self.consent,
            self.error,
        ):
            column.addWidget(widget)
        row = row_of(self.by_camera, self.by_files, 1, self.delete, spacing=8)
        column.addLayout(row)
        column.addWidget(self.practise, 0, Qt.AlignmentFlag.AlignLeft)

    def load(self) -> None:
        """Read the status of the enrolment. The consent must be checked again."""
        self.consent.setChecked(False)
        status = self._session.account.face_status
        run(status, owner=self, done=self.show_status, failed=self._on_failed)

    def show_status(self, status: FaceStatus) -> None:
        """Show the status of the enrolment."""
        self._status = status
        self._busy = False
        self.error.setText("")
        if status.enrolled and status.usable:
            if status.renewal_due:
                self.chip.show_text(self.tr("Renew"), "undecided")
            else:
                self.chip.show_text(self.tr("Enrolled"), "passed")
            sentences = [
                self.tr("Enrolled with %n photo(s) on {date}.", "", status.templates).format(
                    date=format_minute(status.enrolled_at)
                ),
                self._say_consent(status),
            ]
        elif status.enrolled:
            self.chip.show_text(self.tr("Enrol again"), "undecided")
            sentences = [
                self.tr("The face model has changed since you enrolled. Enrol again to use face login.")
            ]
        else:
            self.chip.show_text(self.tr("Not enrolled"), "dim")
            sentences = [self.tr("Enrol your face to log in with the camera.")]
        self.chip.show()
        self.warning.setText("\n".join(self._warnings(status)))
        self.warning.setVisible(bool(self.warning.text()))
        self.advice.setVisible(status.recommend_pack)
        if not status.login_enabled:
            sentences.append(self.tr("An administrator has disabled face login."))
        self._status_label.setText(join_sentences(sentences))
        self._consent_text.setText(self._consent(status))
        self._update_buttons()

    def _say_consent(self, status: FaceStatus) -> str:
        """How the user agreed to the enrolment; empty if that is not known."""
        if status.consent_version == "caller":
            return self.tr("Consent was given in the program used to enrol.")
        if status.consent_version is None:
            return ""
        return self.tr("You agreed to consent text {version} on {time}.").format(
            version=status.consent_version, time=format_minute(status.consented_at)
        )

    def _warnings(self, status: FaceStatus) -> list[str]:
        """Why logins may fail and what helps, one sentence for each reason."""
        if not (status.enrolled and status.usable):
            return []
        sentences = {
            "one_photo": self.tr(
                "Only one photo is enrolled: with glasses, another hairstyle or in other light you may not "
                "be recognized. Enrol with the camera and complete every step."
            ),
            "front_only": self.tr(
                "The photos are too alike: from the side you may not be recognized. Enrol again with the "
                "camera, and turn your head further to each side."
            ),
            "small": self.tr(
                "Your face is small in the photos, so you may not be recognized. Enrol again from closer."
            ),
            "dark": self.tr(
                "The photos are dark: in bright light you may not be recognized. Enrol again in more light."
            ),
            "bright": self.tr(
                "The photos are very bright: in normal light you may not be recognized. Enrol again in "
                "less light."
            ),
            "blurred": self.tr(
                "The photos are slightly blurred, so you may not be recognized. Enrol again and hold still."
            ),
        }
        weaknesses = list(status.weaknesses)
        if status.templates == 1 and "one_photo" not in weaknesses:
            weaknesses.insert(0, "one_photo")
        warnings = [sentences[name] for name in weaknesses]
        if status.renewal_due:
            warnings.append(
                self.tr(
                    "Your face data is more than a year old, and faces change. Renew it to be recognized "
                    "reliably: enrol again. The old data is deleted then."
                )
            )
        return warnings

    def _consent(self, status: FaceStatus) -> str:
        """The consent text; a version that is unknown here is shown as the service returns it."""
        if status.current_consent_version == "1":
            return self.tr(
                "I agree that this workstation extracts features of my face from my photos, only to "
                "identify me at login. The photos are not stored. The features are stored encrypted "
                "in this service. I can delete them at any time, with immediate effect."
            )
        return status.current_consent_text

    def status_text(self) -> str:
        """The text that describes the enrolment."""
        return self._status_label.text()

    def _update_buttons(self) -> None:
        status = self._status
        is_ready = status is not None and not self._busy
        # Nobody is asked to agree before the text to agree to is known.
        for widget in (self._consent_text, self.consent, self.by_camera, self.by_files):
            widget.setVisible(status is not None)
        self.consent.setEnabled(is_ready)
        has_consent = self.consent.isChecked()
        for button in (self.by_camera, self.by_files):
            button.setEnabled(is_ready and has_consent)
            button.setToolTip("" if has_consent else self.tr("Select “I agree” first."))
        self.delete.setEnabled(is_ready)
        self.delete.setVisible(status is not None and status.enrolled)

    def _show_running(self, doing: str) -> None:
        self._busy = True
        self.error.setText("")
        self._status_label.setText(doing)
        self._update_buttons()

    def _open_camera(self) -> None:
        dialog = self._open(EnrolDialog)
        dialog.enrolled.connect(self._on_enrolled)

    def _open_practice(self) -> None:
        self._open(partial(PracticeDialog, device=self._device))

    def _open(self, make: Callable[..., Dialog]) -> Dialog:
        dialog = make(
            self._session,
            find_sources=self._find_sources,
            preferred_camera=self._preferred_camera,
            parent=self,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def _choose_files(self) -> None:
        paths = choose_face_pictures(self, several=True)
        if paths:
            self.enrol_files(paths)

    def enrol_files(self, paths: Sequence[Path]) -> None:
        """Enrol with 1 to 5 photo files."""
        self._show_running(self.tr("Enrolling…"))
        run(_enrol_files, self._session, paths, owner=self, done=self._on_enrolled, failed=self._on_failed)

    def _on_enrolled(self, status: FaceStatus) -> None:
        self.consent.setChecked(False)
        self.show_status(status)
        self.changed.emit(self.tr("Face enrolled."))

    def _delete(self) -> None:
        title = self.tr("Delete face data?")
        text = self.tr("The stored features are deleted immediately. After that, log in with your password.")
        if confirm(self, title, text, self.tr("Delete face data")):
            self._show_running(self.tr("Deleting…"))
            run(_delete, self._session, owner=self, done=self._on_deleted, failed=self._on_failed)

    def _on_deleted(self, status: FaceStatus) -> None:
        self.show_status(status)
        self.changed.emit(self.tr("Face data deleted."))

    def _on_failed(self, error: Exception) -> None:
        self._busy = False
        if self._status is not None:
            self.show_status(self._status)
        else:
            self._status_label.clear()
        self.error.setText(sentence(error))


def _enrol_files(session: Session, paths: Sequence[Path]) -> FaceStatus:
    return session.account.enrol_face([read_face_picture(path) for path in paths])


def _delete(session: Session) -> FaceStatus:
    session.account.delete_face()
    return session.account.face_status()
