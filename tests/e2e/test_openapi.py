"""Tests the running service against its OpenAPI document, by generated requests with a token."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.service_process import create_first_admin, service_process

# These end the login of the requests, stay open without an end, send to generated addresses, or write to
# generated folders.
EXCLUDED_PATHS = (
    "/api/auth/logout",
    "/api/auth/updatePassword",
    "/api/backups",
    "/api/events",
    "/api/webhooks/{webhook_id}/test",
)
EXAMPLES = "6"
CONFIG = Path(__file__).with_name("schemathesis.toml")


@pytest.mark.generated
@pytest.mark.slow(180)
def test_all_answers_match_the_document(tmp_path: Path) -> None:
    with service_process(tmp_path / "data") as url:
        token = create_first_admin(url)
        command = [str(Path(sys.executable).with_name("schemathesis"))]
        command += ["--config-file", str(CONFIG), "run", f"{url}/api/openapi.json"]
        command += ["--header", f"Authorization: Bearer {token}", "--max-examples", EXAMPLES, "--no-color"]
        command += ["--seed", "1", "--continue-on-failure"]
        for path in EXCLUDED_PATHS:
            command += ["--exclude-path", path]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        log = (tmp_path / "data" / "service.log").read_text("utf-8")
    failures = run.stdout.partition("= WARNINGS =")[0]
    assert run.returncode == 0, failures[-6000:] + run.stdout[-1500:]
    assert "unexpected" not in log
    assert token not in log
