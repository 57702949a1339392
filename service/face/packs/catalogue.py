"""Lists the face models that exist: the built-in one, installed packs, and packs to get."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from service.face.engines.dlib_engine import NAME as DLIB
from service.face.engines.manifest import EMBEDDERS, RESEARCH, Pack, downloads
from service.face.packs.pack_store import find_liveness, list_installed
from shared.wire.face import FaceModel

_INSIGHTFACE = "https://github.com/deepinsight/insightface/releases"
# The packs of faces that insightface 2.1 offers (insightface.gui.core.model_downloads).
_INSIGHTFACE_PACKS = (
    "buffalo_l",
    "buffalo_m",
    "buffalo_s",
    "buffalo_sc",
    "antelopev2",
    "raccoon_l",
    "raccoon_s",
)
_BUILT_IN = FaceModel(
    name=DLIB,
    engine="dlib",
    state="installed",
    licence="public domain (models), Boost (library)",
    allows="any use",
    research_only=False,
    checks_liveness=False,
)


def list_models(models_dir: Path, in_use: str) -> list[FaceModel]:
    """Return every model with its state; `in_use` is the name of the one in use.

    A model in use that is not there comes first, and face login does not work.
    """
    packs = list_installed(models_dir)
    installed = [_BUILT_IN, *(_describe(pack, "installed") for pack in packs)]
    there = {model.name for model in installed}
    models = [*installed, *(model for model in _list_offers() if model.name not in there)]
    if any(pack.liveness for pack in packs):
        models = [_change(model, checks_liveness=True) for model in models]
    if in_use not in there:
        missing = next((model for model in models if model.name == in_use), _unknown(in_use))
        others = [model for model in models if model.name != in_use]
        return [_change(missing, state="missing"), *others]
    lender = find_liveness(in_use, models_dir)
    used = {in_use, lender.name if lender and lender.engine == "liveness" else in_use}
    return [_change(model, state="in_use") if model.name in used else model for model in models]


def _change(model: FaceModel, **changes: object) -> FaceModel:
    return model.model_copy(update=changes)


def _list_offers() -> list[FaceModel]:
    """The packs that are known and may be installed."""
    offers = [
        _describe(offer.pack, "offered", how=f"walkaround face download {name}")
        for name, offer in downloads().items()
    ]
    mobilefacenet = next(each for each in EMBEDDERS.values() if each.name == "mobilefacenet")
    offers.append(
        FaceModel(
            name=mobilefacenet.name,
            engine="open",
            state="offered",
            licence=mobilefacenet.licence,
            allows=mobilefacenet.allows,
            research_only=False,
            checks_liveness=True,
            how="walkaround face install FOLDER, with its files, which have no address that can be pinned",
        )
    )
    is_there = find_spec("insightface") is not None
    before = "" if is_there else "make insightface, then "
    for name in _INSIGHTFACE_PACKS:
        offers.append(
            FaceModel(
                name=f"insightface-{name}",
                engine="insightface",
                state="offered",
                licence="InsightFace model licence",
                allows=RESEARCH,
                research_only=True,
                checks_liveness=False,
                how=f"{before}walkaround face install {name}.zip --accept-research-only, from {_INSIGHTFACE}",
            )
        )
    return offers


def _describe(pack: Pack, state: str, how: str = "") -> FaceModel:
    return FaceModel.model_validate(
        {
            "name": pack.name,
            "engine": pack.engine,
            "state": state,
            "licence": pack.licence,
            "allows": pack.allows,
            "research_only": pack.research_only,
            "checks_liveness": bool(pack.liveness),
            "how": how,
        }
    )


def _unknown(name: str) -> FaceModel:
    return FaceModel(
        name=name,
        engine="open",
        state="missing",
        licence="unknown",
        allows="unknown",
        research_only=False,
        checks_liveness=False,
    )
