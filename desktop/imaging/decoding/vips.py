"""Imports libvips, in this one place, configured for a window program. Take it from here: ``from ...vips
import pyvips``.

Loaders that libvips marks as unsafe for foreign files are off, at most two of its threads work at a time (the
GUI keeps a core), and its operation cache is off: it would hold files and pixels of pictures long closed.
"""

from __future__ import annotations

import os

os.environ.setdefault("VIPS_CONCURRENCY", "2")

import pyvips

pyvips.block_untrusted_set(True)
pyvips.cache_set_max(0)

__all__ = ["pyvips"]
