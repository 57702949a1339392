"""Computes colours, as ``#rrggbb``, that are readable on each other."""

from __future__ import annotations

from functools import lru_cache

AA = 4.5
"""Minimum contrast of text to its ground, WCAG 2.2 criterion 1.4.3."""


@lru_cache(maxsize=512)
def luminance(colour: str) -> float:
    """Return the relative luminance (0..1) of ``#rrggbb``, as WCAG 2.2 defines it."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio (1..21) of two ``#rrggbb`` colours, as WCAG 2.2 defines it."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(maxsize=2048)
def mix(colour: str, ground: str, share: float) -> str:
    """Blend `share` (0..1) of `colour` over `ground`; returns ``#rrggbb``."""
    pairs = ((int(colour[i : i + 2], 16), int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@lru_cache(maxsize=512)
def readable(colour: str, *grounds: str) -> str:
    """Shift `colour` towards white or black until its contrast as text on all `grounds` is at least AA."""
    darkest = min(luminance(ground) for ground in grounds)
    goal = "#ffffff" if darkest < 0.18 else "#000000"
    for step in range(0, 101, 2):
        moved = mix(goal, colour, step / 100)
        if all(contrast(moved, ground) >= AA for ground in grounds):
            return moved
    return goal


@lru_cache(maxsize=64)
def ink_on(ground: str) -> str:
    """Return white or near-black, whichever has more contrast to `ground`."""
    return max("#ffffff", "#0e1013", key=lambda ink: contrast(ink, ground))


@lru_cache(maxsize=64)
def ground_for(ink: str, colour: str, goal: str) -> str:
    """Shift `colour` towards `goal` until the contrast of `ink` on it is at least AA."""
    steps = (mix(goal, colour, step / 100) for step in range(101))
    return next(ground for ground in steps if contrast(ground, ink) >= AA)
