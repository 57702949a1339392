"""Decodes pictures to upright pixels with libvips and converts between libvips, NumPy and Qt."""
