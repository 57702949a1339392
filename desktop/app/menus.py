"""Shows the menus of the rail, and changes the settings of reports that are in one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.context import Context
from desktop.localization.language import LANGUAGES
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, open_file
from desktop.report.content import TemplateError, read_template
from desktop.theme import Mode, theme_manager
from desktop.widgets import Rail

SETTINGS_MENU = (
    *("help", "keys", "tour", "palette", ""),
    *(f"theme.{mode}" for mode in Mode),
    "",
    *(f"language.{code or 'system'}" for code in ("", *LANGUAGES)),
    *("", "report.pages", "report.template", "finish.rules", "", "doctor", "logs", "about"),
)
"""The commands of the menu of settings; an empty id is a separator."""


class ReportSettings(QObject):
    """Changes the settings of reports and says what changed."""

    notice = Signal(str)

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._preferences, self._window = context.preferences, window
        context.commands.bind("report.pages", self.toggle_pages, window)
        context.commands.bind("report.template", self.choose_template, window)

    @property
    def commands(self) -> dict[str, bool]:
        """The commands of the menu, and whether each is on."""
        values = self._preferences.values
        return {"report.pages": values.report_pages, "report.template": bool(values.report_template)}

    def toggle_pages(self) -> None:
        """Add a page for each failed finding to reports, or leave these pages out."""
        on = not self._preferences.values.report_pages
        self._preferences.change(report_pages=on)
        added = self.tr("Reports have a page for each failed finding.")
        self.notice.emit(added if on else self.tr("Reports have no pages of failed findings."))

    def choose_template(self) -> None:
        """Ask for the template file of reports. While one is set, the command removes it."""
        if self._preferences.values.report_template:
            self._preferences.change(report_template="")
            self.notice.emit(self.tr("Reports have no template."))
            return
        kinds = self.tr("Report template (*.toml)")
        path = open_file(self._window, self.tr("Choose report template"), kinds, Purpose.TEMPLATES)
        if path is None:
            return
        try:
            template = read_template(path)
        except TemplateError as error:
            self.notice.emit(sentence(error))
            return
        self._preferences.change(report_template=str(path))
        text = self.tr("Reports use the template of {company}.")
        self.notice.emit(text.format(company=template.company or path.name))


class RailMenus:
    """The menus that the lowest buttons of the rail open: settings and account."""

    def __init__(self, context: Context, window: QWidget, rail: Rail, reports: ReportSettings) -> None:
        self._context, self._window, self._rail, self._reports = context, window, rail, reports
        rail.settings_requested.connect(self.open_settings)
        rail.account_requested.connect(self.open_account)

    def open_settings(self) -> None:
        """Open the menu of help, theme, language and the settings of reports."""
        values = self._context.preferences.values
        themes = {f"theme.{mode}": mode is theme_manager().mode for mode in Mode}
        languages = {f"language.{code or 'system'}": code == values.language for code in ("", *LANGUAGES)}
        self._show(SETTINGS_MENU, self._rail.settings, themes | languages | self._reports.commands)

    def open_account(self) -> None:
        """Open the menu of the user's own page and the ends of the login and the program."""
        self._show(["go.me", "", "logout", "quit"], self._rail.account)

    def _show(self, ids: Sequence[str], anchor: QWidget, choices: Mapping[str, bool] | None = None) -> None:
        menu = self._context.commands.menu(ids, self._window, choices)
        theme_manager().apply_to(menu)
        corner = anchor.mapToGlobal(anchor.rect().bottomRight())
        corner.setY(corner.y() - menu.sizeHint().height())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(corner)
