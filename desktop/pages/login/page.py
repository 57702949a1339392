"""Shows the login page with the camera at the left, the password at the right and the service below."""

from __future__ import annotations

from typing import Any, ClassVar
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.background.workers import run
from desktop.camera import sources
from desktop.client.http.address import is_local
from desktop.connection.local_service import ServiceState
from desktop.context import Context
from desktop.localization.language import LANGUAGES
from desktop.messages.error_messages import sentence
from desktop.pages.common.faces.viewfinder import Viewfinder
from desktop.pages.login.face_login import FaceLogin, FindSources
from desktop.pages.login.forms import FirstRunForm, FormArea, PasswordForm, ServiceDot, Welcome
from desktop.pages.login.photo_login import PhotoLogin
from desktop.pages.login.service_choice import ServerDialog, SetupSteps, Step
from desktop.theme import theme_manager
from desktop.widgets import Button, ButtonKind, Card, Logo, Page, column_of, label, row_of, separator
from desktop.widgets.basic.shadows import soft_shadow
from shared.wire.account import Payload
from shared.wire.face import FaceRequirements

_CARD = QSize(940, 470)
_GROW_FROM = QSize(1440, 900)
"""Above this size of the page, the card grows with it, up to `_MAX_GROWTH` times."""
_MAX_GROWTH = 1.5
_FORM_WIDTH = 418
_MARGIN = 24
_AROUND = 120
"""The height of the heading above the card, with the margins."""
_SHADOW_BLUR = 24
_SHADOW_DROP = 20
_SHADOW_LIGHT, _SHADOW_DARK = 0.2, 0.5


