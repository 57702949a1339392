"""Tests the code in docs/clients.md that verifies a delivery."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from service.webhooks.rules import new_secret, signature
from shared.system.paths import program_folder

Verify = Callable[[str, dict[str, str], bytes], None]
BODY = '{"type":"item.failed","data":{"item_id":"左"}}'.encode()


@pytest.fixture(scope="module")
def verify() -> Verify:
    """The function of the document."""
    blocks = (program_folder() / "docs" / "clients.md").read_text("utf-8").split("```python\n")[1:]
    (code,) = (block.split("```")[0] for block in blocks if "def verify" in block)
    names: dict[str, Any] = {}
    exec(code, names)
    function: Verify = names["verify"]
    return function


def headers(secret: str, at: int, body: bytes = BODY) -> dict[str, str]:
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(at),
        "webhook-signature": signature(secret, "msg_1", at, body),
    }


def test_delivery_is_accepted(verify: Verify) -> None:
    secret, at = new_secret(), int(time.time())
    verify(secret, headers(secret, at), BODY)
    # During the replacement of a secret there may be two signatures.
    both = {**headers(secret, at)}
    both["webhook-signature"] = f"v1,other {both['webhook-signature']}"
    verify(secret, both, BODY)


def test_changed_deliveries_are_refused(verify: Verify) -> None:
    secret, at = new_secret(), int(time.time())
    good = headers(secret, at)
    for changed, body in (
        (good, BODY + b" "),
        ({**good, "webhook-id": "msg_2"}, BODY),
        ({**good, "webhook-timestamp": str(at - 1)}, BODY),
        ({**good, "webhook-signature": ""}, BODY),
        (headers(new_secret(), at), BODY),
    ):
        with pytest.raises(ValueError, match="wrong signature"):
            verify(secret, changed, body)


def test_old_delivery_is_refused(verify: Verify) -> None:
    secret, at = new_secret(), int(time.time()) - 301
    with pytest.raises(ValueError, match="too old"):
        verify(secret, headers(secret, at), BODY)
