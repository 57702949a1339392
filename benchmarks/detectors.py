"""Provides the detectors whose speed is measured: a real small one, and a generated one of usual size."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from shared.system.paths import program_folder

_CLASSES = 80
_SEED = 7
_OPSET = 13
_GAIN = 1.0
"""The deviation of weights times the root of their number: the values shrink a little from layer to layer."""
_FAINT = -4.6
"""The bias of class scores, which gives each a confidence of 1 %."""


@dataclass(frozen=True, slots=True)
class MeasuredDetector:
    """A YOLOX in an ONNX file: its name in the figures, and the side of its input in px."""

    name: str
    path: Path
    side: int

    def bare_call(self, threads: int = 0) -> Callable[[], Any]:
        """One call of the model without anything around it; threads: 0 for the default of ONNX Runtime."""
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = threads
        session = onnxruntime.InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
        inputs = {session.get_inputs()[0].name: np.full((1, 3, self.side, self.side), 114, np.float32)}
        return lambda: session.run(None, inputs)


def nano() -> MeasuredDetector | None:
    """YOLOX-nano beside the project or in WALKAROUND_TEST_MODELS; None where there is none."""
    folders = [Path(os.environ["WALKAROUND_TEST_MODELS"])] if "WALKAROUND_TEST_MODELS" in os.environ else []
    for folder in [*folders, program_folder().parent / "shared" / "models"]:
        if (folder / "yolox_nano.onnx").is_file():
            return MeasuredDetector("YOLOX-nano", folder / "yolox_nano.onnx", 416)
    return None


def small(folder: Path) -> MeasuredDetector:
    """A file in `folder` with the layers of YOLOX-s (Ge et al. 2021), whose random weights find nothing."""
    path = folder / "yolox_s.onnx"
    path.write_bytes(_Network().yolox_s(640).SerializeToString())
    return MeasuredDetector("YOLOX-s", path, 640)


class _Network:
    """The nodes and weights of a network. Methods add layers and return the name of their output."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(_SEED)
        self._nodes: list[NodeProto] = []
        self._weights: list[TensorProto] = []
        self._channels = {"images": 3}

    def yolox_s(self, side: int) -> ModelProto:
        """YOLOX-s: depth 0.33 and width 0.5 of the family's layers."""
        stem = self._convolution(self._focus("images"), 32, 3)
        outputs = [stem]
        for number, (channels, blocks) in enumerate(((64, 1), (128, 3), (256, 3), (512, 1))):
            name = self._convolution(outputs[-1], channels, 3, 2)
            if number == 3:
                name = self._pooled(name)
            outputs.append(self._partial(name, channels, blocks, adds=number < 3))
        fine, middle, coarse = outputs[2:]
        lateral = self._convolution(coarse, 256, 1)
        joined = self._partial(self._joined(self._enlarged(lateral), middle), 256, 1)
        reduced = self._convolution(joined, 128, 1)
        fine = self._partial(self._joined(self._enlarged(reduced), fine), 128, 1)
        middle = self._partial(self._joined(self._convolution(fine, 128, 3, 2), reduced), 256, 1)
        coarse = self._partial(self._joined(self._convolution(middle, 256, 3, 2), lateral), 512, 1)
        tables = [self._head(name) for name in (fine, middle, coarse)]
        rows = self._node("Concat", tables, 0, axis=2)
        self._nodes.append(helper.make_node("Transpose", [rows], ["output"], perm=[0, 2, 1]))
        count = sum((side // stride) ** 2 for stride in (8, 16, 32))
        graph = helper.make_graph(
            self._nodes,
            "detector",
            [helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, side, side])],
            [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, count, 5 + _CLASSES])],
            self._weights,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)

    def _node(self, kind: str, inputs: list[str], channels: int, **attributes: Any) -> str:
        name = f"layer_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        self._channels[name] = channels
        return name

    def _weight(self, value: np.ndarray[Any, Any]) -> str:
        name = f"weight_{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(value, name))
        return name

    def _linear(self, name: str, channels: int, side: int, stride: int = 1, bias: float = 0) -> str:
        before = self._channels[name]
        shape = (channels, before, side, side)
        deviation = _GAIN / np.sqrt(before * side * side)
        weights = self._weight(self._random.normal(0, deviation, shape).astype(np.float32))
        biases = self._weight(np.full(channels, bias, np.float32))
        pads, strides = [side // 2] * 4, [stride, stride]
        return self._node("Conv", [name, weights, biases], channels, pads=pads, strides=strides)

    def _convolution(self, name: str, channels: int, side: int, stride: int = 1) -> str:
        linear = self._linear(name, channels, side, stride)
        return self._node("Mul", [linear, self._node("Sigmoid", [linear], channels)], channels)

    def _joined(self, *names: str) -> str:
        return self._node("Concat", list(names), sum(self._channels[name] for name in names), axis=1)

    def _focus(self, name: str) -> str:
        """Every second pixel as four images of channels."""
        return self._node("SpaceToDepth", [name], 4 * self._channels[name], blocksize=2)

    def _enlarged(self, name: str) -> str:
        scales = self._weight(np.array([1, 1, 2, 2], np.float32))
        return self._node("Resize", [name, "", scales], self._channels[name], mode="nearest")

    def _pooled(self, name: str) -> str:
        channels = self._channels[name]
        half = self._convolution(name, channels // 2, 1)
        pools = [
            self._node("MaxPool", [half], channels // 2, kernel_shape=[side, side], pads=[side // 2] * 4)
            for side in (5, 9, 13)
        ]
        return self._convolution(self._joined(half, *pools), channels, 1)

    def _partial(self, name: str, channels: int, blocks: int, adds: bool = False) -> str:
        """A cross-stage partial layer; adds: its blocks add their input."""
        main, beside = (self._convolution(name, channels // 2, 1) for _ in range(2))
        for _ in range(blocks):
            block = self._convolution(self._convolution(main, channels // 2, 1), channels // 2, 3)
            main = self._node("Add", [block, main], channels // 2) if adds else block
        return self._convolution(self._joined(main, beside), channels, 1)

    def _head(self, name: str) -> str:
        """The candidates of one grid, a column each: box, objectness and classes."""
        name = self._convolution(name, 128, 1)
        classes, boxes = name, name
        for _ in range(2):
            classes, boxes = self._convolution(classes, 128, 3), self._convolution(boxes, 128, 3)
        scores = self._linear(classes, _CLASSES, 1, bias=_FAINT)
        objectness = self._linear(boxes, 1, 1, bias=_FAINT)
        parts = [
            self._linear(boxes, 4, 1),
            *(self._node("Sigmoid", [part], self._channels[part]) for part in (objectness, scores)),
        ]
        shape = self._weight(np.array([1, 5 + _CLASSES, -1], np.int64))
        return self._node("Reshape", [self._joined(*parts), shape], 0)
