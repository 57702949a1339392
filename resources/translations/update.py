"""Updates the catalogues from the source and lists untranslated texts.

    python resources/translations/update.py            update; 1 if texts are untranslated
    python resources/translations/update.py --check    change nothing; 1 if a catalogue is out of date

Python's parser finds the texts, because that of lupdate misses texts in f-strings and sometimes takes a wrong
context. This module writes them as a list of calls, and pyside6-lupdate merges them into the catalogues.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
CHINESE = FOLDER / "walkaround_zh_CN.ts"
# Only the plural forms: "1 edit", "2 edits" for the source text "%n edit(s)".
ENGLISH = FOLDER / "walkaround_en.ts"
SOURCES = ("desktop",)


@dataclass(frozen=True, order=True)
class Text:
    """A text of the source: its context, a comment that distinguishes equal texts, and if it has plural
    forms.
    """

    context: str
    source: str
    comment: str = ""
    has_plural: bool = False


class NotLiteralError(Exception):
    """A call whose text is not a literal; `str()` names its place."""


def read_texts(path: Path) -> Iterator[Text]:
    """Yield the texts of one source file. Raises NotLiteralError for a call whose text is not a literal."""
    yield from _find_texts(ast.parse(path.read_text(encoding="utf-8"), str(path)), "", path)


def _find_texts(node: ast.AST, context: str, path: Path) -> Iterator[Text]:
    if isinstance(node, ast.ClassDef):
        context = node.name
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "tr":
            yield _create_text(node, context, node.args, path)
        elif (
            name in {"translate", "QT_TRANSLATE_NOOP"} and len(node.args) >= 2 and _is_translation_call(node)
        ):
            yield _create_text(node, _read_literal(node, node.args[0], path), node.args[1:], path)
    for child in ast.iter_child_nodes(node):
        yield from _find_texts(child, context, path)


def _is_translation_call(node: ast.Call) -> bool:
    """Return False for str.translate and for the place that translates texts marked elsewhere."""
    function = node.func
    owner = function.value if isinstance(function, ast.Attribute) else None
    if owner is not None and getattr(owner, "id", "") != "QCoreApplication":
        return False
    return not isinstance(node.args[1], ast.Attribute)


def _create_text(node: ast.Call, context: str, args: list[ast.expr], path: Path) -> Text:
    source = _read_literal(node, args[0], path)
    comment = _read_literal(node, args[1], path) if len(args) > 1 else ""
    return Text(context, source, comment, len(args) > 2)


def _read_literal(call: ast.Call, value: ast.expr, path: Path) -> str:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    raise NotLiteralError(
        f"{path.relative_to(ROOT)}:{call.lineno}: the text must be a literal to be translated"
    )


def collect_texts() -> list[Text]:
    """Return every text of the desktop once, sorted. Raises NotLiteralError."""
    collected: set[Text] = set()
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            collected.update(read_texts(path))
    return sorted(collected)


def read_catalogue(catalogue: Path) -> dict[Text, str | None]:
    """Return the translations of a catalogue by their texts; None for an unfinished one."""
    translations: dict[Text, str | None] = {}
    if not catalogue.exists():
        return translations
    for context in ET.parse(catalogue).getroot().iter("context"):  # noqa: S314 - our own file
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None:
                continue
            forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
            is_finished = translation.get("type") is None and all(forms)
            text = Text(
                context.findtext("name", ""),
                message.findtext("source", ""),
                message.findtext("comment", ""),
                message.get("numerus") == "yes",
            )
            translations[text] = "\n".join(forms) if is_finished else None
    return translations


def update(catalogue: Path, texts: list[Text]) -> None:
    """Merge `texts` into `catalogue` by lupdate: add new texts, remove obsolete ones, keep the others."""
    lines = ["from PySide6.QtCore import QCoreApplication"]
    for text in texts:
        parts = [repr(part) for part in (text.context, text.source, text.comment)]
        call = ", ".join(_quote(part) for part in (parts if text.comment or text.has_plural else parts[:2]))
        lines.append(f"QCoreApplication.translate({call}{', 1' if text.has_plural else ''})")
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "texts.py"
        listing.write_text("\n".join(lines) + "\n", encoding="utf-8")
        tool = Path(sys.executable).with_name("pyside6-lupdate")
        command = [str(tool), "-locations", "none", "-no-obsolete", "-no-ui-lines", str(listing)]
        subprocess.run([*command, "-ts", str(catalogue)], check=True, stdout=subprocess.DEVNULL)  # noqa: S603


def _quote(literal: str) -> str:
    """Return a Python literal in double quotes, because lupdate reads these most reliably."""
    body = str(ast.literal_eval(literal))
    return '"' + body.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def main(arguments: list[str] | None = None) -> int:
    """Update or check all catalogues. Returns 0 if they are complete, else 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args(arguments)
    try:
        texts = collect_texts()
    except NotLiteralError as error:
        print(error, file=sys.stderr)
        return 1
    faults = 0
    for catalogue, expected in ((CHINESE, texts), (ENGLISH, [text for text in texts if text.has_plural])):
        if not options.check:
            update(catalogue, expected)
        translations = read_catalogue(catalogue)
        missing = [text for text in expected if translations.get(text) is None]
        stale = [text for text in translations if text not in set(expected)]
        for text in missing:
            print(f"{catalogue.name}: not translated: [{text.context}] {text.source}")
        for text in stale:
            print(f"{catalogue.name}: no longer in the source: [{text.context}] {text.source}")
        faults += len(missing) + len(stale)
        print(f"{catalogue.name}: {len(expected)} texts, {len(missing)} not translated, {len(stale)} stale")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
