"""Creates tiny ONNX files: models that return the outputs that a test gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper


def constant_model(
    path: Path,
    outputs: Mapping[str, NDArray[np.generic]],
    size: tuple[int, int] = (64, 64),
    names: Sequence[str] = (),
    domain: str = "",
    shape: Sequence[int | str] | None = None,
    kind: int = TensorProto.FLOAT,
    metadata: Mapping[str, str] | None = None,
) -> Path:
    """A model with a (1, 3, height, width) image input, or one of `shape`, whose outputs are constants.

    kind: type of the input's numbers. The input takes part with weight zero, so that no optimiser removes it.
    """
    nodes = [
        helper.make_node("Cast", ["images"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["numbers"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
    ]
    initializers = [numpy_helper.from_array(np.zeros((), np.float32), "zero")]
    values = []
    for name, value in outputs.items():
        initializers.append(numpy_helper.from_array(value, f"{name}_value"))
        element_type = helper.np_dtype_to_tensor_dtype(value.dtype)
        nodes.append(helper.make_node("Cast", ["nothing"], [f"{name}_nothing"], to=element_type))
        nodes.append(helper.make_node("Add", [f"{name}_value", f"{name}_nothing"], [name]))
        values.append(helper.make_tensor_value_info(name, element_type, value.shape))
    if domain:
        nodes.append(helper.make_node("Mystery", ["nothing"], ["unused"], domain=domain))
    image = helper.make_tensor_value_info("images", kind, shape or [1, 3, size[1], size[0]])
    graph = helper.make_graph(nodes, "tiny", [image], values, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    properties = dict(metadata or {})
    if names:
        properties["names"] = str(dict(enumerate(names)))
    helper.set_model_props(model, properties)
    onnx.save(model, str(path))
    return path


def brightness_model(path: Path, side: int = 64, kind: int = TensorProto.FLOAT) -> Path:
    """An NMS-free detector (1, 1, 6): its one box covers the input, its confidence is the mean pixel.

    kind: type of the input's numbers; whole ones are 0..255.
    """
    image = helper.make_tensor_value_info("images", kind, [1, 3, side, side])
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 1, 6])
    box = np.array([[[0, 0, side, side]]], np.float32)
    nodes = [
        helper.make_node("Cast", ["images"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["numbers", "part"], ["parts"]),
        helper.make_node("ReduceMean", ["parts"], ["mean"], keepdims=0),
        helper.make_node("Reshape", ["mean", "shape"], ["score"]),
        helper.make_node("Concat", ["box", "score", "class"], ["output"], axis=2),
    ]
    part = 1 / 255 if kind == TensorProto.UINT8 else 1
    initializers = [
        numpy_helper.from_array(np.array(part, np.float32), "part"),
        numpy_helper.from_array(np.array([1, 1, 1], np.int64), "shape"),
        numpy_helper.from_array(box, "box"),
        numpy_helper.from_array(np.zeros((1, 1, 1), np.float32), "class"),
    ]
    graph = helper.make_graph(nodes, "brightness", [image], [output], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))
    return path


def spots_model(path: Path, side: int = 640, cell: int = 32) -> Path:
    """An NMS-free detector: one box per cell of the input, its confidence is the brightest pixel in it."""
    across = side // cell
    image = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, side, side])
    output = helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, across * across, 6])
    y, x = np.mgrid[0:across, 0:across].reshape(2, -1) * cell
    boxes = np.stack([x, y, x + cell, y + cell], axis=1).astype(np.float32)[None]
    square = [cell, cell]
    nodes = [
        helper.make_node("ReduceMean", ["images"], ["grey"], axes=[1], keepdims=1),
        helper.make_node("MaxPool", ["grey"], ["brightest"], kernel_shape=square, strides=square),
        helper.make_node("Reshape", ["brightest", "shape"], ["scores"]),
        helper.make_node("Concat", ["boxes", "scores", "classes"], ["output"], axis=2),
    ]
    initializers = [
        numpy_helper.from_array(np.array([1, across * across, 1], np.int64), "shape"),
        numpy_helper.from_array(boxes, "boxes"),
        numpy_helper.from_array(np.zeros((1, across * across, 1), np.float32), "classes"),
    ]
    graph = helper.make_graph(nodes, "spots", [image], [output], initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))
    return path


def sized_model(path: Path, boxes: NDArray[np.float32], scores: NDArray[np.float32], side: int = 64) -> Path:
    """A detector as RT-DETR and D-FINE are exported: `orig_target_sizes` (1, 2), width, height, goes in.

    boxes: (n, 4), corners as parts of the photo. scores: (n,). The classes are 0, 1, 2, ...
    """
    image = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, side, side])
    sizes = helper.make_tensor_value_info("orig_target_sizes", TensorProto.INT64, [1, 2])
    count = len(scores)
    outputs = [
        helper.make_tensor_value_info("labels", TensorProto.INT64, [1, count]),
        helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, 1, count, 4]),
        helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, count]),
    ]
    nodes = [
        helper.make_node("Cast", ["orig_target_sizes"], ["size"], to=TensorProto.FLOAT),
        helper.make_node("Concat", ["size", "size"], ["corners"], axis=1),
        helper.make_node("Mul", ["parts", "corners"], ["boxes"]),
        helper.make_node("ReduceMean", ["images"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
        helper.make_node("Add", ["known_scores", "nothing"], ["scores"]),
        helper.make_node("Identity", ["known_labels"], ["labels"]),
    ]
    initializers = [
        numpy_helper.from_array(boxes[None, None].astype(np.float32), "parts"),
        numpy_helper.from_array(np.zeros((), np.float32), "zero"),
        numpy_helper.from_array(scores[None].astype(np.float32), "known_scores"),
        numpy_helper.from_array(np.arange(count, dtype=np.int64)[None], "known_labels"),
    ]
    graph = helper.make_graph(nodes, "sized", [image, sizes], outputs, initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))
    return path


def backbone_model(path: Path, layout: str = "map", side: int | str = 160) -> Path:
    """A backbone with 24 features of each 8 x 8 px patch.

    layout: `map` (channels first), `last` (channels last), `tokens` (those of two registers first), `swapped`
    (tokens with rows and columns swapped), `pooled` (one vector for the picture) or `heads` (the map, and
    another of four channels, as a detector has them). side: of the input in px; a name leaves it free.
    """
    random = np.random.default_rng(3)
    weights = [numpy_helper.from_array(random.normal(size=(24, 3, 8, 8)).astype(np.float32), "weights")]
    nodes = [helper.make_node("Conv", ["images", "weights"], ["map"], strides=[8, 8])]
    output = "map"
    if layout == "last":
        nodes.append(helper.make_node("Transpose", ["map"], ["last"], perm=[0, 2, 3, 1]))
        output = "last"
    elif layout == "pooled":
        nodes.append(helper.make_node("ReduceMean", ["map"], ["pooled"], axes=[2, 3], keepdims=0))
        output = "pooled"
    elif layout == "heads":
        weights.append(numpy_helper.from_array(random.normal(size=(4, 3, 8, 8)).astype(np.float32), "sides"))
        nodes.append(helper.make_node("Conv", ["images", "sides"], ["boxes"], strides=[8, 8]))
    elif layout in ("tokens", "swapped"):
        order = [0, 2, 3, 1] if layout == "tokens" else [0, 3, 2, 1]
        weights += [
            numpy_helper.from_array(np.array([1, -1, 24]), "rows"),
            numpy_helper.from_array(np.ones((1, 2, 24), np.float32), "registers"),
        ]
        nodes += [
            helper.make_node("Transpose", ["map"], ["last"], perm=order),
            helper.make_node("Reshape", ["last", "rows"], ["patches"]),
            helper.make_node("Concat", ["registers", "patches"], ["tokens"], axis=1),
        ]
        output = "tokens"
    image = helper.make_tensor_value_info("images", TensorProto.FLOAT, [1, 3, side, side])
    names = [output, "boxes"] if layout == "heads" else [output]
    features = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]
    graph = helper.make_graph(nodes, "backbone", [image], features, weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))
    return path
