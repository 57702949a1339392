"""Writes an ONNX model without the package onnx, which the program would need for nothing else.

An ONNX file is a protocol buffer (onnx.proto3). The numbers of the fields are those of its messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

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
