"""The list of face models, and how the optional engine is installed."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from service.face.engines.manifest import Pack
from service.face.packs.catalogue import list_models
from service.face.packs.pack_store import install
from shared.images.cv import cv2
from shared.system.paths import program_folder
from tests.service.face.packs.test_pack_store import LIVE, LIVENESS_PACK, a_pack, make_pack_folder


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9_.-]", each)[0].lower() for each in requirements}


def test_every_model_is_listed_once_with_its_state(tmp_path: Path) -> None:
    install(make_pack_folder(tmp_path / "pack", a_pack(name="sface")), tmp_path / "packs")
    models = list_models(tmp_path / "packs", "sface")
    states = {model.name: model.state for model in models}
    assert len(states) == len(models)
    assert (states["dlib"], states["sface"], states["mobilefacenet"]) == ("installed", "in_use", "offered")
    assert [model.name for model in models if model.state == "in_use"] == ["sface"]
    assert all(model.licence and model.allows for model in models)
    assert all(model.how for model in models if model.state == "offered")
    research = [model for model in models if model.engine == "insightface"]
    assert len(research) == 7
    assert all(model.research_only and "--accept-research-only" in model.how for model in research)


def test_liveness_models_count_for_every_model_once_installed(tmp_path: Path) -> None:
    def checked() -> set[str]:
        return {model.name for model in list_models(tmp_path / "packs", "dlib") if model.checks_liveness}

    assert checked() == {"sface", "mobilefacenet", "minifasnet"}
    pack = Pack.model_validate(LIVENESS_PACK)
    install(make_pack_folder(tmp_path / "pack", pack, LIVE), tmp_path / "packs")
    models = list_models(tmp_path / "packs", "dlib")
    assert all(model.checks_liveness for model in models)
    assert [model.name for model in models if model.state == "in_use"] == ["dlib", "alive"]


def test_a_missing_model_comes_first(tmp_path: Path) -> None:
    models = list_models(tmp_path, "mine")
    assert (models[0].name, models[0].state) == ("mine", "missing")
    assert "in_use" not in {model.state for model in models}
    # One that is offered, but not there.
    assert [model.state for model in list_models(tmp_path, "sface") if model.name == "sface"] == ["missing"]


def test_no_extra_exchanges_the_windowless_opencv() -> None:
    project = tomllib.loads((program_folder() / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    required = names([*project["dependencies"], *(each for extra in extras.values() for each in extra)])
    assert "opencv-python-headless" in required
    # The package insightface depends on opencv-python.
    assert not required & {"opencv-python", "opencv-contrib-python", "insightface"}
    tasks = (program_folder() / "tasks.py").read_text("utf-8")
    assert re.findall(r'python\(.*"insightface"\)', tasks) == ['python(*PIP, "--no-deps", "insightface")']


def test_opencv_in_use_has_no_windows() -> None:
    gui = re.search(r"GUI: *(\w+)", cv2.getBuildInformation())
    assert gui is not None
    assert gui[1] == "NONE"


def test_extra_names_all_that_insightface_needs() -> None:
    try:
        requirements = metadata.requires("insightface")
    except metadata.PackageNotFoundError:
        pytest.skip("the package insightface is not installed; make insightface")
    project = tomllib.loads((program_folder() / "pyproject.toml").read_text("utf-8"))["project"]
    given = names([*project["dependencies"], *project["optional-dependencies"]["insightface"]])
    needed = names([each for each in requirements or () if "extra ==" not in each])
    # scikit-image needs SciPy, too.
    assert needed - given == {"opencv-python", "scipy"}
