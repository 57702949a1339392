"""Defines the types that the bodies of all domains use."""

import math
import re
from datetime import UTC, date, datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    StringConstraints,
)
from pydantic_core import to_json
from pydantic_core.core_schema import CoreSchema, no_info_before_validator_function

from shared.wire.text import fill

T = TypeVar("T")

# The bounds of a JSON document that is kept as given (item_point, result): far above the documents of
# clients, far below documents that would block a request.
MAX_JSON_DEPTH = 32
MAX_JSON_VALUES = 200_000
MAX_JSON_BYTES = 256 * 1024
"""Bytes of compact JSON in UTF-8. An item with the most areas that detection ignores has 110 kB."""
MAX_RESULT_BYTES = 4 * 2**20
"""The same for findings: 10,000 of them have 2.5 MB."""


# Patterns, because the API document contains them. PostgreSQL cannot store U+0000 in text.
NO_NUL = r"^[^\x00]*$"
NOT_BLANK = r"^[^\x00]*[^\s\x00][^\x00]*$"
"""As `NO_NUL`, with at least one character that is not whitespace."""

Id = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=NO_NUL)]
Name = Annotated[str, StringConstraints(max_length=255, pattern=NO_NUL)]
FilledText = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=NO_NUL)]
RequiredName = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=NOT_BLANK)]
LongText = Annotated[str, StringConstraints(max_length=20_000, pattern=NO_NUL)]


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DATE_FIRST = re.compile(r"\d{4}-\d\d-\d\d")


class _NotNull:
    """Rejects a null in a request, and leaves null out of the schema."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_before_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        nullable = handler(schema)
        (inner,) = (part for part in nullable["anyOf"] if part != {"type": "null"})
        return {**inner, **{name: value for name, value in nullable.items() if name.startswith("x-")}}

    @staticmethod
    def _check(value: Any) -> Any:
        if value is None:
            raise ValueError("不能为 null")
        return value


NotNull = _NotNull()
"""For an update field that can be missing but not null: `Annotated[X | None, NotNull] = None`."""


class _EmptyAsNull:
    """Reads "" as null, and allows it in the schema."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_before_validator_function(self._read, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        json_schema = dict(handler(schema))
        json_schema["anyOf"] = [*json_schema["anyOf"], {"type": "string", "maxLength": 0}]
        return json_schema

    @staticmethod
    def _read(value: Any) -> Any:
        return None if value == "" else value


EmptyAsNull = _EmptyAsNull()
"""For a field that can be null, because web forms send "" for an empty one:
`Annotated[X | None, EmptyAsNull]`."""

OptionalId = Annotated[Id | None, EmptyAsNull]
OptionalName = Annotated[RequiredName | None, EmptyAsNull]
OptionalText = Annotated[LongText | None, EmptyAsNull]


MAX_TIME_LENGTH = 64
"""A time in ISO 8601 with microseconds and a zone has 32 characters."""


def _require_iso_time(value: Any) -> Any:
    # pydantic would read a number, also in a string, as seconds since 1970. The contract requires ISO 8601.
    is_text = isinstance(value, str) and len(value) <= MAX_TIME_LENGTH and _DATE_FIRST.match(value)
    if isinstance(value, datetime) or is_text:
        return value
    raise ValueError("应为 ISO 8601 格式的时间字符串")


def to_utc(value: datetime) -> datetime:
    """Return `value` in UTC with a time zone; a value without a time zone is in UTC.

    Raises ValueError if the result is outside the years 1..9999.
    """
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("时间超出范围") from error


def _naive_utc(value: datetime) -> datetime:
    return to_utc(value).replace(tzinfo=None)


class _TimeText:
    """Describes a time in the schema. Without the format `date-time`, which needs a zone (RFC 3339)."""

    def __init__(self, description: str) -> None:
        self._schema = {"type": "string", "maxLength": MAX_TIME_LENGTH, "description": description}

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return dict(self._schema)


RecordTime = Annotated[
    datetime,
    BeforeValidator(_require_iso_time),
    AfterValidator(_naive_utc),
    _TimeText("UTC, ISO 8601 without a zone, for example 2026-03-01T08:00:00. A request may name a zone."),
    PlainSerializer(lambda value: value.isoformat(), return_type=str, when_used="json"),
]
"""A time of a record: UTC, in Python without a time zone, in JSON `<date>T<time>` without a suffix."""


def _require_iso_day(value: Any) -> Any:
    # pydantic would read a number, also in a string, as seconds since 1970.
    if isinstance(value, date) or (isinstance(value, str) and _DAY.fullmatch(value)):
        return value
    raise ValueError("应为 YYYY-MM-DD 格式的日期")


Day = Annotated[date, BeforeValidator(_require_iso_day)]
"""A day, as YYYY-MM-DD."""

ItemTime = Annotated[
    datetime,
    BeforeValidator(_require_iso_time),
    AfterValidator(to_utc),
    _TimeText("UTC, ISO 8601, for example 2026-03-01T08:00:00Z."),
    PlainSerializer(
        lambda value: value.replace(tzinfo=None).isoformat() + "Z", return_type=str, when_used="json"
    ),
]
"""A time of an item and of every object outside the contract: UTC, in JSON with Z."""


