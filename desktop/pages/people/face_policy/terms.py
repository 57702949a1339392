"""Names the rules for head movements, and the reasons why a response to a challenge was refused."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from shared.wire.face import ChallengeRule


def rule_word(rule: str) -> str:
    """The name of a rule; the code if it is unknown."""
    return dict[str, str](challenge_choices()).get(rule, rule)


def challenge_choices() -> list[tuple[ChallengeRule, str]]:
    """The rules and their names."""
    translate = QCoreApplication.translate
    return [
        ("off", translate("PolicyCard", "Off")),
        ("in_doubt", translate("PolicyCard", "When in doubt")),
        ("always", translate("PolicyCard", "Always")),
    ]


def refusal_word(reason: str) -> str:
    """Why a response to a challenge was refused; the code if it is unknown."""
    translate = QCoreApplication.translate
    return {
        "asked_for": translate("ChallengeReason", "Head movements requested"),
        "not_valid": translate(
            "ChallengeReason", "Challenge already used, expired, or made for another device"
        ),
        "no_face": translate("ChallengeReason", "No face"),
        "too_few_frames": translate("ChallengeReason", "Too few frames"),
        "not_steady": translate("ChallengeReason", "Movement started too early"),
        "not_made": translate("ChallengeReason", "No movement"),
        "face_lost": translate("ChallengeReason", "Turned too far or too fast"),
        "wrong_movement": translate("ChallengeReason", "Another movement"),
        "still": translate("ChallengeReason", "Face without any change"),
        "flat": translate("ChallengeReason", "Flat picture"),
        "cut": translate("ChallengeReason", "Video cut detected"),
        "other_face": translate("ChallengeReason", "Different person"),
        # Audit logs of earlier versions contain these two.
        "morph": translate("ChallengeReason", "Morphed photo"),
        "in_doubt": translate("ChallengeReason", "One more movement requested"),
        "too_dark": translate("ChallengeReason", "Too dark"),
        "face_too_small": translate("ChallengeReason", "Face too small"),
    }.get(reason, reason)
