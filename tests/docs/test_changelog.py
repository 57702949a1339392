"""The changelog has a part for each release, the newest first, and the version has one place."""

from __future__ import annotations

import re
import tomllib

from shared import __version__
from shared.system.paths import program_folder

HEADINGS = re.findall(r"^## (.*)$", (program_folder() / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


def numbers(version: str) -> tuple[int, ...]:
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", version)
    assert match is not None, version
    return tuple(map(int, match.groups()))


def test_newest_release_comes_first_and_what_is_not_released_before_it() -> None:
    assert HEADINGS[0] == "Unreleased"
    releases = [numbers(heading) for heading in HEADINGS[1:]]
    assert releases == sorted(set(releases), reverse=True)


def test_version_has_its_part_or_is_not_released_yet() -> None:
    assert __version__ in HEADINGS or numbers(__version__) > numbers(HEADINGS[1])


def test_version_of_the_package_is_read_from_its_one_place() -> None:
    project = tomllib.loads((program_folder() / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"]
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "shared.__version__"}
