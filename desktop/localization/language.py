"""Switches the language of the desktop: English in the source, Chinese from the catalogue.

A switch rebuilds the main window (`desktop/app/application.py`) and returns to `Page.return_params()`. So
every text is set exactly once, where its widget is made, and no text can be forgotten in a second place.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from desktop.localization.fonts import shows_chinese
from shared.system.paths import resource_path

LANGUAGES: dict[str, str] = {"en": "English", "zh_CN": "中文"}
"""Names of the languages in the language itself, by their codes."""

_log = logging.getLogger(__name__)


def QT_TRANSLATE_NOOP(context: str, source: str) -> str:
    """Mark a literal for the catalogue and return it; typed as a string, unlike PySide's function."""
    return source


_QT_TEXTS = (
    QT_TRANSLATE_NOOP("QFileDialog", "&Look in:"),
    QT_TRANSLATE_NOOP("QFileDialog", "Files of &type:"),
    QT_TRANSLATE_NOOP("QAbstractFileIconProvider", "Folder"),
    QT_TRANSLATE_NOOP("QAbstractFileIconProvider", "File Folder"),
)
"""Texts of Qt's own file dialog that have no Chinese translation in Qt's catalogue."""


def join_words(words: Iterable[str]) -> str:
    """Join words with the comma of the language."""
    return QCoreApplication.translate("Words", ", ", "between the words of a list").join(words)


def join_sentences(sentences: Iterable[str]) -> str:
    """Join sentences as the language does: Chinese has no space between them. Empty ones are left out."""
    space = "" if QLocale().language() is QLocale.Language.Chinese else " "
    return space.join(filter(None, sentences))


def format_label_and_value(name: str, value: str) -> str:
    """Join a label and its value with the colon of the language."""
    text = QCoreApplication.translate("Words", "{name}: {value}", "what it is called, what it is")
    return text.format(name=name, value=value)


def system_language() -> str:
    """Return the first of the system's languages that is in LANGUAGES, or else English."""
    for name in QLocale.system().uiLanguages():
        if name.startswith("zh"):
            return "zh_CN"
        if name.startswith("en"):
            return "en"
    return "en"


def effective_language(choice: str) -> str:
    """Return `choice` if it is a code of LANGUAGES, or else the system's language."""
    return choice if choice in LANGUAGES else system_language()


def has_no_font(choice: str) -> bool:
    """Whether this computer has no font for the language of `choice` (see `effective_language`)."""
    return effective_language(choice) == "zh_CN" and not shows_chinese()


class Language:
    """Installs the translations of one language; make it once, after the QApplication."""

    def __init__(self) -> None:
        self._translators: list[QTranslator] = []
        self.code = "en"
        self.missing = False
        """Whether the catalogue of the current language is missing, so that English is shown."""

    def use(self, choice: str) -> None:
        """Switch to `choice` (a code of LANGUAGES), or with an empty string to the system's language.

        Switches to English when this computer has no font for the language.
        """
        self.code = "en" if has_no_font(choice) else effective_language(choice)
        self.end()
        QLocale.setDefault(QLocale(self.code))
        self.missing = not self._load("walkaround", str(resource_path("translations")))
        if self.missing:
            _log.warning("the catalogue for %s is missing: run resources/translations/compile.py", self.code)
        if self.code != "en":
            self._load("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))

    def end(self) -> None:
        """Remove all translations from the application and reset the format of dates and numbers."""
        QLocale.setDefault(QLocale("en"))
        for old in self._translators:
            QCoreApplication.removeTranslator(old)
        self._translators = []

    def _load(self, name: str, folder: str) -> bool:
        translator = QTranslator(QCoreApplication.instance())
        if not translator.load(f"{name}_{self.code}", folder):
            return False
        QCoreApplication.installTranslator(translator)
        self._translators.append(translator)
        return True
