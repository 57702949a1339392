"""What a failure is called in the language of the desktop: one sentence that says what to do.

What is known by its code or by its exact message is translated here. Anything else is said in the words of
the service, which are more exact than anything that could be made up about it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from desktop.client.answers import NOT_OURS
from desktop.client.errors import (
    ClientError,
    Conflict,
    Forbidden,
    Invalid,
    NotLoggedIn,
    Refused,
    ServerFault,
    Stale,
    TooLarge,
    TooMany,
    Unreachable,
    Unsupported,
)

_NTH = re.compile(r"第 (\d+) 张照片：(.+)", re.DOTALL)


def sentence(error: Exception) -> str:
    """What to tell the person about `error`."""
    if isinstance(error, OSError):
        return QCoreApplication.translate("Errors", "The file cannot be read. Choose another one.")
    if not isinstance(error, ClientError):
        return QCoreApplication.translate("Errors", "This did not work. Try again.")
    if isinstance(error, Refused):
        return _refused(error)
    if isinstance(error, Invalid) and error.faults:
        name = next(iter(error.faults))
        return field_sentence(error, name)
    return _by_kind(error) or _known(error.server_message or "") or error.server_message or _failed()


def field_sentence(error: Invalid, name: str) -> str:
    """What is wrong with the field `name`; an empty string when nothing is."""
    if name not in error.fields and name not in error.faults:
        return ""
    match error.faults.get(name):
        case "username_length":
            return QCoreApplication.translate("Errors", "A user name has 1 to 64 characters.")
        case "username_characters":
            return QCoreApplication.translate("Errors", "A user name has no blanks or invisible characters.")
        case "password_length":
            return QCoreApplication.translate("Errors", "A password has 8 to 128 characters.")
        case "password_common":
            return QCoreApplication.translate("Errors", "This password is too common. Choose another one.")
        case "password_is_username":
            return QCoreApplication.translate("Errors", "The password must not be the user name.")
        case _:
            said = error.fields.get(name, "")
            return _known(said) or said or QCoreApplication.translate("Errors", "This is not valid.")


def seconds_sentence(seconds: int) -> str:
    """How long to wait after too many tries, counted down by the page."""
    return QCoreApplication.translate("Errors", "Too many tries. Try again in %n second(s).", "", seconds)


def _failed() -> str:
    return QCoreApplication.translate("Errors", "The service did not do this. Try again.")


def _by_kind(error: ClientError) -> str:
    """The sentence for a kind of failure that needs no word of the service; empty for the others."""
    if isinstance(error, Unreachable):
        return QCoreApplication.translate(
            "Errors", "The service cannot be reached. Check that it is running, then try again."
        )
    if isinstance(error, NotLoggedIn):
        return QCoreApplication.translate("Errors", "Your login has ended. Log in again.")
    if isinstance(error, Forbidden):
        return _forbidden(error)
    if isinstance(error, Stale):
        return QCoreApplication.translate(
            "Errors", "Somebody else changed this meanwhile. Look at the newest version, then decide."
        )
    if isinstance(error, TooLarge):
        return QCoreApplication.translate("Errors", "This is too large. Choose a smaller file.")
    if isinstance(error, Unsupported):
        return QCoreApplication.translate(
            "Errors", "This kind of file is not supported. Choose a JPEG, PNG or WebP picture."
        )
    if isinstance(error, TooMany):
        return seconds_sentence(round(error.retry_after))
    if isinstance(error, ServerFault):
        return _fault(error)
    if isinstance(error, Conflict) and isinstance(error.details.get("references"), dict):
        return _in_use(error.details["references"])
    return ""


def _in_use(references: Mapping[str, int]) -> str:
    """Which entries of the catalogue still refer to something, by the numbers of each kind."""
    counted = {
        "flight": QCoreApplication.translate("Errors", "%n flight(s)", "", references.get("flight", 0)),
        "task": QCoreApplication.translate("Errors", "%n task(s)", "", references.get("task", 0)),
        "reference_image": QCoreApplication.translate(
            "Errors", "%n reference image(s)", "", references.get("reference_image", 0)
        ),
    }
    named = [words for kind, words in counted.items() if references.get(kind)]
    return QCoreApplication.translate("Errors", "Still used by {what}. Change or delete these first.").format(
        what=", ".join(named) or QCoreApplication.translate("Errors", "other entries")
    )


def _forbidden(error: Forbidden) -> str:
    if error.code == "password_login_needed":
        return QCoreApplication.translate(
            "Errors", "This needs a fresh login by password. Log out, log in by password, then try again."
        )
    if error.code == "permission_missing":
        return QCoreApplication.translate("Errors", "You have no right to do this. Ask an administrator.")
    if error.code == "face_login_off":
        return QCoreApplication.translate("Errors", "Face login is off here. Log in by password.")
    return ""


def _fault(error: ServerFault) -> str:
    if error.code == NOT_OURS:
        return QCoreApplication.translate(
            "Errors",
            "What answers there is no Walkaround service. Check the address of the server.",
        )
    if error.code == "unavailable":
        return error.server_message or QCoreApplication.translate(
            "Errors", "The service is busy. Wait a moment, then try again."
        )
    if error.request_id:
        return QCoreApplication.translate(
            "Errors", "The service failed. Try again; if it stays, tell an administrator the number {number}."
        ).format(number=error.request_id)
    return QCoreApplication.translate("Errors", "The service failed. Try again.")


def _refused(error: Refused) -> str:
    message = error.server_message or ""
    # The profile says which field in its data; everything else says it in the message.
    if message == "更新数据失败" and isinstance(error.data, str):
        message = error.data.partition("：")[2] or error.data
    nth = _NTH.fullmatch(message)
    if nth is not None:
        said = _known(nth[2]) or nth[2]
        return QCoreApplication.translate("Errors", "Picture {n}: {what}").format(n=nth[1], what=said)
    return _known(message) or message or _failed()


def _known(message: str) -> str:
    """A message of the service in the language of the desktop; empty when it is not known."""
    return {
        "用户名或密码错误": QCoreApplication.translate("Errors", "Wrong user name or password."),
        "原密码错误": QCoreApplication.translate("Errors", "The current password is wrong."),
        "无法校验人脸": QCoreApplication.translate(
            "Errors", "The face was not recognized. Try again, or log in by password."
        ),
        "人脸信息缺失": QCoreApplication.translate("Errors", "The picture of the face is missing."),
        "人脸图像超过 10 MB，请换一张较小的照片": QCoreApplication.translate(
            "Errors", "The picture is larger than 10 MB. Choose a smaller one."
        ),
        "人脸图像的格式不支持，请使用 JPEG、PNG 或 WebP 照片": QCoreApplication.translate(
            "Errors", "This kind of file is not supported. Choose a JPEG, PNG or WebP picture."
        ),
        "人脸图像超过 5000 万像素，请缩小后重试": QCoreApplication.translate(
            "Errors", "The picture has more than 50 megapixels. Make it smaller, then try again."
        ),
        "人脸图像的尺寸太小，请换一张更清晰的照片": QCoreApplication.translate(
            "Errors", "The picture is too small. Choose a clearer one."
        ),
        "人脸图像已损坏或不完整，请重新拍摄或选择": QCoreApplication.translate(
            "Errors", "The picture is damaged. Take or choose another one."
        ),
        "没有找到人脸，请正对镜头、摘下口罩，让整张脸进入画面": QCoreApplication.translate(
            "Errors", "There is no face. Face the camera without a mask, the whole face in the picture."
        ),
        "画面中不止一个人，请只让本人出现在画面中": QCoreApplication.translate(
            "Errors", "There is more than one person. Only you may be in the picture."
        ),
        "人脸太小，请靠近镜头后重拍": QCoreApplication.translate(
            "Errors", "The face is too small. Come closer and take it again."
        ),
        "人脸过亮，请避开强光后重拍": QCoreApplication.translate(
            "Errors", "The face is too bright. Turn away from the light and take it again."
        ),
        "人脸过暗，请增加光线后重拍": QCoreApplication.translate(
            "Errors", "The face is too dark. Make more light and take it again."
        ),
        "人脸模糊，请保持不动、擦净镜头后重拍": QCoreApplication.translate(
            "Errors", "The face is blurred. Clean the lens, keep still and take it again."
        ),
        "脸转得太偏，请稍微转向镜头后重拍": QCoreApplication.translate(
            "Errors", "The face is turned too far. Turn a little towards the camera and take it again."
        ),
        "口鼻被遮挡，请摘下口罩后重拍": QCoreApplication.translate(
            "Errors", "Mouth and nose are covered. Take the mask off and take it again."
        ),
        "没有通过活体检测，请由本人正对镜头拍摄，不要使用照片或屏幕": QCoreApplication.translate(
            "Errors", "This looks like a picture of a picture. Face the camera yourself."
        ),
        "几张照片不像同一个人，请全部由本人重新拍摄": QCoreApplication.translate(
            "Errors", "The pictures do not look like one person. Take all of them anew."
        ),
        "这张脸已登记在另一个账号下，请联系管理员": QCoreApplication.translate(
            "Errors", "This face is enrolled for another user. Ask an administrator."
        ),
        "需要有效的邮箱地址，最多 254 个字符": QCoreApplication.translate(
            "Errors", "This is no e-mail address; it has the form name@example.com."
        ),
        "需要有效的电话号码，只含数字、空格、括号、+ 和 -，最多 32 个字符": QCoreApplication.translate(
            "Errors", "A phone number has only digits, blanks, brackets, + and -."
        ),
        "需要 0 到 80 之间的整数": QCoreApplication.translate("Errors", "A whole number from 0 to 80."),
        "需要文本，最多 255 个字符": QCoreApplication.translate("Errors", "At most 255 characters."),
        "需要文本，最多 32 个字符": QCoreApplication.translate("Errors", "At most 32 characters."),
        "用户名已存在，请换一个": QCoreApplication.translate(
            "Errors", "This user name is taken. Choose another one."
        ),
        "至少要保留一名启用的管理员": QCoreApplication.translate(
            "Errors", "At least one administrator must stay enabled."
        ),
        "已有同名的检测模型，请换一个名称": QCoreApplication.translate(
            "Errors", "There is a model of this name. Choose another name."
        ),
        "检查记录没有参考图，无法套用模板": QCoreApplication.translate(
            "Errors", "The record has no reference image, so there is no template to take over."
        ),
        "参考图没有模板，请先在参考图上保存区域": QCoreApplication.translate(
            "Errors", "The reference image has no template. Save regions with it first."
        ),
        "所选的检查记录没有检查项": QCoreApplication.translate("Errors", "The chosen record has no items."),
        "该文件不是完整的 ONNX 模型，请重新导出后再上传": QCoreApplication.translate(
            "Errors", "This is no complete ONNX model. Export it anew."
        ),
        "模型引用了外部数据文件，请导出为单个 ONNX 文件": QCoreApplication.translate(
            "Errors", "The model refers to other files. Export it as a single ONNX file."
        ),
        "模型使用了自定义算子，请改用标准 ONNX 算子导出": QCoreApplication.translate(
            "Errors", "The model uses custom operators. Export it with standard ONNX operators."
        ),
        "ONNX Runtime 无法打开该模型，请检查导出的版本": QCoreApplication.translate(
            "Errors", "ONNX Runtime cannot open the model. Check the version of the export."
        ),
        "模型的输入不是一张三通道图片，无法用于检测": QCoreApplication.translate(
            "Errors", "The input of the model is not one picture with three channels."
        ),
        "模型试运行失败，请检查导出的输入尺寸": QCoreApplication.translate(
            "Errors", "A trial run of the model failed. Check the input size of the export."
        ),
        "无法识别模型的输出格式，请在上传时选择模型类型": QCoreApplication.translate(
            "Errors", "The output of the model is of no known kind, so its findings cannot be read."
        ),
        "模型的输出不是任何一种支持的检测格式，请按其中一种重新导出": QCoreApplication.translate(
            "Errors", "The model's outputs are of no kind that is supported. Export it as one of these kinds."
        ),
        "模型的输出与所选的模型类型不符，请重新选择": QCoreApplication.translate(
            "Errors", "The model's outputs do not fit the chosen kind. Choose another one."
        ),
        "无法判断类别输出用 softmax 还是 sigmoid，请在设置中填写 activation": QCoreApplication.translate(
            "Errors",
            "The file does not tell whether classes come by softmax or sigmoid. Set activation yourself.",
        ),
        "标签列表不正确，请提供字符串列表": QCoreApplication.translate(
            "Errors", "The labels are not valid. Give a list of texts."
        ),
        "模型设置不正确，请检查各项设置": QCoreApplication.translate(
            "Errors", "The settings of the model are not valid. Check each of them."
        ),
        "模型检查超时，文件未被接受": QCoreApplication.translate(
            "Errors", "Checking the model took too long. It was not accepted."
        ),
        "检查模型时进程异常退出，文件未被接受": QCoreApplication.translate(
            "Errors", "The model ended the process that checked it. It was not accepted."
        ),
        "该文件不是图片，请上传 JPEG、PNG、WebP、TIFF 或 BMP 图片": QCoreApplication.translate(
            "Errors", "This file is no picture. Choose a JPEG, PNG, WebP, TIFF or BMP file."
        ),
    }.get(message, "")
