from __future__ import annotations

from desktop.camera import AutoShutter


def shares(shutter: AutoShutter, begin: float, fits: str) -> list[float]:
    """What looks a quarter of a second apart give; `x` fits, anything else does not."""
    return [shutter.see(fit == "x", begin + 0.25 * index) for index, fit in enumerate(fits)]


def test_it_fires_once_when_the_picture_has_fitted_for_a_second() -> None:
    shutter = AutoShutter()
    assert shares(shutter, 0, "xxxxxxxx") == [0.0, 0.25, 0.5, 0.75, 1.0, 0.0, 0.0, 0.0]
    assert shares(shutter, 2, "..xxxxx")[-1] == 1.0


def test_one_look_that_fails_does_not_begin_it_again_and_two_do() -> None:
    assert shares(AutoShutter(), 0, "xx.xx")[-1] == 1.0
    assert shares(AutoShutter(), 0, "xx..xx")[-1] == 0.25
    assert 1.0 not in shares(AutoShutter(), 0, "xxxx.")


def test_after_it_was_undone_the_camera_has_to_be_moved_first() -> None:
    shutter = AutoShutter()
    shares(shutter, 0, "xxx")
    shutter.reset()
    assert shares(shutter, 1, "xxxxxx") == [0.0] * 6
    assert shares(shutter, 3, "..xxxxx")[-1] == 1.0
