"""Tests what the documents for operators name: settings, commands, files, the systemd unit."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from service.settings import Settings
from shared.command_line import COMMANDS
from shared.record.codes import ROLE_PERMISSIONS, Permission, Role
from shared.system.paths import program_folder

DOCUMENTS = [
    path
    for folder in (".", "docs")
    for path in sorted((program_folder() / folder).glob("*.md"))
    if path.name != "CHANGELOG.md"
]
DEPLOY = program_folder() / "docs" / "deploy.md"
UNIT = program_folder() / "resources" / "packaging" / "walkaround.service"

# Not of the service: the login of a script, models of the tests, update notice and camera of the desktop, the
# build.
OTHERS = {"WALKAROUND_URL", "WALKAROUND_USERNAME", "WALKAROUND_PASSWORD", "WALKAROUND_TEST_MODELS"}
OTHERS |= {"WALKAROUND_FINGERPRINT", "WALKAROUND_UPDATE_URL", "WALKAROUND_CAMERA"}

documents = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


@documents
def test_every_setting_that_a_document_names_exists(document: Path) -> None:
    named = set(re.findall(r"\bWALKAROUND_[A-Z][A-Z_]*[A-Z]\b", document.read_text("utf-8")))
    assert named - OTHERS <= {f"WALKAROUND_{name.upper()}" for name in Settings.model_fields}


@documents
def test_every_command_that_a_document_names_exists(document: Path) -> None:
    text = document.read_text("utf-8")
    code = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    code += re.findall(r"`([^`\n]+)`", text)
    # At the start of a line, after `|`, or run in the container of that name; not a path, unit or package.
    call = re.compile(r"(?:^|\| |walkaround )(?:walkaround|as_service) ([a-z]+(?:-[a-z]+)*)\b", re.MULTILINE)
    assert {command for block in code for command in call.findall(block)} <= set(COMMANDS)


@documents
def test_every_file_that_a_document_links_to_exists(document: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", document.read_text("utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


def environments() -> dict[str, str]:
    """The blocks of all documents that are lines of service.env, by document and number."""
    environments = dict[str, str]()
    for document in DOCUMENTS:
        # Whatever the language of the block says: readers paste a block without one as well.
        blocks = re.findall(r"^```\w*\n(.*?)^```", document.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        named = [block for block in blocks if re.search(r"^WALKAROUND_\w+=", block, re.MULTILINE)]
        environments |= {f"{document.name} {number}": block for number, block in enumerate(named, start=1)}
    return environments


def test_there_are_environments_to_check() -> None:
    assert len(environments()) >= 10
    assert any("&" in block for block in environments().values())


@pytest.mark.skipif(os.name != "posix", reason="a POSIX shell reads the file")
@pytest.mark.parametrize("block", environments().values(), ids=environments())
def test_an_environment_of_the_document_is_read_alike_by_the_shell(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "service.env"
    file.write_text(block, "utf-8")
    printed = subprocess.run(
        ["sh", "-c", 'set -a; . "$0"; env -0', file], capture_output=True, text=True, check=True
    )
    for line in printed.stdout.split("\0"):
        name, _, value = line.partition("=")
        if name.startswith("WALKAROUND_"):
            monkeypatch.setenv(name, value)
    settings = Settings()
    for line in block.splitlines():
        if line.startswith("#"):
            continue
        name, _, value = line.partition("=")
        setting = getattr(settings, name.removeprefix("WALKAROUND_").lower())
        # systemd takes the value without the quotes around it, whatever is inside.
        assert str(setting).replace("'", '"') == value.strip("'")


def unit() -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read_string(UNIT.read_text("utf-8"))
    return parsed


def test_the_unit_uses_the_folder_and_the_file_of_the_document() -> None:
    service = unit()["Service"]
    text = DEPLOY.read_text("utf-8")
    assert f"WALKAROUND_DATA_DIR=/var/lib/{service['StateDirectory']}\n" in text
    assert f"/dev/null {service['EnvironmentFile']}\n" in text
    assert f"--shell /usr/sbin/nologin {service['User']}\n" in text


def test_the_unit_leaves_what_the_program_needs() -> None:
    service = unit()["Service"]
    # onnxruntime reads /proc/cpuinfo, child processes limit their memory by system calls of @resources.
    assert "ProcSubset" not in service
    assert "@resources" not in service["SystemCallFilter"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_understands_the_unit_and_finds_it_hardened(tmp_path: Path) -> None:
    def analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["systemd-analyze", "--no-pager", *arguments],
            capture_output=True,
            text=True,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
            check=False,
        )

    # The command itself is not installed where tests run.
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text("utf-8").replace("ExecStart=walkaround", "ExecStart=true"), "utf-8")
    verified = analyze("verify", copy)
    assert verified.returncode == 0
    assert copy.name not in verified.stderr
    # Tenths: 1.2 on systemd 252.
    rated = analyze("security", "--offline=yes", "--threshold=20", copy)
    assert rated.returncode == 0, rated.stdout[-300:]


def test_permissions_are_those_of_the_roles() -> None:
    page = (program_folder() / "docs" / "api.md").read_text("utf-8")
    found: dict[str, set[str]] = {}
    for names, roles in re.findall(
        r"^\| ((?:`[A-Z_.]+`(?:, )?)+) \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE
    ):
        holders = {str(role) for role in Role} if roles == "all" else set(re.findall(r"`(\w+)`", roles))
        found |= dict.fromkeys(re.findall(r"`([A-Z_.]+)`", names), holders)
    assert found == {
        str(permission): {str(role) for role, held in ROLE_PERMISSIONS.items() if permission in held}
        for permission in Permission
    }
