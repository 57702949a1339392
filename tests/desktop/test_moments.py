"""Minutes, written and read back."""

from __future__ import annotations

import pytest

from desktop.moments import minute, typed_minute


@pytest.mark.parametrize("text", ["2026-05-31 14:30", "2026/05/31 14:30", " 2026-05-31 14:30 "])
def test_a_minute_is_read_back_as_it_was_written(text: str) -> None:
    assert minute(typed_minute(text)) == "2026-05-31 14:30"


@pytest.mark.parametrize("text", ["31.5.", "14:30", "2026-13-01", "0001-01-01"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        typed_minute(text)
