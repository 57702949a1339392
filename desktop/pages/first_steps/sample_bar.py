"""Creates and deletes the sample inspection in the background, and shows that it exists."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.background.workers import Lane, Task, run
from desktop.client.http.address import server_key
from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.first_steps.sample import SampleObjects, SampleTexts, create_sample, delete_sample
from desktop.widgets import Button, ButtonKind, IconLabel, Panel, ProgressBar, label
from shared.record.codes import Permission


def sample_texts() -> SampleTexts:
    """The texts of the sample inspection; each name begins with the word for a sample."""
    translate = QCoreApplication.translate
    return SampleTexts(
        aircraft=translate("Sample", "Sample aircraft"),
        aircraft_type=translate("Sample", "Narrow-body"),
        flight=translate("Sample", "SAMPLE-1"),
        task=translate("Sample", "Sample task: after-flight check"),
        reference=translate("Sample", "Sample image: skin of the left wing root"),
        record=translate("Sample", "Sample: left wing root, after flight"),
        items=(
            (
                translate("Sample", "Skin, frames 12–13"),
                translate("Sample", "Between frames 12 and 13; no deeper than 2 mm."),
            ),
            (
                translate("Sample", "Panel at frame 14"),
                translate("Sample", "Skin near frame 14; no crack is accepted."),
            ),
            (
                translate("Sample", "Lap joint rivets"),
                translate("Sample", "Where the lap joints cross; every rivet in place."),
            ),
            (
                translate("Sample", "Window frames"),
                translate("Sample", "Seals and frames of the three windows."),
            ),
            (
                translate("Sample", "Registration"),
                translate("Sample", "Complete, readable, without scratches."),
            ),
        ),
        reopening_reason=translate("Sample", "Sample inspection deleted"),
    )


_CREATE_PERMISSIONS = (
    Permission.INSPECTION_ADD,
    Permission.INSPECTION_ITEM_ADD,
    Permission.INSPECTION_ITEM_UPDATE,
    Permission.CATALOGUE_MANAGE,
    Permission.FILE_ADD,
)
_DELETE_PERMISSIONS = (Permission.INSPECTION_DELETE, Permission.CATALOGUE_MANAGE)


class SampleController(QObject):
    """Creates and deletes the sample inspection.

    The IDs of its objects are stored in the preferences for each service, so that no other object is deleted.
    """

    changed = Signal()
    """The sample was created or deleted, or its progress changed."""
    created = Signal(str)
    """The ID of the record of the created sample."""
    notice = Signal(str)
    """A message for the user."""

    def __init__(self, context: Context) -> None:
        """Use `SampleController.for_context`."""
        super().__init__(context)
        self._context = context
        self._task: Task | None = None
        self.percent = 0
        """The progress while the sample is being created."""
        context.login_changed.connect(self._on_login_changed)
        context.closing.connect(self._stop)

    @classmethod
    def for_context(cls, context: Context) -> SampleController:
        """The controller of this desktop, which is created at the first call."""
        controller = context.findChild(SampleController)
        return controller if isinstance(controller, SampleController) else cls(context)

    @property
    def busy(self) -> bool:
        """Whether the sample is being created or deleted."""
        return self._task is not None

    @property
    def record_id(self) -> str:
        """The ID of the sample's record in this service; empty if there is none."""
        return self._objects().inspection_id

    @property
    def exists(self) -> bool:
        """Whether this service has any object of the sample."""
        return bool(self._objects().ids())

    def may_create(self) -> bool:
        """Whether there is no sample and the user may create one."""
        return not self.busy and not self.exists and all(map(self._context.may, _CREATE_PERMISSIONS))

    def may_remove(self) -> bool:
        """Whether there is a sample and the user may delete it."""
        return not self.busy and self.exists and all(map(self._context.may, _DELETE_PERMISSIONS))

    def create(self) -> None:
        """Create the sample in the background."""
        payload = self._context.payload
        if payload is None or not self.may_create():
            return
        self.percent = 0
        self._task = run(
            create_sample,
            self._context.session,
            sample_texts(),
            payload.user.user_id,
            owner=self,
            progress=self._show,
            done=self._on_created,
            failed=self._on_failed,
            lane=Lane.LONG,
        )
        self.changed.emit()

    def remove(self) -> None:
        """Delete the sample in the background."""
        if self.may_remove():
            self.percent = 100
            objects = self._objects()
            self._task = run(
                delete_sample,
                self._context.session,
                objects,
                sample_texts().reopening_reason,
                owner=self,
                done=self._on_removed,
                failed=self._on_failed,
            )
            self.changed.emit()

    def _show(self, percent: int) -> None:
        self.percent = percent
        self.changed.emit()

    def _on_created(self, objects: SampleObjects) -> None:
        self._task = None
        self._store_objects(objects)
        self.changed.emit()
        self.created.emit(objects.inspection_id)

    def _on_removed(self, remaining: SampleObjects) -> None:
        self._task = None
        self._store_objects(SampleObjects())
        self.changed.emit()
        if remaining.ids():
            self.notice.emit(
                self.tr(
                    "Sample inspection deleted. %n catalogue entry(s) kept, in use by other entries.",
                    "",
                    len(remaining.ids()),
                )
            )
        else:
            self.notice.emit(self.tr("Sample inspection deleted."))

    def _on_failed(self, error: Exception) -> None:
        self._task = None
        self.changed.emit()
        self.notice.emit(sentence(error))

    def _service_key(self) -> str:
        """The key of the service in the preferences: its address, or the data folder of the local service."""
        if self._context.embedded:
            return str(self._context.data_folder or "")
        return server_key(self._context.session.base_url)

    def _objects(self) -> SampleObjects:
        ids = self._context.preferences.values.samples.get(self._service_key(), {})
        objects = SampleObjects()
        for name in objects.__slots__:
            setattr(objects, name, ids.get(name, ""))
        return objects

    def _store_objects(self, objects: SampleObjects) -> None:
        samples = dict(self._context.preferences.values.samples)
        samples.pop(self._service_key(), None)
        if objects.ids():
            samples[self._service_key()] = objects.ids()
        self._context.preferences.change(samples=samples)

    def _on_login_changed(self) -> None:
        if self._context.payload is None:
            self._stop()
        self.changed.emit()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None


