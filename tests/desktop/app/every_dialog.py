"""Opens every dialog of the desktop, for tests of what all of them have in common."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.app.assistance import About
from desktop.app.palette import Palette
from desktop.app.shortcut_sheet import ShortcutDialog, ShortcutSheet
from desktop.app.window import MainWindow
from desktop.background import workers
from desktop.client import Session
from desktop.client.http.errors import Invalid, Untrusted
from desktop.context import Context
from desktop.crash import CrashDialog
from desktop.doctor.dialog import DoctorDialog
from desktop.pages.catalogue.forms import AircraftForm, FlightForm, ReferenceForm, TaskForm
from desktop.pages.catalogue.models.model_form import KindForm, ModelForm
from desktop.pages.catalogue.scale_dialog import ScaleDialog
from desktop.pages.common.forms.passwords import PasswordPrompt
from desktop.pages.common.handover import HandoverDialog
from desktop.pages.first_steps.start_dialog import StartDialog
from desktop.pages.login.service_choice import ServerDialog, TrustDialog
from desktop.pages.me.camera_dialogs import EnrolDialog, PracticeDialog
from desktop.pages.people.face_policy.cards import DeviceForm
from desktop.pages.people.user_section import EditUserForm, NewUserForm, SetPasswordForm
from desktop.pages.people.webhooks.forms import SecretDialog, WebhookForm
from desktop.pages.people.webhooks.section import DeliveriesDialog
from desktop.pages.records.new_record import NewRecordDialog
from desktop.pages.sealing.finish_dialog import FinishDialog, FinishSummary, UndecidedItem
from desktop.pages.sealing.rules_dialog import RulesDialog
from desktop.pages.sealing.seal_actions import CheckDialog, EditionsDialog, ReopenDialog
from desktop.pages.workbench.canvas.deleting import DeleteDialog, DeletionContents
from desktop.pages.workbench.memory.window import MemoryDialog
from desktop.pages.workbench.phone.dialog import PhoneDialog
from desktop.pages.workbench.photos.capture import CaptureDialog
from desktop.pages.workbench.photos.record_photos.film_dialog import FilmDialog
from desktop.pages.workbench.photos.record_photos.films import FilmsDialog
from desktop.pages.workbench.photos.record_photos.review import ReviewDialog
from desktop.pages.workbench.trend.window import TrendDialog
from desktop.record import live_changes
from desktop.record.photo_queue import PhotoQueue
from desktop.theme import theme_manager
from desktop.widgets.dialogs import Confirm
from shared.record.codes import Status, Verdict
from shared.record.results import Counters
from shared.wire.detection import ModelKind
from shared.wire.seal import Edition, SealCheck, SealDifference
from shared.wire.webhooks import NewWebhook, WebhookEvent, WebhookState
from tests.films import make_film

KEY, OTHER_KEY = (":".join([pair] * 32) for pair in ("5F", "C8"))


@dataclass
class Served:
    """The service with a record that is half done."""

    session: Session
    record_id: str


_ONNX = {
    "model_id": "defects",
    "model_name": "Aircraft surface defects",
    "kind": ModelKind.YOLO,
    "labels": ["crack", "dent", "scratch", "missing", "corrosion", "paint_peel", "leak", "rivet_loose"],
    "size": 12_345_678,
    "sha256": "ab12cd34" * 8,
    "settings": {"width": 640, "height": 640, "confidence": 0.25, "fail_confidence": 0.4},
}

_BACKBONE = {
    "model_name": "Patch features",
    "kind": ModelKind.BACKBONE,
    "labels": [],
    "settings": {"width": 448, "height": 448, "values": "imagenet", "colour": "rgb"},
    "enabled": False,
}

_AT = dt.datetime(2026, 11, 22, 16, 40, tzinfo=dt.UTC)
_FINISH = FinishSummary(
    Counters(items=3, detected=3, judged=1, undecided=2, passed=1),
    [
        UndecidedItem("i2", 2, "左翼前缘", Verdict.FAILED),
        UndecidedItem("i3", 3, "Right wing leading edge, outboard of the second access panel", None),
    ],
    "赵敏",
    unassigned=2,
)
_EDITION = Edition(
    edition=1,
    seal="5f" * 32,
    outcome=Status.FAILED,
    accepted_opinions=2,
    finished_by="u1",
    finished_by_name="赵敏",
    finished_at=_AT,
    needs_release=True,
    released_by=None,
    released_by_name=None,
    released_at=None,
    reopened_by=None,
    reopened_by_name=None,
    reopened_at=None,
    reopen_reason=None,
)
_CHECK = SealCheck(
    inspection_id="r1",
    edition=1,
    seal="5f" * 32,
    intact=False,
    current=True,
    files=14,
    differences=[
        SealDifference(
            kind="changed",
            path="items[2].result[1].verdict.value",
            item_id="i1",
            item_name="左翼前缘",
            file_id=None,
            message="检查项“左翼前缘”的判定与封存时不同",
        )
    ],
)
_WEBHOOK = NewWebhook(
    webhook_id="w1",
    name="Maintenance system",
    url="https://maintenance.example.com/hooks/walkaround",
    events=list(WebhookEvent),
    state=WebhookState.ACTIVE,
    failures=0,
    waiting=0,
    last_success_at=None,
    created_at=_AT,
    updated_at=_AT,
    secret="c2VjcmV0" * 4,
)
ELSEWHERE = {
    "CompareVersions": "needs the results of two detections",
    "ConflictDialog": "needs two clients that change the same",
    "TrialDialog": "needs a model of the service",
    "UnsentQuestion": "needs photos whose upload takes long",
}
"""Dialogs that this module does not make, and why; their own tests open them."""


def settle(qtbot: QtBot) -> None:
    """Until everything that was asked for has arrived; what listens for changes goes on."""
    calm = 0
    until = time.monotonic() + 60
    while calm < 3:
        pause = QEventLoop()
        QTimer.singleShot(20, pause.quit)
        pause.exec()
        calm = 0 if _unfinished() else calm + 1
        assert time.monotonic() < until, f"the page does not come to rest: {_unfinished()}"


def _unfinished() -> list[Callable[..., Any]]:
    """What the workers still have to do, except listening."""
    tasks = workers._pools.tasks if workers._pools is not None else ()
    functions = [getattr(work, "func", work) for task in tasks for work in task._work]
    return [function for function in functions if function is not live_changes._read_events]


def enter(window: MainWindow, served: Served, qtbot: QtBot) -> None:
    window._context.enter(served.session.account.me())
    settle(qtbot)


def dialogs(window: MainWindow, served: Served, qtbot: QtBot) -> Iterator[tuple[str, QWidget]]:
    """Every dialog of the frame and of the pages that asks for something, opened."""
    context, session = window._context, served.session
    enter(window, served, qtbot)
    assert window.go("people", {"section": "users"})
    settle(qtbot)
    page, catalogue = window.page, session.catalogue
    assert page is not None
    user = session.users.list(1, 1, "").data[0]
    builtin = session.detection.models()[0]
    onnx = builtin.model_copy(update=_ONNX)
    image = catalogue.reference_images.list(1, 1).data[0]
    open_questions = Invalid(details={"kinds": list(ModelKind), "activations": ["sigmoid", "softmax"]})
    makers: list[tuple[str, Callable[[], QDialog | Palette]]] = [
        ("palette", lambda: Palette(window, context.commands)),
        ("keys", lambda: ShortcutSheet(window, context.commands)),
        ("about", lambda: About(window, context)),
        ("failure", lambda: CrashDialog(window, "A report of several lines\n" * 20)),
        ("new record", lambda: NewRecordDialog(context, window)),
        ("start from an image", lambda: StartDialog(context, regions=False, parent=window)),
        ("import", lambda: StartDialog(context, regions=True, parent=window)),
        ("question", lambda: Confirm(window, "A question?", "A sentence that says what happens. " * 3, "Do")),
        ("aircraft", lambda: AircraftForm(context, catalogue.aircraft.list(1, 1).data[0], page)),
        ("flight", lambda: FlightForm(context, None, page)),
        ("task", lambda: TaskForm(context, catalogue.tasks.list(1, 1).data[0], page)),
        ("reference image", lambda: ReferenceForm(context, image, page)),
        ("measuring", lambda: ScaleDialog(context, image, page)),
        ("built-in model", lambda: ModelForm(context, builtin, page)),
        ("model", lambda: ModelForm(context, onnx, page)),
        ("backbone", lambda: ModelForm(context, onnx.model_copy(update=_BACKBONE), page)),
        ("kind", lambda: KindForm(context, "defects.onnx", open_questions, lambda *_: None, page)),
        ("new user", lambda: NewUserForm(context, page)),
        ("user", lambda: EditUserForm(context, user, page)),
        ("new password", lambda: SetPasswordForm(context, user, page)),
        ("password again", lambda: PasswordPrompt(context, page)),
        ("server", lambda: ServerDialog("https://walkaround.example.com", context.preferences, page)),
        ("unknown server", lambda: TrustDialog("https://192.0.2.7:8177", Untrusted(found=KEY), page)),
        (
            "changed server",
            lambda: TrustDialog("https://192.0.2.7:8177", Untrusted(found=KEY, trusted=OTHER_KEY), page),
        ),
        ("about", lambda: About(window, context)),
        ("system check", lambda: DoctorDialog(window, context)),
        ("shortcut", lambda: ShortcutDialog(window, context.commands, "record.review")),
        ("finish", lambda: FinishDialog(_FINISH, page)),
        ("reopen", lambda: ReopenDialog(page)),
        ("delete", lambda: DeleteDialog(DeletionContents(items=3, photos=2, verdicts=1), page)),
        ("release rule", lambda: RulesDialog(context, page)),
        ("seal", lambda: CheckDialog(_CHECK, page)),
        ("handover", lambda: HandoverDialog(context, "none", page)),
        ("editions", lambda: EditionsDialog([_EDITION], page)),
        ("webhook", lambda: WebhookForm(context, None, page)),
        ("secret", lambda: SecretDialog(_WEBHOOK, page)),
        ("deliveries", lambda: DeliveriesDialog(context, _WEBHOOK, page)),
        ("face", lambda: EnrolDialog(session, find_sources=lambda: [], parent=page)),
        (
            "head movements",
            lambda: PracticeDialog(session, context.device_token, find_sources=lambda: [], parent=page),
        ),
        ("camera", lambda: CaptureDialog(context, page)),
        ("film", lambda: FilmDialog(make_film(Path(mkdtemp()) / "borescope.avi"), page)),
        ("films", lambda: _films(session, served, context, page)),
        ("phone", lambda: _phone(session, served, page)),
        ("trend", lambda: _trend(session, served, page)),
        ("memory", lambda: _memory(session, served, page)),
        ("device", lambda: DeviceForm(context, None, page)),
    ]
    for name, make in makers:
        dialog = make()
        theme_manager().apply_to(dialog)
        dialog.open()
        settle(qtbot)
        yield name, dialog
        dialog.close()
        dialog.deleteLater()
    assert window.go("workbench", {"record_id": served.record_id})
    # Not before the photos of the record are there.
    qtbot.waitUntil(lambda: context.commands.run("record.review"))
    settle(qtbot)
    review = window.findChild(ReviewDialog)
    assert review is not None
    yield "photos of the record", review
    review.close()


def _phone(session: Session, served: Served, page: QWidget) -> PhoneDialog:
    dialog = PhoneDialog("1  Left wing leading edge", session.base_url, page)
    dialog.show_code(session.phones.create(served.record_id))
    return dialog


def _films(session: Session, served: Served, context: Context, page: QWidget) -> FilmsDialog:
    film = make_film(Path(mkdtemp()) / "borescope.avi")
    session.films.add(served.record_id, session.files.upload(film).file_id)
    return FilmsDialog(session, served.record_id, PhotoQueue.of(context), True, page)


def _memory(session: Session, served: Served, page: QWidget) -> MemoryDialog:
    item = session.items.list(served.record_id).data[0]
    return MemoryDialog(session, item.item_id, item.item_name, item.model_id, None, parent=page)


def _trend(session: Session, served: Served, page: QWidget) -> TrendDialog:
    item = session.items.list(served.record_id).data[0]
    return TrendDialog(session, item.item_id, item.item_name, None, None, page)
