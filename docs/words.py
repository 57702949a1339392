"""Finds words and phrases that this project replaces: in comments, docstrings, documents, names and texts.

    python docs/words.py [PATH ...]      all tracked .py, .md and .ts files if none is given; 1 if any is
    found

Checks comments, names and strings of .py files (of tests only the first two, as their strings are data), the
prose of .md files, and the English source texts of .ts files. In the packages of the program it also finds
parameters and local variables that are only a participle or a pronoun. Code spans in backticks are left
alone, and so is a line with `words: allow`, for quotations.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

PHRASES = (
    (r"can not(?! only)", "cannot"),
    (r"(some|any|every)body(?: else)?", "another user, someone, anyone, everyone"),
    (r"anew", "again, or a verb with re-"),
    (r"once more", "again"),
    (r"(is|are|was|were|be|been|being) told(?! (apart|from))", "is notified, reported, shown"),
    (r"for ever", "forever"),
    (r"of late", "recently"),
    (
        r"(what|that|which|who) (is|are) (no|none)"
        r"(?! (longer|other|more|such|one|less|need|way|room|reason|larger|smaller|higher|lower|finer))",
        "is not a ...",
    ),
    (r"that none (is|are)(?=[ ]?(leaves|[,.;)]))", "an invalid ..."),
    (r"nobody's", "no ..."),
    (r"(listen|wait|look|show it) no more", "stop ..."),
    (r"(held|hold|holds) against each other", "compare"),
    (r"let go of", "release"),
    (r"reckon(s|ed)?( with)?", "compute, expect"),
    (r"thinks? better of it", "cancel"),
    (r"as of now", "at this moment"),
    (r"whoever", "a user who, users who"),
    (r"data director(y|ies)", "data folder"),
)
SOURCES = (
    (r"may stay empty", "(optional)"),
    (r"[Pp]assword once more", "Confirm password"),
    (r"[Mm]ake the (user|first administrator|record|model)", "Create ..."),
    (r"[Aa]nything happened|[Bb]y anybody|[Tt]o anything", "All actions, all users, all objects"),
    (r"^Made$", "Created"),
    (r"[Bb]rought back", "Restored"),
    (r"[Dd]etect what waits", "Detect undetected photos"),
    (r"[Pp]ending detection", "undetected photo"),
    (r"[Nn]othing waits", "No pending ..."),
    (r"^[Tt]ake .* (back|off)$", "Undo, reset, remove"),
    (r"is written\.?$", "saved"),
    (r", please", "leave out"),
)
CHINESE = (
    ("账号", "账户"),
    ("计算机", "电脑"),
    ("放行", "复核"),
    ("结论", "判定"),
    ("区域记忆", "已知变化"),
    ("接口状态", "外部系统状态"),
    ("待检任务|检测任务", "未检照片, 检测"),
    ("数据目录|备份目录", "数据文件夹"),
    ("检测到?(?:摄像头|人脸)", "查找, 找到"),
    (r"[0-9}] %", "no space before %"),
)
"""Words that the Chinese texts replace, and the word for them."""
COLLISIONS = (
    ("任务", "task"),
    ("重新打开", "again"),
    ("复核", "review|confirm"),
    ("作废", "void"),
    ("解除封存", "reopen"),
)
"""Chinese words for one thing only: the English text of a translation with the first matches the second."""
NAMES = re.compile(
    r"(?:^|_)(?:anew|can_not|(?:some|any|every)body|once_more|is_told|are_told|wish|none_is)(?:_|$)|(?<!there)_is_no_(?!longer)"
)
# Words that do not say what a value is.
BARE_NAMES = frozenset(
    {"arrived", "asked", "awaited", "brought", "came", "come", "heard", "kept", "laid", "looked", "meant"}
    | {"met", "mine", "own", "said", "that", "theirs", "this", "those", "thrown", "told"}
)
PROGRAM = ("desktop/", "service/", "shared/")
SKIPPED = ("CHANGELOG.md", "service/migrations/versions/", "docs/style.md")
_PROSE = [(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), instead) for pattern, instead in PHRASES]
_TEXTS = [(re.compile(pattern), instead) for pattern, instead in SOURCES]
Fault = tuple[int, str, str]


def prose_faults(text: str, line: int) -> Iterator[Fault]:
    """The forbidden phrases of a piece of prose that begins at `line`; one may go over the end of a line."""
    plain = re.sub(r"`[^`\n]*`", lambda span: " " * len(span.group()), text)
    plain = re.sub(r"\n([ \t]*)(# )", lambda gap: "\n" + " " * (len(gap.group()) - 1), plain)
    lines = text.split("\n")
    joined = re.sub(r"\s", " ", plain)
    for pattern, instead in _PROSE:
        spaced = re.compile(pattern.pattern.replace(" ", r"\s+"), re.IGNORECASE)
        for match in spaced.finditer(joined):
            at = text.count("\n", 0, match.start())
            if "words: allow" not in lines[at]:
                yield line + at, re.sub(r"\s+", " ", match.group()), instead


def python_faults(text: str, path: str = "") -> Iterator[Fault]:
    """Faults of a Python source: comments, docstrings and other texts, and the names that it defines."""
    lines = text.split("\n")
    comments: list[tuple[int, int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            if (
                comments
                and comments[-1][0] + comments[-1][2].count("\n") + 1 == row
                and comments[-1][1] == column
            ):
                comments[-1] = (comments[-1][0], column, comments[-1][2] + "\n" + token.string)
            else:
                comments.append((row, column, token.string))
    for row, _, comment in comments:
        yield from prose_faults(comment, row)
    tree = ast.parse(text)
    docstrings = {
        id(child.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for child in node.body
        if isinstance(child, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in docstrings and path.startswith(("tests/", "benchmarks/")):
                continue
            last = node.end_lineno or node.lineno
            if "words: allow" not in lines[last - 1]:
                yield from prose_faults(node.value, node.lineno)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and NAMES.search(
            re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.name).lower()
        ):
            yield node.lineno, node.name, "a name in plain English"
    if path.startswith(PROGRAM):
        for line, name in sorted(set(_local_names(tree))):
            if name.strip("_") in BARE_NAMES and "words: allow" not in lines[line - 1]:
                yield line, name, "a noun that says what the value is"


def _local_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The line and the name of each parameter and local variable; one of a nested function comes twice."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        for node in ast.walk(function):
            match node:
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                    yield node.lineno, name
                case (
                    ast.ExceptHandler(name=str(name))
                    | ast.MatchAs(name=str(name))
                    | ast.MatchStar(name=str(name))
                ):
                    yield node.lineno, name


def markdown_faults(text: str, path: str = "") -> Iterator[Fault]:
    """Faults of a document, but for its code blocks."""
    code = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
    plain = code.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), text)
    yield from prose_faults(plain, 1)
    if "zh" in path:
        yield from chinese_faults(plain, 1)


def chinese_faults(text: str, line: int) -> Iterator[Fault]:
    """The Chinese words that are not used, in a text that begins at `line`."""
    for pattern, instead in CHINESE:
        for match in re.finditer(pattern, text):
            yield line + text.count("\n", 0, match.start()), match.group(), instead


def catalogue_faults(text: str, _path: str = "") -> Iterator[Fault]:
    """Faults of the source texts and translations of a catalogue of Qt."""
    for match in re.finditer(
        r"<source>((?:(?!</source>).)*)</source>.*?<translation(.*?)</translation>", text, re.DOTALL
    ):
        line = text.count("\n", 0, match.start()) + 1
        source, translation = match.groups()
        yield from chinese_faults(translation, line)
        for word, english in COLLISIONS:
            if word in translation and not re.search(english, source.lower()):
                yield line, word, f"for “{english}” only"
    for match in re.finditer(r"<source>(.*?)</source>", text, re.DOTALL):
        line = text.count("\n", 0, match.start()) + 1
        source = match.group(1)
        for pattern, instead in (*_PROSE, *_TEXTS):
            if phrase := pattern.search(source):
                yield line, phrase.group(), instead


READERS = {".py": python_faults, ".md": markdown_faults, ".ts": catalogue_faults}


def tracked_files() -> list[Path]:
    """Every tracked file below the current directory."""
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout  # noqa: S607
    return [Path(name) for name in listed.split("\0") if name]


def main(arguments: Sequence[str]) -> int:
    """Print a line for each fault; 1 when there is one."""
    count = 0
    for path in map(Path, arguments) if arguments else tracked_files():
        reader = READERS.get(path.suffix)
        if reader is None or path.as_posix().startswith(SKIPPED) or path.name == "words.py":
            continue
        for line, phrase, instead in sorted(set(reader(path.read_text(encoding="utf-8"), path.as_posix()))):
            count += 1
            print(f'{path}:{line}: "{phrase}": {instead}')
    if count:
        print(f"{count} phrases to replace")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
