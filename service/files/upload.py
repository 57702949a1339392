"""Reads one uploaded file from a multipart body while it arrives, without keeping it in memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from urllib.parse import unquote_to_bytes

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header

FIELD = b"file"
MAX_PARTS = 32
"""The most parts of a form: parsing a part takes as long as a thousand bytes, and one part is needed."""


class BadUploadError(ValueError):
    """Raised if the body is not a multipart form with exactly one file in the field `file`."""


class Upload:
    """Writes the bytes of the file part with `write`; ignores other parts.

    Call `feed` with pieces of the body of any size, then `finish`, which returns the file's name as the
    client sent it. Both raise BadUploadError with a sentence for the user.
    """

    def __init__(self, content_type: str | None, write: Callable[[bytes], None]) -> None:
        kind, options = parse_options_header(content_type)
        boundary = options.get(b"boundary")
        if kind != b"multipart/form-data" or not boundary:
            raise BadUploadError("请以 multipart/form-data 格式上传文件")
        self._write = write
        self._name: str | None = None
        self._parts = 0
        self._is_file_part = False
        self._has_ended = False
        self._field = b""
        self._value = b""
        self._headers: dict[bytes, bytes] = {}
        try:
            self._parser = MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin_part,
                    "on_header_field": self._add_header_name,
                    "on_header_value": self._add_header_value,
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._end_headers,
                    "on_part_data": self._write_data,
                    "on_end": self._end_body,
                },
            )
        except FormParserError as error:
            raise BadUploadError("上传内容的分隔符有误") from error

    def feed(self, piece: bytes) -> None:
        """Parse the next piece of the body."""
        try:
            self._parser.write(piece)
        except FormParserError as error:
            raise BadUploadError("上传内容的格式有误，请重新上传") from error

    def finish(self) -> str:
        """Return the file's name as sent. Raises BadUploadError if the body is truncated or has no file."""
        if not self._has_ended:
            raise BadUploadError("上传不完整，请重新上传")
        if self._name is None:
            raise BadUploadError("缺少文件：请把文件放在表单字段 file 中")
        return self._name

    def _begin_part(self) -> None:
        self._headers.clear()
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise BadUploadError("表单字段过多，一次只能上传一个文件")

    def _add_header_name(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _add_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        self._headers[self._field.lower()] = self._value
        self._field = self._value = b""

    def _end_headers(self) -> None:
        header = self._headers.get(b"content-disposition", b"").decode("latin-1")
        options = parse_options_header(header)[1]
        extended = _EXTENDED_NAME.search(header)
        has_name = b"filename" in options or extended is not None
        self._is_file_part = has_name and options.get(b"name") == FIELD
        if self._is_file_part:
            if self._name is not None:
                raise BadUploadError("一次只能上传一个文件")
            self._name = _decode_extended(extended) if extended else None
            if self._name is None:
                self._name = _decode_name(options.get(b"filename", b""))

    def _write_data(self, data: bytes, start: int, end: int) -> None:
        if self._is_file_part:
            self._write(data[start:end])

    def _end_body(self) -> None:
        self._has_ended = True


# RFC 8187: charset, language, and percent-encoded bytes, never in quotes.
_EXTENDED_NAME = re.compile(r";\s*filename\*\s*=\s*([\w-]+)'[\w-]*'([^\s;\"]*)", re.IGNORECASE)


def _decode_extended(match: re.Match[str]) -> str | None:
    """Return the name of a `filename*`, or None if its charset or its bytes are wrong."""
    try:
        return unquote_to_bytes(match[2]).decode(match[1])
    except (LookupError, ValueError):
        return None


def _decode_name(name: bytes) -> str:
    """Decode UTF-8, GB 18030 where that fails, and the encoded words of RFC 2047 that .NET and Java send."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return name.decode("gb18030", errors="replace")
    if not text.startswith("=?"):
        return text
    try:
        return str(make_header(decode_header(text)))
    except (HeaderParseError, LookupError, ValueError):
        return text
