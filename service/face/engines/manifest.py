"""Defines the manifest `pack.json` of a pack of face models, and the known model files."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

MANIFEST = "pack.json"

PackName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,126}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]

Normalisation = Literal["raw", "unit", "imagenet"]
"""The input of an embedder from RGB pixels: 0..255, (x - 127.5) / 127.5, or ImageNet's mean and deviation."""


class Liveness(BaseModel):
    """A liveness model: its file, and the size of its crop in face boxes."""

    model_config = ConfigDict(extra="forbid")

    file: FileName
    scale: Annotated[float, Field(gt=0.5, lt=10)]


class Pack(BaseModel):
    """A pack: its engine, its files with their SHA-256, its licence and the use that it allows.

    A pack of the engine `liveness` has liveness models alone, which count with every engine. `thresholds` are
    (false match rate, cosine) pairs with falling rates. `liveness_limit` is the smallest mean probability of
    a living face.
    """

    model_config = ConfigDict(extra="forbid")

    name: PackName
    engine: Literal["open", "insightface", "liveness"]
    licence: Annotated[str, Field(min_length=1, max_length=500)]
    allows: Annotated[str, Field(min_length=1, max_length=500)]
    research_only: bool
    files: Annotated[dict[FileName, Sha256], Field(min_length=1, max_length=16)]
    detector: FileName = ""
    embedder: FileName = ""
    dimension: Annotated[int, Field(ge=32, le=4096)] = 0
    normalisation: Normalisation = "unit"
    thresholds: Annotated[
        list[tuple[Annotated[float, Field(gt=0, lt=1)], Annotated[float, Field(gt=-1, lt=1)]]],
        Field(min_length=2, max_length=16),
    ] = []
    liveness: Annotated[list[Liveness], Field(max_length=4)] = []
    liveness_limit: Annotated[float, Field(gt=0, lt=1)] = 0.5

    @model_validator(mode="after")
    def _require_models(self) -> Self:
        needed = {"detector", "embedder", "dimension", "normalisation", "thresholds"}
        if not self.liveness if self.engine == "liveness" else needed - self.model_fields_set:
            raise ValueError("models are missing")
        return self


class Download(BaseModel):
    """A pack that can be downloaded: its manifest, and the address and size of each file."""

    pack: Pack
    addresses: dict[str, str]
    sizes: dict[str, int]


YUNET = "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4"
SFACE = "0ba9fbfa01b5270c96627c4ef784da859931e02f04419c829e83484087c34e79"
MOBILEFACENET = "85cdeb7368ed6a1e9cbaaa6f283c6b2439f1fa533c17450bfdc7f357d285d5d1"
MOBILEFACENET_RAW = "9e140a151e3a49f12a54d4a02fed74a5d274702d70bddd0f826c84eba37683eb"
MINIFASNET_V2 = "7886c41bcbcc1be00cf8700eddbd8cbd4b1ad138e69010790de2a57a3b01d7e5"
MINIFASNET_V1SE = "e67aedf72df3e1912dbf6baa5f7406b8b30c3cb43234170a70dd9d143fea358e"
# The same networks, exported by the project that offers them for download; the package uniface 4.2 pins these
# hashes.
OFFERED_MINIFASNET_V2 = "b32929adc2d9c34b9486f8c4c7bc97c1b69bc0ea9befefc380e4faae4e463907"
OFFERED_MINIFASNET_V1SE = "ebab7f90c7833fbccd46d3a555410e78d969db5438e169b6524be444862b3676"
SCRFD_500M = "5e4447f50245bbd7966bd6c0fa52938c61474a04ec7def48753668a9d8b4ea3a"
W600K_MBF = "7caa7fb0ad6c37b33e6c59f6411084b487aaabd596bba645d2cce391a5871120"

# The cosine at a false match rate of 1e-3 / templates, measured with 10, 150 and 1,000 templates.
MOBILEFACENET_THRESHOLDS = [(1e-4, 0.414), (1e-3 / 150, 0.497), (1e-6, 0.543)]
W600K_MBF_THRESHOLDS = [(1e-4, 0.307), (1e-3 / 150, 0.388), (1e-6, 0.437)]

RESEARCH = "non-commercial research only; a login at work is not allowed"

# Liveness models, which become part of an open pack they are installed with: SHA-256 -> size of the crop.
LIVENESS_SCALES = {
    MINIFASNET_V2: 2.7,
    MINIFASNET_V1SE: 4.0,
    OFFERED_MINIFASNET_V2: 2.7,
    OFFERED_MINIFASNET_V1SE: 4.0,
}


class _Embedder(BaseModel):
    name: str
    engine: Literal["open", "insightface"]
    detector: str
    licence: str
    allows: str
    research_only: bool
    dimension: int
    normalisation: Normalisation
    thresholds: list[tuple[float, float]]


_CELEB = "commercial use; the embedder was trained on MS-Celeb-1M, a set that its makers withdrew"

