"""The guide: the same in both languages, true to the program's texts, with every picture and link there."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from desktop.help.guide import CONTENTS, KEYS_MARK, Guide
from shared.system.paths import resource_path

LANGUAGES = ("en", "zh_CN")
TOPICS = [topic for part in CONTENTS for topic in part.topics]
MAX_BYTES = 3_000_000


def pages(language: str) -> dict[str, str]:
    return {
        path.stem: path.read_text("utf-8") for path in sorted(resource_path("guide", language).glob("*.md"))
    }


def interface_texts(language: str) -> set[str]:
    catalogue = ET.parse(resource_path("translations", "walkaround_zh_CN.ts"))
    texts: set[str] = set()
    for message in catalogue.iter("message"):
        if language == "en":
            texts.add(message.findtext("source") or "")
        else:
            translation = message.find("translation")
            assert translation is not None
            texts |= {translation.text or "", *(form.text or "" for form in translation)}
    return texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_those_of_the_contents(language: str) -> None:
    assert len(TOPICS) == len(set(TOPICS))
    assert set(pages(language)) == set(TOPICS)


def test_both_languages_have_the_same_headings_lists_tables_and_pictures() -> None:
    def structure(text: str) -> list[str]:
        marks = re.findall(r"^(#+ |\d+\. |- |\| |!\[)", text, re.MULTILINE)
        return [mark.strip() for mark in marks] + re.findall(r"\(([\w-]+\.md)\)", text)

    english, chinese = pages("en"), pages("zh_CN")
    assert {topic for topic in TOPICS if structure(english[topic]) != structure(chinese[topic])} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_has_one_title_and_names_its_readers(language: str) -> None:
    for topic, text in pages(language).items():
        lines = text.split("\n")
        assert re.fullmatch(r"# \S.*", lines[0]), topic
        assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1, topic
        assert re.fullmatch(r"\*[^*]+\*", lines[2]), topic


@pytest.mark.parametrize("language", LANGUAGES)
def test_bold_texts_are_texts_of_the_interface(language: str) -> None:
    texts = interface_texts(language)
    quoted = {
        (topic, text)
        for topic, page in pages(language).items()
        for text in re.findall(r"\*\*(.+?)\*\*", page)
    }
    assert len(quoted) > 100
    assert {(topic, text) for topic, text in quoted if text not in texts} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_and_pictures_exist_and_every_picture_is_used(language: str) -> None:
    folder = resource_path("guide", language)
    used: set[Path] = set()
    for topic, text in pages(language).items():
        for alt, target in re.findall(r"(!?)\[[^\]]+\]\(([^)]+)\)", text):
            assert (folder / target).resolve().is_file(), (topic, target)
            if alt:
                used.add((folder / target).resolve())
    assert used == set(resource_path("guide", "pictures", language).resolve().glob("*.png"))


def test_pictures_stay_small() -> None:
    sizes = [path.stat().st_size for path in resource_path("guide", "pictures").rglob("*.png")]
    assert 0 < sum(sizes) < MAX_BYTES


def test_chinese_pages_have_no_english_sentences() -> None:
    for topic, text in pages("zh_CN").items():
        prose = re.sub(r"`[^`]*`|\([^)]*\)", "", text)
        assert not re.search(r"[a-z]+ [a-z]+ [a-z]+", prose), topic


def test_search_finds_every_word_and_puts_titles_first() -> None:
    guide = Guide("en")
    assert guide.search("BACKUPS")[0].topic == "backups"
    assert {hit.topic for hit in guide.search("QR phone")} == {"phone"}
    assert guide.search("  ") == []
    assert guide.search("xylophone") == []
    assert "备份" in Guide("zh_CN").search("备份")[0].excerpt


def test_page_of_the_keys_has_the_table_in_place_of_its_mark() -> None:
    guide = Guide("en", lambda: "| TABLE | X |")
    assert KEYS_MARK in (guide.folder / "keys.md").read_text("utf-8")
    assert "| TABLE | X |" in guide.markdown("keys")
    assert KEYS_MARK not in guide.markdown("keys")
    assert guide.search("table")[-1].topic == "keys"
