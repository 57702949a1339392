"""Reads one uploaded file out of a multipart body while it arrives, without holding it in memory."""

from __future__ import annotations

from collections.abc import Callable

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

FIELD = b"file"
MOST_PARTS = 32
"""Of a form: each costs as much time as a thousand bytes, and one is wanted."""


class BadUploadError(ValueError):
    """The body is not a multipart form, or does not have exactly one file in the field `file`."""


class Upload:
    """Feeds the pieces of the file part to `write`; other parts are passed over.

    `feed` the body in pieces of any size, then `finish`, which gives the file's name as the client wrote it.
    Both raise BadUploadError with a sentence for the person.
    """

    def __init__(self, content_type: str | None, write: Callable[[bytes], None]) -> None:
        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary")
        if kind != b"multipart/form-data" or not boundary:
            raise BadUploadError("请以 multipart/form-data 格式上传文件")
        self._write = write
        self._name: str | None = None
        self._parts = 0
        self._wanted = False
        self._ended = False
        self._field = b""
        self._value = b""
        self._headers: dict[bytes, bytes] = {}
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._on_part,
                    "on_header_field": self._on_field,
                    "on_header_value": self._on_value,
                    "on_header_end": self._on_header,
                    "on_headers_finished": self._on_headers,
                    "on_part_data": self._on_data,
                    "on_end": self._on_end,
                },
            )
        except FormParserError as error:
            raise BadUploadError("上传内容的分隔符有误") from error

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the body."""
        try:
            self._parser.write(piece)
        except FormParserError as error:
            raise BadUploadError("上传内容的格式有误，请重新上传") from error

    def finish(self) -> str:
        """The name of the file, as given. Raises BadUploadError when the body was cut off or had no file."""
        if not self._ended:
            raise BadUploadError("上传不完整，请重新上传")
        if self._name is None:
            raise BadUploadError("缺少文件：请把文件放在表单字段 file 中")
        return self._name

    def _on_part(self) -> None:
        self._headers.clear()
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise BadUploadError("表单字段过多，一次只能上传一个文件")

    def _on_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header(self) -> None:
        self._headers[self._field.lower()] = self._value
        self._field = self._value = b""

    def _on_headers(self) -> None:
        header = self._headers.get(b"content-disposition", b"").decode("latin-1")
        options = parse_options_header(header)[1]
        self._wanted = options.get(b"name") == FIELD and b"filename" in options
        if self._wanted:
            if self._name is not None:
                raise BadUploadError("一次只能上传一个文件")
            self._name = options[b"filename"].decode("utf-8", errors="replace")

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._wanted:
            self._write(data[start:end])

    def _on_end(self) -> None:
        self._ended = True
