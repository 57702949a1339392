"""The languages: complete catalogues, chosen by the system, switched while the program runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication, QDialogButtonBox
from pytestqt.qtbot import QtBot

from desktop.folder_watch import WatchState
from desktop.localization.language import (
    LANGUAGES,
    Language,
    format_label_and_value,
    join_sentences,
    join_words,
    system_language,
)
from desktop.pages.workbench.photos.folder_watch import BarState, WatchBar
from desktop.widgets import PasswordField, SaveMark, SaveState, status_text
from tests.desktop.localization.catalogues import load_tool

update = load_tool("update")


@pytest.fixture
def language(qapp: QApplication, catalogues: None) -> Iterator[Language]:
    language = Language()
    yield language
    language.use("en")
    language.end()


def test_no_catalogue_is_stale_or_unfinished() -> None:
    """Repair it with `python resources/translations/update.py`, which lists what is missing."""
    assert update.main(["--check"]) == 0


def test_placeholders_survive_translation() -> None:
    for text, translated in update.read_catalogue(update.CHINESE).items():
        if translated is None:
            continue
        marks = sorted(re.findall(r"\{\w*\}|%n", text.source))
        for form in translated.split("\n") if text.has_plural else [translated]:
            assert sorted(re.findall(r"\{\w*\}|%n", form)) == marks, text


def test_texts_outside_and_inside_widgets_are_translated(language: Language, qtbot: QtBot) -> None:
    language.use("zh_CN")
    assert not language.missing
    assert status_text("passed") == "通过"
    field = PasswordField("密码")
    qtbot.addWidget(field)
    assert field.toggle.text() == "显示"


def test_a_subclass_shows_the_translated_texts_of_its_base(language: Language, qtbot: QtBot) -> None:
    class Special(PasswordField):
        pass

    language.use("zh_CN")
    field = Special("密码")
    qtbot.addWidget(field)
    assert field.toggle.text() == "显示"


def test_dialogs_of_qt_are_translated(language: Language, qtbot: QtBot) -> None:
    language.use("zh_CN")
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)
    assert box.button(QDialogButtonBox.StandardButton.Cancel).text() == "取消"


def test_counts_have_singular_and_plural_forms(language: Language, qtbot: QtBot) -> None:
    mark = SaveMark()
    qtbot.addWidget(mark)
    language.use("en")
    texts = []
    for waiting in (1, 2):
        mark.show_state(SaveState.WAITING, waiting)
        texts.append(mark.text())
    assert texts == ["Saving 1 change", "Saving 2 changes"]
    language.use("zh_CN")
    mark.show_state(SaveState.WAITING, 2)
    assert "2" in mark.text()
    assert "%n" not in mark.text()


def test_switching_back_is_english_again(language: Language) -> None:
    language.use("zh_CN")
    language.use("en")
    assert status_text("passed") == "Passed"
    assert QLocale().language() == QLocale.Language.English


def test_an_unknown_choice_selects_the_system_language(language: Language) -> None:
    language.use("klingon")
    assert language.code == system_language()
    assert language.code in LANGUAGES


def test_a_missing_catalogue_is_logged_and_english_shown(
    language: Language, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("desktop.localization.language.resource_path", lambda *parts: tmp_path)
    language.use("zh_CN")
    assert language.missing
    assert status_text("passed") == "Passed"
    assert "compile.py" in caplog.text


def test_text_that_is_not_a_literal_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "ROOT", tmp_path)
    source = tmp_path / "page.py"
    source.write_text("class P:\n    def f(self, name):\n        return self.tr(name)\n", encoding="utf-8")
    with pytest.raises(update.NotLiteralError, match=r"page\.py:3"):
        list(update.read_texts(source))


def test_texts_are_found_in_all_kinds_of_code(tmp_path: Path) -> None:
    source = tmp_path / "page.py"
    source.write_text(
        "class P:\n"
        "    def f(self, n):\n"
        "        QCoreApplication.translate('Other', 'one')\n"
        "        self.tr('two '\n"
        "                'parts')\n"
        "        f\"{self.tr('three')}\"\n"
        "        self.tr('%n thing(s)', '', n)\n"
        "        'x'.translate(table, 'not ours')\n"
        "T = QT_TRANSLATE_NOOP('Commands', 'four')\n",
        encoding="utf-8",
    )
    texts = {(text.context, text.source, text.has_plural) for text in update.read_texts(source)}
    assert texts == {
        ("Other", "one", False),
        ("P", "two parts", False),
        ("P", "three", False),
        ("P", "%n thing(s)", True),
        ("Commands", "four", False),
    }


def test_a_new_catalogue_holds_exactly_the_texts(tmp_path: Path) -> None:
    wanted = sorted(
        {
            update.Text("A", 'quotes " and \\ and\nlines'),
            update.Text("A", "中文 “quotes”"),
            update.Text("B", "%n edit(s)", "", True),
            update.Text("B", "Close", "verb"),
        }
    )
    catalogue = tmp_path / "walkaround_zh_CN.ts"
    update.update(catalogue, wanted)
    assert sorted(update.read_catalogue(catalogue)) == wanted
    update.update(catalogue, wanted[:1])
    assert list(update.read_catalogue(catalogue)) == wanted[:1]


@pytest.mark.parametrize(("code", "comma", "colon"), [("en", ", ", ": "), ("zh_CN", "、", "：")])
def test_lists_and_labelled_values_use_punctuation_of_language(
    language: Language, code: str, comma: str, colon: str
) -> None:
    language.use(code)
    assert join_words(["B-1234", "B-2087"]) == f"B-1234{comma}B-2087"
    assert format_label_and_value("B-1234", "{x}") == f"B-1234{colon}{{x}}"


def test_filters_of_file_dialogs_keep_the_parentheses_that_qt_reads() -> None:
    held = update.read_catalogue(update.CHINESE)
    filters = {
        text.source: translation
        for text, translation in held.items()
        if "(*." in text.source or "({patterns})" in text.source
    }
    assert filters
    wrong = {
        source: translation
        for source, translation in filters.items()
        if translation is None or "(" not in translation or "（" in translation
    }
    assert wrong == {}


def test_sentences_are_joined_without_a_space_in_chinese(language: Language) -> None:
    language.use("en")
    assert join_sentences(("One.", "", "Two.")) == "One. Two."
    language.use("zh_CN")
    assert join_sentences(("一。", "", "二。")) == "一。二。"


def test_bar_of_a_watched_folder_joins_its_sentences_as_chinese_does(
    language: Language, qtbot: QtBot, tmp_path: Path
) -> None:
    language.use("zh_CN")
    bar = WatchBar()
    qtbot.addWidget(bar)
    bar.show_state(BarState(WatchState.WATCHING, tmp_path / "card"))
    assert bar.text().startswith("正在监视文件夹“card”。")
    assert " " not in bar.text()
