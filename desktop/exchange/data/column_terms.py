"""Defines the terms of a table: translated for a user, codes for a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


def _same_text(text: str) -> str:
    return text


def _model_name(model_id: str | None, name: str | None) -> str | None:
    return name


@dataclass(frozen=True, slots=True)
class ColumnTerms:
    """The terms that a table shows for codes. By default these are the codes themselves.

    `headings` maps the codes of columns to titles, `outcome` the codes passed, failed and undecided, and
    `state` the codes of `SealState`. `label` and `severity` translate those of a finding, and
    `model` gives the name of a model from its ID and its stored name.
    """

    headings: Mapping[str, str] = field(default_factory=dict)
    outcome: Mapping[str, str] = field(default_factory=dict)
    state: Mapping[str, str] = field(default_factory=dict)
    label: Callable[[str], str] = _same_text
    severity: Callable[[str], str] = _same_text
    model: Callable[[str | None, str | None], str | None] = _model_name


CODES = ColumnTerms()

CHINESE = {
    "inspection_id": "检查记录编号",
    "inspection_name": "检查记录",
    "aircraft_name": "飞机",
    "executor_name": "执行人",
    "state": "封存状态",
    "outcome": "综合判定",
    "edition": "版次",
    "seal": "封存码",
    "finished_by": "完成人",
    "finished_at": "完成时间",
    "released_by": "复核人",
    "released_at": "复核时间",
    "number": "序号",
    "item_id": "检查项编号",
    "item_name": "检查项",
    "description": "说明",
    "model_id": "检测模型编号",
    "model_name": "检测模型",
    "passed": "结果",
    "opinion": "模型意见",
    "verdict": "判定",
    "reason": "理由",
    "decided_by": "判定人",
    "decided_at": "判定时间",
    "accepted_opinion_of_version": "所采纳模型意见的版本",
    "inspected_share": "已检查区域比例",
    "reference": "参考图",
    "reference_width": "参考图宽度",
    "reference_height": "参考图高度",
    "region_x": "区域 x",
    "region_y": "区域 y",
    "region_w": "区域宽度",
    "region_h": "区域高度",
    "photo": "照片",
    "photo_cid": "照片内容标识",
    "photo_width": "照片宽度",
    "photo_height": "照片高度",
    "version": "版本",
    "label": "缺陷标签",
    "severity": "严重程度",
    "confidence": "置信度",
    "drawn_by": "标注人",
    "x1": "x1",
    "y1": "y1",
    "x2": "x2",
    "y2": "y2",
    "width_mm": "宽度 mm",
    "height_mm": "高度 mm",
}
"""The titles of the columns in a Chinese table. In every other language the codes are the titles."""

EARLIER_TITLES = {
    "结论": "outcome",
    "封签": "seal",
    "条目编号": "item_id",
    "检测条目": "item_name",
    "发现": "label",
    "绘制人": "drawn_by",
}
"""Titles that Chinese tables had in earlier versions: title -> code. They are still read."""