class LoginPage(Page):
    """Logs a user in, or creates the first administrator when there is no user.

    `find_sources` returns the cameras. It is called off the GUI thread.
    """

    page_id: ClassVar[str] = "login"
    has_frame: ClassVar[bool] = False

    server_chosen = Signal(str)
    """The address of the service that the user chose, or an empty string for the local service."""
    ready = Signal()
    """The service answered, and the matching form is visible."""

    def __init__(self, context: Context, find_sources: FindSources = sources) -> None:
        super().__init__()
        self._context = context
        session = context.session
        self.viewfinder = Viewfinder(left_corners=True)
        self.face = FaceLogin(
            session,
            self.viewfinder,
            context.device_token,
            find_sources=find_sources,
            preferred_camera=context.preferences.values.camera,
            parent=self,
        )
        self.password_form = PasswordForm(session, context.preferences.values.user_name)
        self.first_run_form = FirstRunForm(session)
        self.setup = SetupSteps(self._language_code(), self._server_url(), context.preferences)
        values = context.preferences.values
        # The setup is skipped if there was a login before or if it was completed.
        self._step = Step.LANGUAGE if context.embedded and not (values.set_up or values.user_name) else None
        self._offers_face = self._lacks_users = False
        self.photo_login = PhotoLogin(session, context.device_token)
        self._build()
        self.viewfinder.action_clicked.connect(self._on_retry)
        self.face.requirements_read.connect(self.photo_login.set_requirements)
        self.face.requirements_read.connect(self._on_requirements_read)
        self.face.logged_in.connect(self._enter)
        self.face.camera_chosen.connect(lambda name: context.preferences.change(camera=name))
        self.password_form.logged_in.connect(self._enter_by_password)
        self.photo_login.logged_in.connect(self._enter)
        self.first_run_form.logged_in.connect(self._enter)
        self.first_run_form.user_exists.connect(self._probe)
        self.first_run_form.back.connect(lambda: self._show_setup_step(Step.SERVICE))
        self.setup.back.connect(lambda: self._show_setup_step(Step.LANGUAGE))
        self.setup.language_chosen.connect(self._set_language)
        self.setup.server_chosen.connect(self._set_service)
        # Connections to methods end with the page.
        context.service_changed.connect(self._on_service_changed)
        theme_manager().theme_changed.connect(self._on_theme_changed)

    @classmethod
    def title(cls) -> str:
        """The page's name."""
        return QCoreApplication.translate("LoginPage", "Log in")

    @property
    def first_run(self) -> bool:
        """True while the page creates the first administrator."""
        return self._is_first_run and self._step is None

    # Building

    def _build(self) -> None:
        self._outer = outer = QGridLayout(self)
        outer.setRowStretch(0, 1)
        outer.setRowStretch(3, 1)
        outer.setColumnStretch(0, 1)
        outer.setColumnStretch(2, 1)
        self._header = self._make_header()
        outer.addLayout(self._header, 1, 1)
        outer.addWidget(self._make_card(), 2, 1)

    def _make_header(self) -> QHBoxLayout:
        row = row_of(Logo(40), spacing=12)
        names = column_of(
            label("Walkaround", "title"), label(self.tr("Inspection workstation"), "dim"), spacing=0
        )
        row.addLayout(names)
        row.addStretch(1)
        self.language = Button(f"{LANGUAGES[self._language_code()]} ▾", kind=ButtonKind.QUIET)
        self.language.setAccessibleName(self.tr("Language"))
        self.language.clicked.connect(lambda _checked=False: self._offer_languages())
        row.addWidget(self.language)
        return row

    def resizeEvent(self, event: QResizeEvent) -> None:
        # On a small screen, the margins give way to the card.
        fits = self.height() >= _CARD.height() + _AROUND and self.width() >= _CARD.width() + 2 * _MARGIN
        margin = _MARGIN if fits else _MARGIN // 2
        self._outer.setContentsMargins(margin, margin, margin, margin)
        self._outer.setVerticalSpacing(margin)
        # On a large screen, the card and the camera picture grow.
        share = min(self.width() / _GROW_FROM.width(), self.height() / _GROW_FROM.height())
        share = min(max(share, 1.0), _MAX_GROWTH)
        self._card.setFixedWidth(min(round(_CARD.width() * share), self.width() - 2 * margin))
        room = self.height() - self._header.sizeHint().height() - 3 * margin
        self._card.setMinimumHeight(min(round(_CARD.height() * share), room))
        left = self._card.width() - self._left_stack.minimumSizeHint().width() - 2
        self._form.setFixedWidth(min(round(_FORM_WIDTH * (1 + (share - 1) / 2)), left))
        super().resizeEvent(event)

    def _make_card(self) -> Card:
        self._card = Card()
        self._card.installEventFilter(self)
        self._card.setFixedWidth(_CARD.width())
        self._card.setMinimumHeight(_CARD.height())
        self._card.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Maximum)
        row = QHBoxLayout(self._card)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(0)
        self._left_stack = QStackedWidget()
        self._left_stack.addWidget(self.viewfinder)
        self._left_stack.addWidget(Welcome())
        row.addWidget(self._left_stack, 1)
        row.addWidget(self._make_right())
        return self._card

    def _make_right(self) -> QWidget:
        right = QWidget()
        right.setProperty("clear", True)
        self._form = FormArea(right)
        self._form.setFixedWidth(_FORM_WIDTH)
        column = QVBoxLayout(right)
        column.setContentsMargins(34, 32, 34, 24)
        column.setSpacing(0)
        self._heading = label("", "title")
        self._subheading = label("", "dim", wrap=True)
        column.addStretch(1)
        column.addWidget(self._heading)
        column.addSpacing(6)
        column.addWidget(self._subheading)
        column.addSpacing(20)
        column.addWidget(self.password_form)
        column.addWidget(self.first_run_form)
        column.addWidget(self.setup)
        column.addSpacing(12)
        column.addWidget(self.photo_login)
        column.addStretch(2)
        column.addSpacing(12)
        column.addWidget(separator())
        column.addSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(8)
        self._service_dot = ServiceDot()
        self._server_label = label("", "text")
        self.change = Button(self.tr("Change server"), kind=ButtonKind.QUIET)
        self.change.clicked.connect(lambda _checked=False: self._change_server())
        row.addWidget(self._service_dot)
        row.addWidget(self._server_label, 1)
        row.addWidget(self.change)
        column.addLayout(row)
        self._show_form(first_run=False)
        return self._form

    # Opening and leaving

    def enter(self, params: dict[str, Any]) -> None:
        """Restore the given parameters, ask the service for users, and start the camera."""
        if params.get("user_name"):
            self.password_form.user_name.set_text(params["user_name"])
            self.first_run_form.user_name.set_text(params["user_name"])
        if params.get("name"):
            self.first_run_form.name.set_text(params["name"])
        if params.get("address"):
            self.setup.choice.restore(params["address"])
        if self._step is not None and params.get("step") in list(Step):
            self._step = Step(params["step"])
        self._show_form(self._is_first_run)
        self._begin()
        self._on_service_changed()

    def _begin(self) -> None:
        """Set the focus to the first input of the visible form."""
        if self._step is not None:
            self.setup.begin(self._language_code())
        else:
            (self.first_run_form if self.first_run else self.password_form).begin()

    def leave(self) -> bool:
        """Release the camera."""
        self.face.stop()
        return True

    def return_params(self) -> dict[str, Any]:
        """The entered names, but never a password."""
        form = self.first_run_form if self._is_first_run else self.password_form
        return {
            "user_name": form.user_name.text(),
            "name": self.first_run_form.name.text(),
            "address": self.setup.choice.address.text(),
            "step": self._step or "",
        }

    def _show_setup_step(self, step: Step | None) -> None:
        """Show a step of the setup; None shows the account form."""
        self._step = step
        self._show_form(self._is_first_run)
        self._begin()

    def _set_language(self, code: str) -> None:
        """Continue in a language. Another language than the present one reopens the window at this page."""
        self._show_setup_step(Step.SERVICE)
        if code == self._language_code():
            self._context.preferences.change(language=code)
        else:
            self._context.commands.run(f"language.{code}")

    def _set_service(self, url: str) -> None:
        """Continue with a service. Another service than the present one reopens the window."""
        self._context.preferences.change(set_up=True)
        if url == self._server_url():
            self._show_setup_step(None)
            self._on_service_changed()
        else:
            self.server_chosen.emit(url)

    def _server_url(self) -> str:
        return "" if self._context.embedded else self._context.session.base_url

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self.face.stop()
            soft_shadow.cache_clear()

    # The service

    def _on_theme_changed(self) -> None:
        self.update()

    def _on_service_changed(self) -> None:
        state = self._context.service_state
        texts = {
            ServiceState.STARTING: self.tr("The service is starting…"),
            ServiceState.READY: self._server_name(),
            ServiceState.RESTARTING: self.tr("Reconnecting…"),
            ServiceState.FAILED: self.tr("Cannot connect to the service"),
            ServiceState.STOPPED: self.tr("The service has stopped"),
        }
        self._server_label.setText(texts[state])
        self._service_dot.show_state(state)
        if state is ServiceState.READY:
            self._probe()
        elif self.isVisible() or not self.first_run:
            self.face.stop()
            self.viewfinder.set_cameras([], "")
            self.viewfinder.show_waiting(texts[state])

    def _server_name(self) -> str:
        if self._context.embedded:
            return self.tr("This computer")
        return urlsplit(self._context.session.base_url).netloc

    def _on_retry(self) -> None:
        if not self.face.is_running:
            self._on_service_changed()

    def _probe(self) -> None:
        session = self._context.session
        run(session.account.first_run_needed, owner=self, done=self._on_probed, failed=self._on_probe_failed)

    def _on_probed(self, is_needed: bool) -> None:
        was_first_run, first_run = self._is_first_run, is_needed and is_local(self._context.session.base_url)
        self._lacks_users = is_needed and not first_run
        self._show_form(first_run)
        self.ready.emit()
        if not self.isVisible():
            return
        if first_run or self._step is not None:
            self.face.stop()
            self._begin()
            return
        if was_first_run:
            # The form that had the focus is hidden now.
            self._begin()
        self.face.start()

    def _on_probe_failed(self, error: Exception) -> None:
        self._service_dot.show_state(ServiceState.FAILED)
        self._server_label.setText(self.tr("Cannot connect to the service"))
        self.face.stop()
        self.viewfinder.set_cameras([], "")
        self.viewfinder.show_sentence(sentence(error), self.tr("Retry"), icon="server")

    def _show_form(self, first_run: bool) -> None:
        self._is_first_run = first_run
        step = self._step
        self._left_stack.setCurrentIndex(1 if first_run or step is not None else 0)
        self.setup.setVisible(step is not None)
        self.first_run_form.setVisible(first_run and step is None)
        self.password_form.setVisible(not first_run and step is None)
        self.photo_login.setVisible(not first_run and step is None)
        self.change.setVisible(step is None)
        if step is not None:
            self.setup.show_step(step)
        heading, subheading = self._heading_texts()
        self._heading.setText(heading)
        self._subheading.setText(subheading)
        self._card.setAccessibleName(self._heading.text())
        self.update()

    def _heading_texts(self) -> tuple[str, str]:
        """The heading and the explanation of the visible form."""
        match self._step:
            case Step.LANGUAGE:
                return "Language · 语言", self.tr("Step 1 of 3. You can change it at any time.")
            case Step.SERVICE:
                return self.tr("Where should records be stored?"), self.tr(
                    "Step 2 of 3. Records and images can be stored on this computer, or on a server that "
                    "several people share."
                )
        if self._is_first_run:
            return self.tr("Create administrator account"), self.tr(
                "Step 3 of 3. The first user is the administrator and can create all other users."
            )
        return self.tr("Log in"), self._login_text()

    def _login_text(self) -> str:
        if self._lacks_users:
            return self.tr("No users yet. Create the administrator account on the server computer.")
        if self._offers_face:
            return self.tr("Look into the camera, or enter your password.")
        return self.tr("Enter your username and password.")

    def _on_requirements_read(self, requirements: FaceRequirements) -> None:
        self._offers_face = requirements.offered
        if self.password_form.isVisibleTo(self):
            self._subheading.setText(self._login_text())

    def _enter_by_password(self, payload: Payload) -> None:
        self._enter(payload)
        self._context.strong_login.emit()

    def _enter(self, payload: Payload) -> None:
        self.face.stop()
        # Else the logout would show the form of the first administrator until the service answers.
        self._show_form(first_run=False)
        self._context.enter(payload)
        if self.face.was_by_challenge:
            self._context.strong_login.emit()

    # Actions of the user

    def _change_server(self) -> None:
        dialog = ServerDialog(self._server_url(), self._context.preferences, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.server_chosen)
        dialog.open()

    def _language_code(self) -> str:
        code = self.locale().name()
        return "zh_CN" if code.startswith("zh") else "en"

    def _offer_languages(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for code, name in LANGUAGES.items():
            entry = menu.addAction(name)
            entry.setCheckable(True)
            entry.setChecked(code == self._language_code())
            command = f"language.{code}"
            entry.triggered.connect(
                lambda _checked=False, command=command: self._context.commands.run(command)
            )
        menu.popup(self.language.mapToGlobal(self.language.rect().bottomLeft()))

    # Painting

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._card and event.type() in (QEvent.Type.Move, QEvent.Type.Resize):
            # The page paints the shadow around the card, which Qt does not repaint then.
            self.update()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        # QGraphicsDropShadowEffect would paint the live picture twice.
        card, strength = self._card.geometry(), _SHADOW_DARK if theme_manager().theme.dark else _SHADOW_LIGHT
        shadow = soft_shadow(card.width(), card.height(), _SHADOW_BLUR, strength)
        place = shadow.rect()
        place.moveCenter(card.center() + QPoint(0, _SHADOW_DROP))
        painter.drawImage(place, shadow)
        painter.end()
