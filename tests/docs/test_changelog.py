"""The changelog has a part for each release, the newest first, and the version has one place."""

from __future__ import annotations

import re
import tomllib

from shared import __version__
from shared.system.paths import program_folder

TEXT = (program_folder() / "CHANGELOG.md").read_text("utf-8")
HEADINGS = re.findall(r"^## (.*)$", TEXT, re.MULTILINE)
RELEASES = [heading.split(" (")[0] for heading in HEADINGS[1:]]
# Keep a Changelog, and a list of its own for what users must do.
HEADINGS_OF_A_RELEASE = {"Breaking", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def numbers(version: str) -> tuple[int, ...]:
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", version)
    assert match is not None, version
    return tuple(map(int, match.groups()))


def test_newest_release_comes_first_and_what_is_not_released_before_it() -> None:
    assert HEADINGS[0] == "Unreleased"
    releases = [numbers(version) for version in RELEASES]
    assert releases == sorted(set(releases), reverse=True)


def test_version_has_its_part_or_is_not_released_yet() -> None:
    assert __version__ in RELEASES or numbers(__version__) > numbers(RELEASES[0])


def test_a_release_has_a_date_and_at_most_60_entries() -> None:
    newest = TEXT.split("\n## ")[2]
    assert re.match(r"\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)\n", newest)
    assert newest.count("\n- ") <= 60
    assert set(re.findall(r"^### (.*)$", newest, re.MULTILINE)) <= HEADINGS_OF_A_RELEASE


def test_version_of_the_package_is_read_from_its_one_place() -> None:
    project = tomllib.loads((program_folder() / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"]
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "shared.__version__"}
