"""Describes invalid request fields: a stable type, and the rule as a Chinese sentence.

No text repeats the input, because it may be a password or a picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shared.wire.common import NO_NUL, NOT_BLANK
from shared.wire.text import fill, join

_MAX_FIELDS = 50
_FIELDS_IN_SENTENCE = 3

_PLACES = frozenset({"body", "query", "path", "header", "cookie"})
_PATTERNS = {NO_NUL: "不能包含空字符（U+0000）", NOT_BLANK: "不能为空白，也不能包含空字符（U+0000）"}

_TEXT, _INTEGER, _NUMBER = "应为文本", "应为整数", "应为数字"
_OBJECT, _LIST, _BOOLEAN = "应为 JSON 对象", "应为 JSON 数组", "应为 true 或 false"
_DATETIME = "应为 ISO 8601 格式的时间字符串"
_DEFAULT_RULE = "格式或取值不正确"


def _format_limit(context: Mapping[str, Any], name: str) -> str:
    value = context[name]
    return str(int(value)) if float(value).is_integer() else str(value)


def _choice_rule(context: Mapping[str, Any]) -> str:
    names = re.findall(r"'([^']*)'", str(context["expected"]))
    return fill("只能是 {names} 之一", names="、".join(names))


def _too_short_rule(context: Mapping[str, Any]) -> str:
    least = _format_limit(context, "min_length")
    if least == "1":
        return "不能为空"
    if _is_list(context):
        return fill("至少需要 {least} 项", least=least)
    return fill("至少需要 {least} 个字符", least=least)


def _too_long_rule(context: Mapping[str, Any]) -> str:
    most = _format_limit(context, "max_length")
    return fill("最多 {most} 项", most=most) if _is_list(context) else fill("最多 {most} 个字符", most=most)


def _is_list(context: Mapping[str, Any]) -> bool:
    """Whether the length is a number of entries. Pydantic calls a secret text a value."""
    return bool(context.get("field_type", "Value") != "Value")


def _validator_message(context: Mapping[str, Any]) -> str:
    # The validators of this program write Chinese, those of libraries English.
    arguments = getattr(context.get("error"), "args", ())
    text = arguments[0] if arguments and isinstance(arguments[0], str) else ""
    return text if text and not text.isascii() else _DEFAULT_RULE


_RULES: dict[str, str | Callable[[Mapping[str, Any]], str]] = {
    "missing": "必须填写",
    "string_type": _TEXT,
    "string_unicode": "不是有效的 Unicode 文本",
    "string_too_short": _too_short_rule,
    "string_too_long": _too_long_rule,
    "string_pattern_mismatch": lambda context: _PATTERNS.get(context["pattern"], _DEFAULT_RULE),
    "int_type": _INTEGER,
    "int_parsing": _INTEGER,
    "int_parsing_size": _INTEGER,
    "int_from_float": _INTEGER,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "数字必须是有限值",
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "greater_than": lambda context: fill("必须大于 {limit}", limit=_format_limit(context, "gt")),
    "greater_than_equal": lambda context: fill("不能小于 {limit}", limit=_format_limit(context, "ge")),
    "less_than": lambda context: fill("必须小于 {limit}", limit=_format_limit(context, "lt")),
    "less_than_equal": lambda context: fill("不能大于 {limit}", limit=_format_limit(context, "le")),
    "enum": _choice_rule,
    "literal_error": _choice_rule,
    "list_type": _LIST,
    "too_short": _too_short_rule,
    "too_long": _too_long_rule,
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "datetime_type": _DATETIME,
    "datetime_parsing": _DATETIME,
    "datetime_from_date_parsing": _DATETIME,
    "datetime_object_invalid": _DATETIME,
    "value_error": _validator_message,
}


def describe_rule(kind: str, context: Mapping[str, Any]) -> str:
    """The rule that a field violates, as a Chinese sentence; by pydantic's type of error and its context."""
    wording = _RULES.get(kind, _DEFAULT_RULE)
    return wording if isinstance(wording, str) else wording(context)


def field_faults(errors: Sequence[Any]) -> list[dict[str, str]]:
    """For each error of a validation: `field` (the path, joined by dots), `type` and `message` (the rule)."""
    return [
        {
            "field": _path(error["loc"]),
            "type": str(error["type"]),
            "message": describe_rule(str(error["type"]), error.get("ctx") or {}),
        }
        for error in errors[:_MAX_FIELDS]
    ]


def _path(parts: Sequence[Any]) -> str:
    return ".".join(str(part) for part in (parts[1:] if parts and parts[0] in _PLACES else parts))


def describe_faults(faults: Sequence[Mapping[str, str]]) -> str:
    """The faults as one sentence, each field with its rule; empty if no fault names a field."""
    messages = dict[str, str]()
    for fault in faults:
        if fault["field"]:
            messages.setdefault(fault["field"], fault["message"])
    first_messages = [*messages.items()][:_FIELDS_IN_SENTENCE]
    rules = [fill("{field}：{rule}", field=field, rule=message) for field, message in first_messages]
    if not rules:
        return ""
    listing = join("{first}；{next}", rules)
    more = len(messages) - _FIELDS_IN_SENTENCE
    return fill("{listing}；另有 {more} 个字段有误", listing=listing, more=more) if more > 0 else listing
