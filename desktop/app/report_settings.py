"""The settings of reports in the menu: a page per failed finding, and the template file."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.context import Context
from desktop.messages.error_messages import sentence
from desktop.pages.common.files.file_dialogs import Purpose, open_file
from desktop.report.errors import TemplateError
from desktop.report.template import read_template


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
