"""Defines the reasons why a detection gave no result: a stable code and a sentence for the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shared.system.os_errors import classify_os_error

MESSAGES: Final[dict[str, str]] = {
    "no_photo": "检查项没有照片，请先添加照片",
    "no_region": "检查项没有区域或参考图，请先在参考图上绘制区域",
    "no_model": "检查项没有检测模型，请选择模型",
    "model_unknown": "服务中没有此检测模型，请选择其他模型",
    "model_disabled": "此检测模型已停用，请选择其他模型",
    "model_finds_nothing": "特征模型不能用于检测，请选择其他模型",
    "file_lost": "照片或参考图文件已丢失，请重新上传",
    "model_lost": "检测模型文件已丢失，请联系管理员重新添加模型",
    "image_unreadable": "图片已损坏或格式不支持，无法检测，请重新拍摄或上传",
    "image_too_large": "图片过大，无法检测，请缩小后重新上传",
    "alignment_failed": "照片与区域对不上，请确认拍摄部位正确；如照片模糊，请持稳或补光后重新拍摄",
    "overexposed": "照片过曝或反光，看不清部分区域，请降低曝光或避开反光后重新拍摄",
    "too_small": "区域或照片过小，无法比对，请放大区域或重新拍摄",
    "photo_is_reference": "照片与参考图是同一张图片，无法检测，请添加本次拍摄的照片",
    "incomplete_coverage": "照片未完整拍到区域，检查不完整，请重新拍摄",
    "not_visible": "照片未完整拍到区域，请重新拍摄",
    "model_failed": "检测模型运行失败，请检查模型文件或选择其他模型",
    "out_of_memory": "内存不足，检测未完成，请缩小图片后重试",
    "disk_full": "磁盘空间不足，检测结果无法保存，请清理磁盘空间后重试",
    "not_writable": "服务没有磁盘写入权限，检测结果未保存，请联系管理员处理后重试",
    "store_away": "文件存储无响应，检测未完成，请稍后重新检测；如反复出现，请联系管理员",
    "worker_died": "检测进程多次异常退出，请检查照片和模型后重试",
    "timed_out": "检测超时，请缩小图片或选择更快的模型后重试",
    "item_settings_wrong": "检查项的检测参数无效，请检查灵敏度、最小缺陷尺寸和忽略区域",
    "canceled": "检测已取消",
    "internal": "检测时发生内部错误，请重试；如再次出现，请联系管理员",
}


class DetectionFailed(Exception):  # noqa: N818 - an answer of a run, not a fault of the program
    """A detection ended without a result. `code` is stable, str() is the Chinese sentence."""

    def __init__(self, code: str) -> None:
        super().__init__(MESSAGES[code])
        self.code = code


def disk_error_code(problem: OSError) -> str:
    """The code of the problem that prevented the result from being written."""
    return classify_os_error(problem) or "internal"


MODEL_MESSAGES: Final[dict[str, str]] = {
    "not_onnx": "ONNX 模型文件不完整，请重新导出后上传",
    "external_data": "模型引用了外部文件，请导出为单个 ONNX 文件",
    "custom_operators": "模型使用了自定义算子，请使用标准 ONNX 算子导出",
    "cannot_open": "ONNX Runtime 无法打开该模型，请检查导出时的版本",
    "not_an_image_model": "模型的输入不是一张三通道图片，无法用于检测，请重新导出",
    "task_unsupported": "该模型不是目标检测模型（例如旋转框或分类模型），请导出目标检测模型",
    "dry_run_failed": "模型试运行失败，请检查导出时的输入尺寸",
    "kind_unknown": "无法确定模型的输出格式，请在上传时选择模型类型",
    "kind_unsupported": "不支持该模型的输出格式，请按支持的格式重新导出",
    "activation_unknown": "无法确定类别输出使用 softmax 还是 sigmoid，请在参数中填写 activation",
    "first_class_unknown": "无法确定类别编号从 0 还是从 1 开始，请用 model add --settings 填写 first_class",
    "kind_wrong": "模型的输出与所选类型不符，请选择其他类型",
    "timed_out": "模型检查超时，模型未添加，请导出较小的模型后重试",
    "crashed": "检查模型时进程异常退出，模型未添加，请重新导出模型",
    "labels_wrong": "标签列表无效，请提供文本列表",
    "labels_mismatch": "标签与模型的类别数不符，请按类别顺序为每个类别提供一个标签",
    "settings_wrong": "模型参数无效，请逐项检查",
}


class BadModel(ValueError):  # noqa: N818 - says what the file is
    """The file is refused. `code` is stable, str() is the Chinese sentence.

    kinds: the kinds that its outputs could have, if the kind is in question. counts: the numbers of classes
    and labels, if they differ.
    """

    def __init__(self, code: str, kinds: Sequence[str] = (), **counts: int) -> None:
        super().__init__(MODEL_MESSAGES[code])
        self.code = code
        self.kinds = list(kinds)
        self.counts = counts
