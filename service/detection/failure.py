"""Why a detection gave no result: a stable code and a sentence for the person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shared.reasons import hindrance

MESSAGES: Final[dict[str, str]] = {
    "no_photo": "该条目还没有照片，请先添加照片",
    "no_region": "该条目没有标记区域或参考图，请先在参考图上画出区域",
    "no_model": "该条目没有指定检测模型，请先选择模型",
    "model_unknown": "服务中没有该检测模型，请重新选择模型",
    "model_disabled": "该检测模型已停用，请选择其他模型",
    "file_lost": "照片或参考图的文件已丢失，请重新上传",
    "model_lost": "检测模型的文件已丢失，请联系管理员重新添加该模型",
    "image_unreadable": "图片已损坏或格式不支持，无法检测，请重新拍摄或上传",
    "image_too_large": "图片过大，无法检测，请缩小后重新上传",
    "alignment_failed": "照片与标记区域对不上，请确认拍摄的是该部位并重新拍摄",
    "too_small": "标记区域或照片过小，无法比较，请放大区域或重新拍摄",
    "not_visible": "照片没有完整拍到标记区域，请重新拍摄",
    "model_failed": "检测模型运行失败，请检查模型文件或选择其他模型",
    "out_of_memory": "内存不足，检测未完成，请缩小图片后重试",
    "disk_full": "磁盘空间不足，检测结果无法保存，请清理磁盘空间后重试",
    "not_writable": "检测结果无法写入磁盘，请联系管理员检查目录权限后重试",
    "worker_died": "检测进程多次意外退出，请检查照片和模型后重试",
    "timed_out": "检测超时，请缩小图片或选择更快的模型后重试",
    "item_settings_wrong": "该条目的检测设置不正确，请检查灵敏度、最小缺陷和忽略区域",
    "canceled": "检测已取消",
    "internal": "检测时发生内部错误，请重试；若再次出现请联系管理员",
}


class DetectionFailed(Exception):  # noqa: N818 - an answer of a run, not a fault of the program
    """A run that ends without a result. `code` is stable, str() the Chinese sentence."""

    def __init__(self, code: str) -> None:
        super().__init__(MESSAGES[code])
        self.code = code


def of_disk(problem: OSError) -> str:
    """The code of what kept a result from being written."""
    return hindrance(problem) or "internal"


MODEL_MESSAGES: Final[dict[str, str]] = {
    "not_onnx": "该文件不是完整的 ONNX 模型，请重新导出后再上传",
    "external_data": "模型引用了外部数据文件，请导出为单个 ONNX 文件",
    "custom_operators": "模型使用了自定义算子，请改用标准 ONNX 算子导出",
    "cannot_open": "ONNX Runtime 无法打开该模型，请检查导出的版本",
    "not_an_image_model": "模型的输入不是一张三通道图片，无法用于检测",
    "task_unsupported": "模型的任务不是目标检测（例如旋转框或分类），请导出目标检测模型",
    "dry_run_failed": "模型试运行失败，请检查导出的输入尺寸",
    "kind_unknown": "无法识别模型的输出格式，请在上传时选择模型类型",
    "kind_unsupported": "模型的输出不是任何一种支持的检测格式，请按其中一种重新导出",
    "activation_unknown": "无法判断类别输出用 softmax 还是 sigmoid，请在设置中填写 activation",
    "kind_wrong": "模型的输出与所选的模型类型不符，请重新选择",
    "timed_out": "模型检查超时，文件未被接受",
    "crashed": "检查模型时进程异常退出，文件未被接受",
    "labels_wrong": "标签列表不正确，请提供字符串列表",
    "settings_wrong": "模型设置不正确，请检查各项设置",
}


class BadModel(ValueError):  # noqa: N818 - says what the file is
    """The file is not accepted; `code` is stable, str() the Chinese sentence.

    `kinds`: the kinds that its outputs could be read as, where the kind is in question.
    """

    def __init__(self, code: str, kinds: Sequence[str] = ()) -> None:
        super().__init__(MODEL_MESSAGES[code])
        self.code = code
        self.kinds = list(kinds)
