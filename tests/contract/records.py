"""Records for the tests of the contract: one that is changed, one whose every reference is known."""

from __future__ import annotations

import re
from typing import Any

from tests.contract.running import Running

NO_SUFFIX = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?")


def update(running: Running, inspection_id: str, **body: Any) -> dict[str, Any]:
    answer = running.admin.put(f"/api/inspection/updateInspection/{inspection_id}", json=body)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data
