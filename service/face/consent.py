"""Defines the text that a user consents to by enrolling."""

from __future__ import annotations

CONSENT_VERSION = "1"
CONSENT_TEXT = (
    "我同意本工作站从我的照片中提取人脸特征，仅用于登录时核对身份。照片不会保存；"
    "特征加密存放在本服务中，我可以随时删除，删除立即生效。"
)
# The contract's operations have no field for a consent: the calling client must have obtained it.
CONSENT_BY_CALLER = "caller"