# Embedders that are recognised by their content, so that a folder without a manifest can be installed.
EMBEDDERS: dict[str, _Embedder] = {
    sha256: _Embedder(
        name="mobilefacenet",
        engine="open",
        detector=YUNET,
        licence="YuNet MIT, MobileFaceNet Apache-2.0, MiniFASNet Apache-2.0",
        allows=_CELEB,
        research_only=False,
        dimension=128,
        normalisation=normalisation,
        thresholds=MOBILEFACENET_THRESHOLDS,
    )
    for sha256, normalisation in ((MOBILEFACENET, "imagenet"), (MOBILEFACENET_RAW, "raw"))
} | {
    SFACE: _Embedder(
        name="sface",
        engine="open",
        detector=YUNET,
        licence="YuNet MIT, SFace Apache-2.0, MiniFASNet Apache-2.0",
        allows="commercial use; thresholds are MobileFaceNet's until they are calibrated",
        research_only=False,
        dimension=128,
        normalisation="raw",
        thresholds=MOBILEFACENET_THRESHOLDS,
    ),
    W600K_MBF: _Embedder(
        name="insightface-w600k-mbf",
        engine="insightface",
        detector=SCRFD_500M,
        licence="InsightFace model licence",
        allows=RESEARCH,
        research_only=True,
        dimension=512,
        normalisation="unit",
        thresholds=W600K_MBF_THRESHOLDS,
    ),
}


def recognise_pack(files: dict[str, str], name_or_engine: str | None = None) -> Pack | None:
    """Return the pack that consists of these files (name -> SHA-256); None if they are unknown.

    `name_or_engine` selects the pack. Without it, the first of several known embedders in `EMBEDDERS` is
    used. Liveness models without a known embedder are a pack of their own.
    """
    names = {sha256: name for name, sha256 in files.items()}
    liveness = [
        Liveness(file=names[sha256], scale=scale)
        for sha256, scale in LIVENESS_SCALES.items()
        if sha256 in names
    ]
    for sha256, embedder in EMBEDDERS.items():
        if sha256 not in names or embedder.detector not in names:
            continue
        if name_or_engine not in (None, embedder.name, embedder.engine):
            continue
        own_liveness = liveness if embedder.engine == "open" else []
        file_names = [names[embedder.detector], names[sha256], *(model.file for model in own_liveness)]
        return Pack(
            name=embedder.name,
            engine=embedder.engine,
            licence=embedder.licence,
            allows=embedder.allows,
            research_only=embedder.research_only,
            files={name: files[name] for name in file_names},
            detector=names[embedder.detector],
            embedder=names[sha256],
            dimension=embedder.dimension,
            normalisation=embedder.normalisation,
            thresholds=embedder.thresholds,
            liveness=own_liveness,
        )
    if not liveness or name_or_engine not in (None, "minifasnet", "liveness"):
        return None
    return Pack(
        name="minifasnet",
        engine="liveness",
        licence="MiniFASNet Apache-2.0",
        allows="any use",
        research_only=False,
        files={model.file: files[model.file] for model in liveness},
        liveness=liveness,
    )


_ZOO = "https://media.githubusercontent.com/media/opencv/opencv_zoo/main/models"
_MINIFASNET = "https://github.com/yakhyo/face-anti-spoofing/releases/download/weights"


class _OfferedFile(BaseModel):
    name: str
    address: str
    sha256: str
    size: int


_OFFERED_FILES = [
    _OfferedFile(
        name="face_detection_yunet_2023mar.onnx",
        address=f"{_ZOO}/face_detection_yunet/face_detection_yunet_2023mar.onnx",
        sha256=YUNET,
        size=232_589,
    ),
    _OfferedFile(
        name="face_recognition_sface_2021dec.onnx",
        address=f"{_ZOO}/face_recognition_sface/face_recognition_sface_2021dec.onnx",
        sha256=SFACE,
        size=38_696_353,
    ),
    _OfferedFile(
        name="MiniFASNetV2.onnx",
        address=f"{_MINIFASNET}/MiniFASNetV2.onnx",
        sha256=OFFERED_MINIFASNET_V2,
        size=1_743_581,
    ),
    _OfferedFile(
        name="MiniFASNetV1SE.onnx",
        address=f"{_MINIFASNET}/MiniFASNetV1SE.onnx",
        sha256=OFFERED_MINIFASNET_V1SE,
        size=1_742_335,
    ),
]


def downloads() -> dict[str, Download]:
    """Return the packs that `walkaround face download` offers."""
    offers = {}
    for files in (_OFFERED_FILES, [file for file in _OFFERED_FILES if file.sha256 in LIVENESS_SCALES]):
        pack = recognise_pack({file.name: file.sha256 for file in files})
        assert pack is not None
        offers[pack.name] = Download(
            pack=pack,
            addresses={file.name: file.address for file in files},
            sizes={file.name: file.size for file in files},
        )
    return offers
