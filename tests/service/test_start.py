"""Tests what the service imports before it accepts requests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_service_starts_without_numpy_and_decoders(tmp_path: Path) -> None:
    # They would take a tenth of the start.
    code = (
        "import sys; from pathlib import Path; import service.running; "
        "from service.settings import Settings; from service.app import create_app; "
        "create_app(Settings(data_dir=Path(sys.argv[1]))); "
        "print(sorted({'numpy', 'pyvips', 'cv2', 'onnxruntime', 'dlib', 'PIL'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "data")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (result.stdout.strip(), result.stderr) == ("[]", "")
