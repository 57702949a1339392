from __future__ import annotations

from desktop.camera import AutoShutter


def shares(shutter: AutoShutter, begin: float, fits: str) -> list[float]:
    """What looks a quarter of a second apart give; `x` fits, anything else does not."""
    return [shutter.update(fit == "x", begin + 0.25 * index) for index, fit in enumerate(fits)]


def test_shutter_fires_once_after_a_second_of_fitting_frames() -> None:
    shutter = AutoShutter()
    assert shares(shutter, 0, "xxxxxxxx") == [0.0, 0.25, 0.5, 0.75, 1.0, 0.0, 0.0, 0.0]
    assert shares(shutter, 2, "..xxxxx")[-1] == 1.0


def test_one_bad_frame_does_not_restart_the_second_but_two_do() -> None:
    assert shares(AutoShutter(), 0, "xx.xx")[-1] == 1.0
    assert shares(AutoShutter(), 0, "xx..xx")[-1] == 0.25
    assert 1.0 not in shares(AutoShutter(), 0, "xxxx.")


def test_shutter_fires_again_only_after_the_camera_moved() -> None:
    shutter = AutoShutter()
    shares(shutter, 0, "xxx")
    shutter.reset()
    assert shares(shutter, 1, "xxxxxx") == [0.0] * 6
    assert shares(shutter, 3, "..xxxxx")[-1] == 1.0
