"""The index of decisions lists every one, and each decision that a file names exists."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from shared.system.paths import program_folder

DECISIONS = program_folder() / "docs" / "adr"
# Its entries name the decisions of their time.
_HISTORY = "CHANGELOG.md"


def numbers(names: list[str]) -> list[str]:
    return [name[:4] for name in names]


def test_index_lists_every_decision_with_status_and_date() -> None:
    index = (DECISIONS / "README.md").read_text("utf-8")
    rows = re.findall(
        r"^\| \[(\d{4})\]\((\S+?)\) \| (.+?) \| accepted \| \d{4}-\d\d-\d\d \|$", index, re.MULTILINE
    )
    files = sorted(path.name for path in DECISIONS.glob("[0-9]*.md"))
    assert [file for _, file, _ in rows] == files
    assert [number for number, _, _ in rows] == numbers(files)
    for _, file, title in rows:
        assert re.sub(r"^# \d+[.:]? ", "", (DECISIONS / file).read_text("utf-8").split("\n", 1)[0]) == title


def test_named_decisions_exist() -> None:
    known = set(numbers([path.name for path in DECISIONS.glob("[0-9]*.md")]))
    listed = subprocess.run(
        [
            "git",
            "grep",
            "-hoIE",
            r"ADR [0-9]{4}|adr/[0-9]{4}[a-z0-9.-]*",
            "--",
            f":!{_HISTORY}",
            f":!{Path(__file__).name}",
        ],
        cwd=program_folder(),
        capture_output=True,
        text=True,
        check=True,
    )
    named = set(listed.stdout.split("\n")) - {""}
    assert {name for name in named if re.sub(r"\D", "", name)[:4] not in known} == set()
    links = {name.removeprefix("adr/") for name in named if name.endswith(".md")}
    assert {link for link in links if not (DECISIONS / link).is_file()} == set()
