from __future__ import annotations

from pathlib import Path

import pytest

from service.face.cli import main
from service.face.engines.dlib_engine import DlibEngine
from service.face.enrolment import CONSENT_VERSION
from service.face.packs.pack_store import model_in_use
from service.settings import Settings
from shared.samples import faces
from tests.service.face.conftest import as_face_info, open_setup

pytestmark = pytest.mark.slow


async def test_the_command_prints_the_figures(
    tmp_path: Path, dlib_engine: DlibEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    setup = open_setup(tmp_path / "data", dlib_engine)
    images = [as_face_info(each) for each in faces.enrolment_pictures()]
    await setup.service.enrolments.enrol("mei", images, CONSENT_VERSION)
    setup.database.close()
    strangers = tmp_path / "陌生人"
    strangers.mkdir()
    (strangers / "甲.jpg").write_bytes(faces.encode_picture(faces.stranger_picture()))
    (strangers / "乙.png").write_bytes(faces.encode_picture(faces.stranger_picture(1), ".png"))
    (strangers / "坏.jpg").write_bytes(b"no picture")
    settings = Settings(data_dir=tmp_path / "data")
    assert main(["face", "calibrate", "--strangers", str(strangers)], settings) == 0
    printed = capsys.readouterr()
    assert "3 templates of 1 users" in printed.out
    assert "threshold in force: -0.512 (minus the distance; larger is more alike)" in printed.out
    assert "0 false matches in 6 comparisons" in printed.out
    assert "坏.jpg: format" in printed.err


def test_the_command_lists_models_with_licences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["face", "models"], Settings(data_dir=tmp_path)) == 0
    printed = capsys.readouterr().out
    assert "* dlib (in use, engine dlib)" in printed
    for name in ("sface", "mobilefacenet", "insightface-buffalo_l", "insightface-antelopev2", "minifasnet"):
        assert f"  {name} (to get, engine " in printed
    assert printed.count("licence:") == printed.count("allows:") == printed.count("liveness:") == 11
    assert "a login at work is not allowed" in printed.partition("insightface-buffalo_l")[2]
    assert main(["face", "models"], Settings(data_dir=tmp_path, face_model="gone")) == 0
    printed = capsys.readouterr().out
    assert "gone (missing" in printed
    assert "in use, but not installed: face login does not work" in printed
    assert printed.count("\n* ") == 1


def test_the_command_chooses_a_model_that_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = Settings(data_dir=tmp_path)
    assert model_in_use(settings) == "dlib"
    assert main(["face", "use", "gone"], settings) == 1
    assert "not installed" in capsys.readouterr().err
    assert model_in_use(settings) == "dlib"
    (tmp_path / "face_models").mkdir()
    (tmp_path / "face_models" / "in-use.txt").write_text("mine\n")
    assert model_in_use(settings) == "mine"
    assert main(["face", "use", "dlib"], settings) == 0
    assert model_in_use(settings) == "dlib"
    assert model_in_use(Settings(data_dir=tmp_path, face_model="other")) == "other"


def test_failed_command_prints_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["face", "install", str(tmp_path / "gone.zip")], Settings(data_dir=tmp_path)) == 1
    assert "nothing at" in capsys.readouterr().err
