"""Checks user names, passwords and profile fields; needs neither a database nor a request.

It recognises passwords that attackers try first: the most frequent ones are facts from published breach
statistics. Most of them are a common word with a common ending, so this module stores words and endings.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, TypeAdapter, ValidationError

from shared.limits import MAX_NEW_PASSWORD, MAX_USERNAME, MIN_NEW_PASSWORD
from shared.record.codes import ROLE_PERMISSIONS, Permission, Role
from shared.wire.common import NOT_BLANK, Name, read_digits
from shared.wire.text import fill

# Digits, keyboard patterns and fixed phrases of eight characters or more.
_PASSWORDS_TEXT = """
    12345678 123456789 1234567890 12345678910 123456789a 123456789q 1234567891 123456780 12345679 0123456789
    01234567 987654321 9876543210 87654321 123123123 12312312 1231231234 121212121 12121212 1212121212
    11111111 111111111 1111111111 00000000 000000000 0000000000 22222222 33333333 44444444 55555555 66666666
    77777777 88888888 888888888 8888888888 99999999 999999999 aaaaaaaa aaaaaaaaaa xxxxxxxx zzzzzzzz
    11112222 11223344 1122334455 112233445566 12344321 1234554321 123454321 123321123 12341234 123412345
    123456123 123456123456 123456654321 12345654321 147258369 147852369 159357456 159753456 741852963
    789456123 789456123a 963852741 963258741 456789123 321654987 159951159 13131313 14141414 69696969
    10203040 1020304050 102030405060 20202020 31415926 3141592653 27182818 19841984 20002000 19901990
    5201314a 520520520 52013145 5211314a 5201314520 1314520a 13145200 1314521a 7758521a 77585210 a5201314
    woaini520 woaini1314 woaini521 woaini123 woaini5201314 iloveyou iloveyou1 iloveyou2 iloveyou123 iloveu123
    1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 1qaz1qaz 2wsx3edc 3edc4rfv zaq12wsx
    zaq1zaq1 zaq1xsw2 zaq!2wsx !qaz2wsx 1qaz@wsx q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qaz123456 qazwsx123
    qazwsxedc qazwsxedc123 qazxswedc qwer1234 qwer12345 qwer123456 qwer4321 1234qwer 12345qwert 123456qwerty
    123qweasd 123qweasdzxc 123qwe123 123qwe123qwe 12qwaszx qwe123456 qweasdzxc qweasd123 qweqweqwe qwertyui
    qwertyuiop qwertyuio qwertyqwerty qwerty12 qwerasdf qwerasdfzxcv asdfghjk asdfghjkl asdfasdf asdf1234
    asdasdasd asd123456 asdqwe123 asdfqwer 1234asdf zxcvbnm1 zxcvbnm123 zxcvzxcv zxcvbnm, zxcv1234 zxc123456
    poiuytrewq lkjhgfdsa mnbvcxz1 abcd1234 abcdefgh abcdefghi abcdefg1 abcdefg123 abc12345 abc123456
    abc1234567 abc123abc abcabcabc aabbccdd a1b2c3d4 a1b2c3d4e5 a12345678 a123456789 a1234567 aa123456
    aa12345678 aa112233 aa123123 aaa123456 a123123123 a111111111 as123456 q1234567 q123456789 qq123456
    qq123123 qq112233 w123456789 z123456789 zz123456 zxc123123 s12345678 123456aa 1234567a 12345678a 123456ab
    123456abc 123123aa 123abc123 123456qq 12345abc 1234abcd 123456as abcd123456 test1234 test12345 test123456
    testtest testing1 testing123 password passw0rd p@ssw0rd p@ssword p@55w0rd pa$$w0rd pa$$word passwd123
    passpass pass1234 pass12345 pass123456 password! password? password01 password11 password12 password13
    admin123 admin1234 admin12345 admin123456 adminadmin admin888 admin@123 admin@1234 root1234 root123456
    rootroot toor1234 administrator welcome1 welcome123 welcome@123 changeme changeme1 changeme123 letmein1
    letmein123 letmeinnow default1 default123 guest123 guest1234 secret123 mypassword newpassword nopassword
    nopass123 temp1234 temppass temporary server123 system123 manager1 operator operator1 inspector inspector1
    supervisor superman1 superuser master123 monitor1 internet computer starwars football baseball basketball
    princess sunshine jennifer michelle elizabeth trustno1 whatever liverpool chocolate butterfly samantha
    corvette mercedes midnight nicholas christopher benjamin victoria hello123 helloworld hello1234 hellohello
    dragon123 monkey123 shadow123 michael1 jordan23 charlie1 blink182 pokemon1 naruto123 minecraft superstar
    lovelove loveyou1 lovelove1 loveme123 iloveme1 forever1 godbless jesus123 jesuschrist blessed1 freedom1
    nihao123 nihaoma1 zhongguo zhongguo1 china123 beijing1 beijing2008 shanghai shanghai1 shenzhen guangzhou
    wangyut2 li123456 wang1234 zhang123 zhanghao wangwei1 liuwei12 buzhidao buzhidao1 woaiwojia tiankong
    xiaoming xiaoxiao mima1234 mima123456 wodemima airplane aircraft aviation boeing737 boeing747 airbus320
    airbus123 walkaround walkaround1 inspection workstation
"""

_WORDS_TEXT = """
    password passwort passwd admin administrator root user guest test welcome qwerty qwertz azerty asdfgh asdf
    qwer zxcvbn qazwsx abc abcd abcdef letmein login master secret changeme default system server company
    office hello iloveyou love monkey dragon shadow sunshine princess football baseball superman batman
    pokemon michael jordan jessica ashley daniel charlie thomas summer winter spring autumn january december
    monday friday china beijing woaini zhang wang mima nihao airplane aircraft airbus boeing pilot inspector
    inspection planner viewer operator walkaround
"""
_ENDINGS_TEXT = """
1 2 12 11 00 01 123 321 666 888 999 111 000 007 520 1234 12345 123456 1234567 12345678 123456789
2020 2021 2022 2023 2024 2025 2026 ! !! !1 1! 123! @1 @12 @123 @1234 @12345 @123456 #1 #123 .123 _123
-123 a a1
"""

_PASSWORDS = frozenset(_PASSWORDS_TEXT.split())
_WORDS = frozenset(_WORDS_TEXT.split())
_ENDINGS = tuple(_ENDINGS_TEXT.split())


def is_common(password: str) -> bool:
    """Return whether `password`, in lower case, is a common one."""
    if password in _PASSWORDS or password in _WORDS:
        return True
    return any(password.endswith(ending) and password[: -len(ending)] in _WORDS for ending in _ENDINGS)


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