def _is_finite(value: float) -> bool:
    # Other JSON parsers read an integer beyond the range of a double as infinity.
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _check_json(value: Any) -> None:
    count = 0
    pending = [(value, 1)]
    while pending:
        part, depth = pending.pop()
        count += 1
        if depth > MAX_JSON_DEPTH or count > MAX_JSON_VALUES:
            raise ValueError("内容嵌套过深或过多")
        if isinstance(part, str):
            try:
                part.encode("utf-8")
            except UnicodeEncodeError as error:
                raise ValueError("不是有效的 Unicode 文本") from error
        elif isinstance(part, int | float) and not _is_finite(part):
            raise ValueError("数字必须是有限值")
        elif isinstance(part, dict):
            for key, inner in part.items():
                pending.append((key, depth + 1))
                pending.append((inner, depth + 1))
        elif isinstance(part, list):
            pending.extend((inner, depth + 1) for inner in part)


class _CheckedJson:
    """Checks JSON that is stored unchanged, and adds its bounds to the schema."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        size = f"{max_bytes // 2**10} KB" if max_bytes < 2**20 else f"{max_bytes // 2**20} MB"
        self._too_large = fill("内容过大，以 JSON 计上限为 {limit}", limit=size)
        self._description = f"At most {size} of JSON, with the keys that are kept as given."

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_before_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        bounds = {
            "x-max-depth": MAX_JSON_DEPTH,
            "x-max-values": MAX_JSON_VALUES,
            "x-max-bytes": self._max_bytes,
        }
        return {"description": self._description, **handler(schema), **bounds}

    def _check(self, value: Any) -> Any:
        _check_json(value)
        if len(to_json(value)) > self._max_bytes:
            raise ValueError(self._too_large)
        return value


CheckedJson = _CheckedJson(MAX_JSON_BYTES)
"""For a value that is kept as given: checks for finite numbers, valid text, and bounded depth and size."""

CheckedFindings = _CheckedJson(MAX_RESULT_BYTES)
"""`CheckedJson` with room for findings."""

JsonObject = Annotated[dict[str, Any], CheckedJson]
"""A JSON object kept as given."""


def _require_finite_number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("应为数字")
    if not _is_finite(value):
        raise ValueError("数字必须是有限值")
    return value


Number = Annotated[int | float, BeforeValidator(_require_finite_number)]
"""A finite number; an int stays an int."""


def remove_null_defaults(schema: dict[str, Any]) -> None:
    """Remove defaults of null from the JSON schema of a body; for `json_schema_extra`."""
    # The default None means "not sent". In the schema it would be a value, which some fields reject.
    for field in schema.get("properties", {}).values():
        if field.get("default", ...) is None:
            del field["default"]


def _require_number(value: Any) -> Any:
    # In Python a bool is an int, and pydantic converts strings. In JSON neither is a number.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("应为整数")
    return value


StrictNumber = BeforeValidator(_require_number)
"""For an int with limits; `Integer` has none."""

Integer = Annotated[int, StrictNumber]
"""An integer; true, false and strings of digits are rejected."""

_DIGITS = re.compile(r"-?[0-9]{1,9}")


def read_digits(value: Any) -> Any:
    """Return a string of at most nine digits, with or without a sign, as an int; other values unchanged."""
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else value


# `defer_build`, here and below: a model is built at its first use. Building all two hundred took a tenth of
# the start of the service.
class WireModel(BaseModel):
    """Base of the bodies: unknown fields of a request are ignored."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=remove_null_defaults, defer_build=True)


class ExtensibleModel(BaseModel):
    """Base of the bodies inside an item: unknown keys are kept."""

    model_config = ConfigDict(extra="allow", defer_build=True)


_ALL_REQUIRED = ConfigDict(json_schema_serialization_defaults_required=True, defer_build=True)
"""An answer always has all of its fields, also those with a default."""


class Envelope(BaseModel, Generic[T]):
    """The answer of record and account operations: code 0 is success, 1 is failure."""

    model_config = _ALL_REQUIRED

    code: int = 0
    data: T
    msg: str | None = None


class Done(BaseModel):
    """The answer of delete record: code and msg only."""

    model_config = _ALL_REQUIRED

    code: int = 0
    msg: str | None = None


class ErrorDetail(BaseModel):
    """`data` of a failure: a stable machine code, and details where there are any."""

    model_config = ConfigDict(extra="allow", defer_build=True)

    error: str


class Failure(BaseModel):
    """The envelope of a failure; `msg` is a sentence that a person can act on."""

    model_config = _ALL_REQUIRED

    code: int = 1
    data: ErrorDetail
    msg: str


class Pagination(BaseModel):
    """The position of a page among all pages."""

    current_page: int
    page_size: int
    total: int
    total_pages: int


class Page(BaseModel, Generic[T]):
    """`data` of a list: the entries, and the position of their page."""

    data: list[T]
    pagination: Pagination


MAX_PAGE_SIZE = 200
# OFFSET is (page - 1) x size. With a larger page, the product would exceed SQLite's 64-bit integers.
MAX_PAGE = 2**31 - 1

UPDATED_BY = "X-Updated-By"
"""Header of a record or item: the user who last changed it, percent-encoded UTF-8."""

ERROR_HEADER = "X-Error"
"""Response header of a failure that the contract documents: its stable code."""

CurrentPage = Annotated[int, Field(ge=1, le=MAX_PAGE)]
PageSize = Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)]


def pagination(current_page: int, page_size: int, total: int) -> Pagination:
    """Return the pagination object for `total` entries in pages of `page_size`."""
    return Pagination(
        current_page=current_page, page_size=page_size, total=total, total_pages=-(-total // page_size)
    )
