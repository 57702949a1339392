"""Imports and configures libvips. All other modules use ``from desktop.imaging.decoding.vips import pyvips``.

Loaders that libvips marks as unsafe for untrusted files are off. At most two of its threads run at a time, so
that the GUI keeps a core. The operation cache is off, because it would keep files and pixels of closed
pictures.
"""

from __future__ import annotations

import os

os.environ.setdefault("VIPS_CONCURRENCY", "2")

import pyvips

pyvips.block_untrusted_set(True)
pyvips.cache_set_max(0)

__all__ = ["pyvips"]
