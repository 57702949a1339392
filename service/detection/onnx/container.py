"""Reads the facts that matter for safety from an ONNX file without loading it: domains and external data.

An ONNX file is a protocol buffer (onnx.proto3): ModelProto.graph is field 7, GraphProto.node 1 and
initializer 5, sparse_initializer 15, NodeProto.attribute 5 and domain 7, AttributeProto.t 5, g 6, tensors 10,
graphs 11, sparse_tensor 22 and sparse_tensors 23, SparseTensorProto.values 1 and indices 2,
TensorProto.external_data 13 and data_location 14, ModelProto.functions 25, FunctionProto.node 7 and
attribute_proto 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

_DEPTH: Final = 24
_EXTERNAL: Final = 1
_OWN_DOMAINS: Final = frozenset({"", "ai.onnx", "ai.onnx.ml", "com.microsoft", "com.microsoft.nchwc"})


class NotOnnx(ValueError):  # noqa: N818 - says what the file is
    """The bytes are not an ONNX model, or a truncated one."""


@dataclass
class ModelContents:
    """The number of nodes, domains that ONNX Runtime does not have, and whether there is external data."""

    nodes: int = 0
    foreign_domains: set[str] = field(default_factory=set)
    external_data: bool = False


def read(data: bytes) -> ModelContents:
    """Walk through a model. Raises NotOnnx."""
    contents = ModelContents()
    graphs = 0
    functions: set[str] = set()
    view = memoryview(data)
    for number, _, value in _message_fields(view):
        if number == 7 and isinstance(value, memoryview):
            graphs += 1
            _graph(value, contents, 0)
        elif number == 25 and isinstance(value, memoryview):
            functions |= _function(value, contents)
    if graphs != 1 or contents.nodes == 0:
        raise NotOnnx("no graph")
    # A domain whose operators the file itself defines from known ones is not a custom operator.
    contents.foreign_domains -= functions
    return contents


def _function(view: memoryview, contents: ModelContents) -> set[str]:
    operators: set[str] = set()
    for number, _, value in _message_fields(view):
        if isinstance(value, memoryview):
            if number == 7:
                _node(value, contents, 1)
            elif number == 10:
                operators.add(_text(value))
            elif number == 11:
                _attribute(value, contents, 1)
    return operators


def _graph(view: memoryview, contents: ModelContents, depth: int) -> None:
    if depth > _DEPTH:
        raise NotOnnx("nested too deep")
    for number, _, value in _message_fields(view):
        if isinstance(value, memoryview):
            if number == 1:
                _node(value, contents, depth)
            elif number == 5:
                _tensor(value, contents)
            elif number == 15:
                _sparse(value, contents)


def _node(view: memoryview, contents: ModelContents, depth: int) -> None:
    contents.nodes += 1
    for number, _, value in _message_fields(view):
        if isinstance(value, memoryview):
            if number == 7 and _text(value) not in _OWN_DOMAINS:
                contents.foreign_domains.add(_text(value))
            elif number == 5:
                _attribute(value, contents, depth)


def _attribute(view: memoryview, contents: ModelContents, depth: int) -> None:
    for number, _, value in _message_fields(view):
        if isinstance(value, memoryview):
            if number in (5, 10):
                _tensor(value, contents)
            elif number in (22, 23):
                _sparse(value, contents)
            elif number in (6, 11):
                _graph(value, contents, depth + 1)


def _sparse(view: memoryview, contents: ModelContents) -> None:
    for number, _, value in _message_fields(view):
        if isinstance(value, memoryview) and number in (1, 2):
            _tensor(value, contents)


def _tensor(view: memoryview, contents: ModelContents) -> None:
    for number, _, value in _message_fields(view):
        if number == 13 or (number == 14 and value == _EXTERNAL):
            contents.external_data = True


def _text(view: memoryview) -> str:
    return bytes(view).decode("utf-8", "replace")


def _message_fields(view: memoryview) -> Iterator[tuple[int, int, int | memoryview]]:
    """The fields of one message: number, wire type, value (a number, or the bytes of a nested value)."""
    at, end = 0, len(view)
    while at < end:
        key, at = _varint(view, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            whole, at = _varint(view, at)
            yield number, kind, whole
            continue
        if kind == 2:
            length, at = _varint(view, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise NotOnnx("unknown wire type")
        if number == 0 or at + length > end:
            raise NotOnnx("cut off")
        yield number, kind, view[at : at + length]
        at += length


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(view) and shift < 70:
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise NotOnnx("cut off")
