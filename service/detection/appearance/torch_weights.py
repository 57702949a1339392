"""Reads the numbers of a file that PyTorch saved before version 1.6, without PyTorch and without its code.

Such a file is five pickles (a mark, a version, sizes, the tensors by name, the names of their storages) and
then each storage: its length as int64 and its numbers, little-endian.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from io import BytesIO
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

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
