"""Helpers for the contract tests of records."""

from __future__ import annotations

import re
from typing import Any

from tests.contract.application import ContractApp
from tests.service.answers import read_data

NO_SUFFIX = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?")


def update_record(service: ContractApp, inspection_id: str, **body: Any) -> dict[str, Any]:
    return read_data(service.admin.put(f"/api/inspection/updateInspection/{inspection_id}", json=body))
