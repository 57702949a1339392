"""Checks user names, passwords and profile fields; needs neither a database nor a request."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, TypeAdapter, ValidationError

from service.account.common_passwords import is_common
from shared.limits import MAX_NEW_PASSWORD, MAX_USERNAME, MIN_NEW_PASSWORD
from shared.record.codes import ROLE_PERMISSIONS, Permission, Role
from shared.wire.common import NOT_BLANK, Name, read_digits
from shared.wire.text import fill


def username_text(username: str) -> str:
    """Return the user name as it is stored: NFKC, without surrounding whitespace."""
    return unicodedata.normalize("NFKC", username).strip()


def username_key(username: str) -> str:
    """Return the key that makes a user name unique: it ignores case, width and composed forms."""
    return unicodedata.normalize("NFKC", username_text(username).casefold())


# Browsers also name the browsers they are compatible with, so the order of these patterns matters.
_BROWSERS = (
    ("Edge", r"\bEdg(?:A|iOS)?/(\d+)"),
    ("Opera", r"\bOPR/(\d+)"),
    ("Firefox", r"\b(?:Firefox|FxiOS)/(\d+)"),
    ("Chrome", r"\b(?:Chrome|CriOS)/(\d+)"),
    ("Safari", r"\bVersion/(\d+)\S* (?:Mobile/\S+ )?Safari/"),
)
_SYSTEMS = (
    ("Windows", r"\bWindows\b"),
    ("Android", r"\bAndroid\b"),
    ("iOS", r"\b(?:iPhone|iPad)\b"),
    ("macOS", r"\b(?:Macintosh|Mac OS X|macOS|Darwin)\b"),
    ("Linux", r"\b(?:Linux|X11)\b"),
)
_PRODUCT = re.compile(
    r"([A-Za-z][A-Za-z0-9._-]{0,29})(?:/([0-9][0-9A-Za-z.+-]{0,19}))?(?=[\s;(]|$)", re.ASCII
)


def program_name(user_agent: str) -> str | None:
    """Return the program and the system that a User-Agent names, such as "Firefox 130 · Windows".

    The text has at most 64 characters and contains only known names or a plain product name. Returns None if
    the User-Agent names neither.
    """
    product = _PRODUCT.match(user_agent)
    names: list[str] = []
    for name, pattern in _BROWSERS if user_agent.startswith("Mozilla/") else ():
        if match := re.search(pattern, user_agent):
            names.append(f"{name} {match[1][:5]}")
            break
    else:
        if product is not None and product[1] != "Mozilla":
            names.append(" ".join(part for part in product.groups() if part))
    names += [name for name, pattern in _SYSTEMS if re.search(pattern, user_agent)][:1]
    return " · ".join(names) or None


class CredentialFault(StrEnum):
    """Why a user name or a new password is refused."""

    USERNAME_LENGTH = "username_length"
    USERNAME_CHARACTERS = "username_characters"
    PASSWORD_LENGTH = "password_length"  # noqa: S105 - the name of a fault, no password
    PASSWORD_COMMON = "password_common"  # noqa: S105
    PASSWORD_IS_USERNAME = "password_is_username"  # noqa: S105
    PASSWORD_UNCHANGED = "password_unchanged"  # noqa: S105


FAULT_SENTENCES: dict[CredentialFault, str] = {
    CredentialFault.USERNAME_LENGTH: fill("用户名长度应为 1 到 {most} 个字符", most=MAX_USERNAME),
    CredentialFault.USERNAME_CHARACTERS: "用户名不能包含空格、控制字符或不可见字符",
    CredentialFault.PASSWORD_LENGTH: fill(
        "密码长度应为 {least} 到 {most} 个字符", least=MIN_NEW_PASSWORD, most=MAX_NEW_PASSWORD
    ),
    CredentialFault.PASSWORD_COMMON: "密码过于常见，请更换",
    CredentialFault.PASSWORD_IS_USERNAME: "密码不能与用户名相同",
    CredentialFault.PASSWORD_UNCHANGED: "新密码不能与当前密码相同，请更换",
}


def username_fault(username: str) -> CredentialFault | None:
    """Return why a new user cannot have the name `username`; None if they can."""
    text = username_text(username)
    if not 1 <= len(text) <= MAX_USERNAME:
        return CredentialFault.USERNAME_LENGTH
    if any(unicodedata.category(character)[0] in "CZ" for character in text):
        return CredentialFault.USERNAME_CHARACTERS
    return None


def password_text(password: str) -> str:
    """Return the password as it is checked and hashed: NFKC, so that it is the same from every keyboard."""
    return unicodedata.normalize("NFKC", password)


def password_fault(password: str, username: str) -> CredentialFault | None:
    """Return why `password` cannot be the password of `username`; None if it can."""
    text = password_text(password)
    if not MIN_NEW_PASSWORD <= len(text) <= MAX_NEW_PASSWORD:
        return CredentialFault.PASSWORD_LENGTH
    lower_text = text.casefold()
    if lower_text == username_key(username):
        return CredentialFault.PASSWORD_IS_USERNAME
    if is_common(lower_text):
        return CredentialFault.PASSWORD_COMMON
    return None


def new_password_fault(password: str, current: str, username: str) -> CredentialFault | None:
    """Return why `username` cannot change the password `current` to `password`; None if they can."""
    if password_text(password) == password_text(current):
        return CredentialFault.PASSWORD_UNCHANGED
    return password_fault(password, username)


def combined_permissions(roles: list[Role]) -> frozenset[Permission]:
    """Return the permissions of all roles together."""
    return frozenset(permission for role in roles for permission in ROLE_PERMISSIONS[role])


def _text(pattern: str, limit: int) -> TypeAdapter[Any]:
    return TypeAdapter(
        Annotated[
            str, StringConstraints(strict=True, strip_whitespace=True, max_length=limit, pattern=pattern)
        ]
    )


_LONG_TEXT: TypeAdapter[Any] = TypeAdapter(
    Annotated[Name, StringConstraints(strict=True, strip_whitespace=True)]
)
_NAME: TypeAdapter[Any] = TypeAdapter(
    Annotated[
        str,
        StringConstraints(strict=True, max_length=255, pattern=rf"^$|{NOT_BLANK}"),
        AfterValidator(str.strip),
    ]
)
_SHORT_TEXT: TypeAdapter[Any] = TypeAdapter(
    Annotated[Name, StringConstraints(strict=True, strip_whitespace=True, max_length=32)]
)

# Field of updateInfo -> type and the sentence for an invalid value. An empty text clears the field like null
# does; a name of whitespace only is refused.
_PROFILE: dict[str, tuple[TypeAdapter[Any], str]] = {
    "email": (
        _text(r"^([^@\s\x00]+@[^@\s\x00]+\.[^@\s\x00]+)?$", 254),
        "请输入有效的邮箱地址，最多 254 个字符",
    ),
    "phone": (
        _text(r"^(\+?[0-9(][0-9 ()\-]{3,30}[0-9])?$", 32),
        "请输入有效的电话号码，只能包含数字、空格、括号、+ 和 -，最多 32 个字符",
    ),
    "name": (_NAME, "应为文本，最多 255 个字符"),
    "gender": (_SHORT_TEXT, "应为文本，最多 32 个字符"),
    "work_years": (
        TypeAdapter(Annotated[int, Field(strict=True, ge=0, le=80), BeforeValidator(read_digits)]),
        "应为 0 到 80 的整数",
    ),
    "department": (_LONG_TEXT, "应为文本，最多 255 个字符"),
}


PROFILE_SENTENCES: dict[str, str] = {field: sentence for field, (_, sentence) in _PROFILE.items()} | {
    "faceInfo": "应为 Base64 编码的人脸照片"
}
"""Field of updateInfo -> the sentence that describes valid values."""


class ProfileFaultError(ValueError):
    """Raised for an invalid field of the profile; the text names the field and the rule in Chinese."""


def profile_changes(body: dict[str, Any]) -> dict[str, Any]:
    """Check the profile fields in `body` and return them; other fields are ignored.

    Raises ProfileFaultError for the first invalid field.
    """
    changes: dict[str, Any] = {}
    for field, (adapter, sentence) in _PROFILE.items():
        if field not in body:
            continue
        value = body[field]
        if value is not None:
            try:
                value = adapter.validate_python(value)
            except ValidationError:
                blank = isinstance(value, str) and not value.strip()
                rule = "不能只有空白" if blank else sentence
                # `from None`: the cause contains the input.
                raise ProfileFaultError(fill("{field}：{rule}", field=field, rule=rule)) from None
        changes[field] = None if value == "" else value
    return changes
