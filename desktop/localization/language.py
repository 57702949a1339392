"""Switches the language of the desktop: English in the source, Chinese from the catalogue.

A switch rebuilds the main window (`desktop/app/application.py`) and returns to `Page.place()`. So every text
is set exactly once, where its widget is made, and no text can be forgotten in a second place.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from desktop.localization.fonts import shows_chinese
from shared.paths import resource

LANGUAGES: dict[str, str] = {"en": "English", "zh_CN": "中文"}
"""Code -> the language's own name."""

_log = logging.getLogger(__name__)


def QT_TRANSLATE_NOOP(context: str, source: str) -> str:
    """Marks a literal for the catalogue and gives it back; PySide's own is typed to give an object."""
    return source


_OF_QT = (
    QT_TRANSLATE_NOOP("QFileDialog", "&Look in:"),
    QT_TRANSLATE_NOOP("QFileDialog", "Files of &type:"),
    QT_TRANSLATE_NOOP("QAbstractFileIconProvider", "Folder"),
    QT_TRANSLATE_NOOP("QAbstractFileIconProvider", "File Folder"),
)
"""What Qt's own catalogue lacks in Chinese, where a system has no file dialog of its own."""


def joined_words(words: Iterable[str]) -> str:
    """Words one after another, with the comma of the language between them."""
    return QCoreApplication.translate("Words", ", ", "between the words of a list").join(words)


def labelled_value(name: str, value: str) -> str:
    """A name and what it is, with the colon of the language between them."""
    text = QCoreApplication.translate("Words", "{name}: {value}", "what it is called, what it is")
    return text.format(name=name, value=value)


def system_language() -> str:
    """The best of our languages for this system; English when it uses neither."""
    for name in QLocale.system().uiLanguages():
        if name.startswith("zh"):
            return "zh_CN"
        if name.startswith("en"):
            return "en"
    return "en"


def wanted(chosen: str) -> str:
    """The language that is meant by `chosen`: a code of LANGUAGES, or else the system's language."""
    return chosen if chosen in LANGUAGES else system_language()


def without_font(chosen: str) -> bool:
    """True when `chosen` (as in `wanted`) is a language that this computer has no font for."""
    return wanted(chosen) == "zh_CN" and not shows_chinese()


class Language:
    """Puts one language in force for the whole application; made once, after the QApplication."""

    def __init__(self) -> None:
        self._translators: list[QTranslator] = []
        self.code = "en"
        self.missing = False
        """True when the catalogue of the language in force is missing, so that plain English is shown."""

    def use(self, chosen: str) -> None:
        """Use `chosen` (a code of LANGUAGES), or with an empty string the system's language.

        English takes the place of a language that no font of this computer can show.
        """
        self.code = "en" if without_font(chosen) else wanted(chosen)
        self.end()
        QLocale.setDefault(QLocale(self.code))
        self.missing = not self._load("walkaround", str(resource("translations")))
        if self.missing:
            _log.warning("the catalogue for %s is missing: run resources/translations/compile.py", self.code)
        if self.code != "en":
            self._load("qtbase", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))

    def end(self) -> None:
        """Take every translation out of the application, and its dates and numbers."""
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
