"""Tests that varied regions depend only on the seed, and differ between inspections."""

from __future__ import annotations

import numpy as np
import pytest

from tests.material.varied_regions import (
    NUISANCES,
    UNSEEN_NUISANCES,
    draw_crack,
    draw_varied_region,
    seasonal_view,
)


@pytest.mark.parametrize("kind", [*NUISANCES, *UNSEEN_NUISANCES])
def test_each_kind_changes_only_pixels_in_its_zone(kind: str) -> None:
    region = draw_varied_region(240, 240, 3, [kind])
    states = [region.draw_state(number).image.astype(int) for number in range(5)]
    assert np.array_equal(states[0], region.reference)
    off = np.max([np.abs(state - states[0]).max(axis=2) for state in states], axis=0)
    zone = region.places[0].zone
    assert off[int(zone.y) : int(zone.bottom), int(zone.x) : int(zone.right)].max() > 30
    off[int(zone.y) : int(zone.bottom), int(zone.x) : int(zone.right)] = 0
    assert off.max() == 0
    assert np.array_equal(
        region.draw_state(3).image, draw_varied_region(240, 240, 3, [kind]).draw_state(3).image
    )


def test_unknown_kind_raises_key_error() -> None:
    with pytest.raises(KeyError):
        draw_varied_region(240, 240, 3, ["weather"])


def test_growing_crack_keeps_its_course() -> None:
    image = draw_varied_region(240, 240, 3, []).reference
    short, near = draw_crack(image, (60, 60), 0.5, 20)
    long, far = draw_crack(image, (60, 60), 0.5, 60)
    assert near.intersection(far).area > 0.9 * near.area
    dark = np.abs(short.astype(int) - image).max(axis=2) > 40
    assert (np.abs(long.astype(int) - image).max(axis=2)[dark] > 20).mean() > 0.9


def test_light_changes_with_the_season_and_the_camera_every_fifth_inspection() -> None:
    views = [seasonal_view(number, 4) for number in range(12)]
    assert views[0].gain > views[6].gain + 0.2
    assert views[0].noise == views[4].noise != views[5].noise
