"""Every failure has a sentence in the language of the desktop."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from desktop.client.http.errors import (
    ClientError,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    NotLoggedIn,
    Refused,
    ServerFault,
    Stale,
    TooLarge,
    TooMany,
    Unreachable,
    Unsupported,
)
from desktop.localization.detection_terms import failure_sentence
from desktop.messages.error_messages import field_sentence, sentence
from service.account.rules import FAULT_SENTENCES
from service.catalogue.repository import KIND_NAMES
from service.detection.failure import MESSAGES, MODEL_MESSAGES
from service.face.rules import SENTENCES
from shared.system import paths


@pytest.mark.parametrize(
    "error",
    [
        Unreachable(),
        NotLoggedIn(),
        Forbidden(code="permission_missing"),
        Forbidden(code="password_login_needed"),
        Forbidden(code="face_login_off"),
        Stale("他人修改"),
        TooLarge(),
        Unsupported(),
        TooMany(retry_after=12),
        ServerFault(),
        ServerFault(request_id="abc123"),
        ServerFault(code="unavailable"),
        ServerFault(code="not_walkaround"),
        Refused("用户名或密码错误"),
        Refused("更新数据失败", data="email：请输入有效的邮箱地址，最多 254 个字符"),
        ClientError(),
        OSError("no such file"),
        ValueError("bug"),
    ],
    ids=repr,
)
def test_it_is_a_sentence_without_chinese(error: Exception) -> None:
    message = sentence(error)
    assert message.isascii()
    assert message.endswith(".")


def test_unknown_message_is_shown_as_the_service_sent_it() -> None:
    assert sentence(Refused("新的说明")) == "新的说明"


def test_message_contains_the_request_id() -> None:
    assert "abc123" in sentence(ServerFault(request_id="abc123"))


@pytest.mark.parametrize("message", SENTENCES.values())
def test_every_refusal_of_an_enrolment_is_known(message: str) -> None:
    text = sentence(Refused(message))
    if message.startswith("人脸照片不是有效的 Base64"):
        # The desktop encodes by itself: this one cannot happen to it.
        return
    assert text.isascii()
    assert sentence(Refused(f"第 2 张照片：{message}")) == f"Photo 2: {text}"


@pytest.mark.parametrize(("fault", "message"), FAULT_SENTENCES.items())
def test_every_fault_of_a_name_or_password_is_known(fault: str, message: str) -> None:
    error = Invalid(message, fields={"password": message}, faults={"password": str(fault)})
    assert field_sentence(error, "password").isascii()
    assert sentence(error) == field_sentence(error, "password")
    assert field_sentence(error, "username") == ""


@pytest.mark.parametrize("message", MODEL_MESSAGES.values())
def test_every_refusal_of_a_model_is_known(message: str) -> None:
    assert sentence(Invalid(message)).isascii()


@pytest.mark.parametrize(("code", "message"), MESSAGES.items())
def test_every_failure_of_a_detection_is_known(code: str, message: str) -> None:
    assert failure_sentence(code, message).isascii()
    # The service refuses to start a detection.
    assert sentence(Conflict(message, code=code)) == failure_sentence(code, message)


_NEVER_SHOWN = {
    "设备已允许",
    "设备已重命名",
    "设备已移除",
    # Translated by their kind (status or code), regardless of their text.
    "登录已过期，请重新登录",
    "请先登录",
    "没有此操作的权限，请联系管理员",
    "内容已被其他用户修改，请查看最新内容后重新保存",
    "检测模型已被其他用户修改，请查看最新内容后重新保存",
    "此操作需要近期使用密码登录，请使用密码重新登录后重试",
    "请求过于频繁，请稍后重试",
    "管理员已关闭人脸登录，请使用密码登录",
    "失败次数过多，此设备的人脸登录已停用，请先在此设备上使用密码登录",
    "请求内容过大",
    "不支持的内容类型",
    "服务出错，请稍后重试",
    "请求内容传输超时，请检查网络后重试",
    "密码过于常见，请更换",
    "密码不能与用户名相同",
    "用户名不能包含空格、控制字符或不可见字符",
    "新密码不能与当前密码相同，请更换",
    "不能晚于结束时间",
    "不能早于开始时间",
    # A part of the message about references, which the desktop formats by their kind and number.
    "条检查记录",
    # For a client that uses the API wrongly: the desktop never does.
    "请求无法解析，请检查请求的格式",
    "请求的地址不存在",
    "此地址不支持该请求方法",
    "请求的内容有误，请检查后重试",
    "请求内容应为 JSON 对象，并以 Content-Type: application/json 发送",
    "不支持的内容类型，请以 Content-Type: application/json 发送 JSON",
    "不能包含空字符（U+0000）",
    "应为 JSON 对象",
    "应为 JSON 数组",
    "应为 true 或 false",
    "应为 ISO 8601 格式的时间字符串",
    "格式或取值不正确",
    "不是有效的 Unicode 文本",
    "数字必须是有限值",
    "此幂等键已用于内容不同的请求，请使用新的键",
    "请以 multipart/form-data 格式上传文件",
    "上传内容的分隔符有误",
    "上传内容的格式有误，请重新上传",
    "缺少文件：请把文件放在表单字段 file 中",
    "表单字段过多，一次只能上传一个文件",
    "一次只能上传一个文件",
    "请求同时使用了 Content-Length 和 Transfer-Encoding，请只用其中一个",
    "Host 请求头不是本服务的地址",
    "请求不是有效的 HTTP/1.1，请检查客户端",
    "应为 Base64 编码的人脸照片",
    "faceInfo：人脸识别不可用，请联系管理员安装人脸识别引擎",
    "实时通知的连接过多，请稍后重试",
    "该文件不是图片，无法生成缩略图",
    "该文件不是图片，无法裁剪",
    "该文件不是图片，无法分块显示",
    "图片分块不存在",
    # For a phone, whose page has its own texts.
    "连接码无效，请扫描工作台上当前显示的二维码",
    "此连接码已在另一部手机上使用，请在工作台上生成新的连接码",
    "手机未连接，请扫描工作台上的二维码",
    "连接码已被结束，请在工作台上生成新的连接码",
    "连接码已过期，请在工作台上生成新的连接码",
    "检查记录或检查项已删除，不再接收照片",
    "生成连接码的用户已退出登录，请重新登录后生成新的连接码",
    "生成连接码的用户没有添加照片的权限，请联系管理员",
    "检查项不存在，请选择其他检查项",
    "此连接码的照片数量已达上限，请生成新的连接码",
    "照片编号已被使用，请重新拍照",
    "照片内容超过声明的大小，请重新发送",
    "照片不存在，请重新发送",
    "检查项没有参考图区域",
    # No failures.
    "连接码已生成",
    "手机已连接",
    "连接码已结束",
    "已退出登录",
    "登录成功",
    "照片已添加到检查记录",
    "照片匹配已提交",
    "照片的检查项已更新",
    "照片已删除",
    "检查记录已完成",
    "检查记录已复核",
    "备份文件夹已保存",
    "备份已开始",
    "检查记录已解除封存",
    "校验通过：记录与封存时一致",
    "完成记录的规则已更新",
    # Results of a check of a seal: the desktop formats them by kind and place.
    "校验未通过：记录与封存时不一致",
    "与封存时不同",
    "是封存后新增的",
    "的内容与封存时不同",
    "的信息与封存时不同",
    "与封存码不符",
    "与审计日志不符",
    "检测任务已提交",
    "检测任务已取消",
    "检测已取消",
    "该用户未登记人脸",
    "人脸数据已删除",
    "人脸登录已开启",
    "人脸登录已关闭",
    "图片分块已就绪",
    "测试已发送",
    "登录会话已结束",
    # From addresses that the desktop does not request.
    "请提供读取指标的令牌",
    "服务尚未就绪，请稍后重试；如反复出现，请联系管理员",
    "图片分块正在生成",
    "参考差分",
    "把照片与参考图上的标记区域对齐后比较，无需训练",
    "更新数据失败",
    "我同意本工作站从我的照片中提取人脸特征，仅用于登录时核对身份。"
    "照片不会保存；特征加密存放在本服务中，我可以随时删除，删除立即生效。",
}


# Repeats messages of other modules, and names of an invented record.
_EXAMPLES = Path("api_examples.py")


def _sentences_of_the_service() -> set[str]:
    """Every whole sentence in Chinese in the source of the service, except messages of success."""
    sentences: set[str] = set()
    service = Path(__file__).parents[4] / "service"
    for path in set(service.rglob("*.py")) - {service / _EXAMPLES}:
        source = path.read_text("utf-8")
        if source.isascii():
            continue
        nodes = list(ast.walk(ast.parse(source)))
        parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
                text = node.value
                if any("一" <= letter <= "鿿" for letter in text) and not text.isspace():
                    sentences.add(text)
    return {text for text in sentences if "\n" not in text and not text.endswith("成功") and len(text) > 4}


@pytest.mark.parametrize("message", sorted(_sentences_of_the_service() - _NEVER_SHOWN - {*MESSAGES.values()}))
def test_every_message_that_can_be_shown_is_translated(message: str) -> None:
    assert sentence(NotFound(message)).isascii()


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_what_still_refers_to_an_entry_is_named(kind: str) -> None:
    message = f"仍被2 {KIND_NAMES[kind]}引用，请先修改或删除这些引用"
    word = kind.replace("_", " ")
    expected = f"Still in use by 2 {word}(s). Change or delete these first."
    assert sentence(Conflict(message, details={"references": {kind: 2}})) == expected


def test_refused_file_differs_from_empty_file() -> None:
    assert sentence(Unsupported("文件为空，请选择其他文件")) == "The file is empty. Select another file."
    assert "TIFF" in sentence(Unsupported("该文件不是图片，不能作为照片"))


def test_message_names_the_items_that_prevent_finishing() -> None:
    items = [{"item_id": str(n), "item_name": f"R{n}"} for n in range(5)]
    details = {"count": 5, "items": items}
    text = sentence(Conflict("5 个检查项待判定：R0、R1、R2 等", details=details))
    assert text == "5 item(s) have no verdict yet: R0, R1, R2, …"
    running = sentence(Conflict("…", code="detections_running", details={"count": 1, "items": items[:1]}))
    assert running == "Detection is running on 1 item(s): R0. Wait for it to finish or cancel it."


def test_error_after_an_update_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "walkaround"
    program.touch()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(paths, "_PROGRAM_AT_START", paths._identify_program())
    errors = (ImportError("no module"), FileNotFoundError("model"))
    assert not any("updated while it was open" in sentence(error) for error in errors)
    program.unlink()
    assert all("updated while it was open" in sentence(error) for error in errors)
    assert "updated" not in sentence(Refused("busy"))
