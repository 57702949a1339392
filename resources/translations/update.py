"""Brings the catalogues up to date with the source, and lists what is not translated yet.

    python resources/translations/update.py            update, list what is unfinished; 1 when something is
    python resources/translations/update.py --check    change nothing; 1 when a catalogue is stale

The texts are found by Python's own parser (lupdate's misses what stands in f-strings and sometimes takes a
wrong context), written as one plain list of calls, and merged into the catalogues by pyside6-lupdate.
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

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CHINESE = HERE / "walkaround_zh_CN.ts"
# Only the plural forms: "1 edit", "2 edits" for the source text "%n edit(s)".
ENGLISH = HERE / "walkaround_en.ts"
SOURCES = ("desktop",)


@dataclass(frozen=True, order=True)
class Text:
    """A literal of the source: its context, the comment that distinguishes equal ones, whether it counts."""

    context: str
    source: str
    comment: str = ""
    counts: bool = False


class Wrong(Exception):  # noqa: N818 - said to the person at the command line
    """A call that a catalogue cannot hold, with its place."""


def texts(path: Path) -> Iterator[Text]:
    """The texts of one source file. Raises `Wrong` for a call whose text is not a literal."""
    yield from _walk(ast.parse(path.read_text(encoding="utf-8"), str(path)), "", path)


def _walk(node: ast.AST, inside: str, path: Path) -> Iterator[Text]:
    if isinstance(node, ast.ClassDef):
        inside = node.name
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "tr":
            yield _text(node, inside, node.args, path)
        elif name in {"translate", "QT_TRANSLATE_NOOP"} and len(node.args) >= 2 and _ours(node):
            yield _text(node, _literal(node, node.args[0], path), node.args[1:], path)
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, inside, path)


def _ours(node: ast.Call) -> bool:
    """Leaves out str.translate and the one place that turns marked texts into words of the language."""
    function = node.func
    owner = function.value if isinstance(function, ast.Attribute) else None
    if owner is not None and getattr(owner, "id", "") != "QCoreApplication":
        return False
    return not isinstance(node.args[1], ast.Attribute)


def _text(node: ast.Call, context: str, args: list[ast.expr], path: Path) -> Text:
    source = _literal(node, args[0], path)
    comment = _literal(node, args[1], path) if len(args) > 1 else ""
    return Text(context, source, comment, len(args) > 2)


def _literal(call: ast.Call, value: ast.expr, path: Path) -> str:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    raise Wrong(f"{path.relative_to(ROOT)}:{call.lineno}: the text must be a literal to be translated")


def all_texts() -> list[Text]:
    """Every text of the desktop, sorted, each once. Raises `Wrong`."""
    collected: set[Text] = set()
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            collected.update(texts(path))
    return sorted(collected)


def entries(catalogue: Path) -> dict[Text, str | None]:
    """What a catalogue holds: text -> its translation, None when it is unfinished."""
    held: dict[Text, str | None] = {}
    if not catalogue.exists():
        return held
    for context in ET.parse(catalogue).getroot().iter("context"):  # noqa: S314 - our own file
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None:
                continue
            forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
            done = translation.get("type") is None and all(forms)
            text = Text(
                context.findtext("name", ""),
                message.findtext("source", ""),
                message.findtext("comment", ""),
                message.get("numerus") == "yes",
            )
            held[text] = "\n".join(forms) if done else None
    return held


def update(catalogue: Path, wanted: list[Text]) -> None:
    """Merge `wanted` into `catalogue` by lupdate: add new texts, remove obsolete ones, keep the rest."""
    lines = ["from PySide6.QtCore import QCoreApplication"]
    for text in wanted:
        parts = [repr(part) for part in (text.context, text.source, text.comment)]
        call = ", ".join(_escaped(part) for part in (parts if text.comment or text.counts else parts[:2]))
        lines.append(f"QCoreApplication.translate({call}{', 1' if text.counts else ''})")
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "texts.py"
        listing.write_text("\n".join(lines) + "\n", encoding="utf-8")
        tool = Path(sys.executable).with_name("pyside6-lupdate")
        command = [str(tool), "-locations", "none", "-no-obsolete", "-no-ui-lines", str(listing)]
        subprocess.run([*command, "-ts", str(catalogue)], check=True, stdout=subprocess.DEVNULL)  # noqa: S603


def _escaped(word: str) -> str:
    """A Python literal in double quotes, which is the form that lupdate reads best."""
    body = str(ast.literal_eval(word))
    return '"' + body.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def main(arguments: list[str] | None = None) -> int:
    """Update or check all catalogues; 0 when they are complete."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args(arguments)
    try:
        wanted = all_texts()
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1
    faults = 0
    for catalogue, expected in ((CHINESE, wanted), (ENGLISH, [text for text in wanted if text.counts])):
        if not options.check:
            update(catalogue, expected)
        held = entries(catalogue)
        missing = [text for text in expected if held.get(text) is None]
        stale = [text for text in held if text not in set(expected)]
        for text in missing:
            print(f"{catalogue.name}: not translated: [{text.context}] {text.source}")
        for text in stale:
            print(f"{catalogue.name}: no longer in the source: [{text.context}] {text.source}")
        faults += len(missing) + len(stale)
        print(f"{catalogue.name}: {len(expected)} texts, {len(missing)} not translated, {len(stale)} stale")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