class SampleBar(Panel):
    """A bar above the records while the sample is being created and while it exists."""

    sample_requested = Signal(str)
    """The ID of the record that the user wants to open."""

    def __init__(self, sample: SampleController, parent: QWidget | None = None) -> None:
        super().__init__("raised", "", parent)
        self.setObjectName("sample-bar")
        self._sample = sample
        self.text = label("", "strong")
        self.bar = ProgressBar(self.tr("Progress"))
        self.bar.setMaximumWidth(260)
        self.open_button = Button(self.tr("Open sample"), kind=ButtonKind.LINK)
        self.remove = Button(self.tr("Delete sample"), icon="trash")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(12)
        row.addWidget(IconLabel("info", "accent"))
        row.addWidget(self.text)
        row.addWidget(self.bar, 1)
        row.addWidget(self.open_button)
        row.addStretch(1)
        row.addWidget(self.remove)
        self.open_button.clicked.connect(lambda _checked=False: self.sample_requested.emit(sample.record_id))
        self.remove.clicked.connect(lambda _checked=False: sample.remove())
        sample.changed.connect(self.show_sample)
        self.show_sample()

    def show_sample(self) -> None:
        """Show the state of the sample; hide the bar if there is none."""
        sample = self._sample
        is_creating = sample.busy and not sample.exists
        self.setVisible(sample.busy or sample.exists)
        if is_creating:
            self.text.setText(self.tr("Creating sample inspection…"))
        elif sample.busy:
            self.text.setText(self.tr("Deleting sample inspection…"))
        else:
            self.text.setText(self.tr("The list contains the sample inspection."))
        self.bar.setVisible(is_creating)
        self.bar.setValue(sample.percent)
        self.open_button.setVisible(not sample.busy and bool(sample.record_id))
        self.remove.setVisible(sample.may_remove())
