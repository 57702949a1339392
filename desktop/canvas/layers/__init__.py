"""Paints what the canvas shows, one layer a module: image tiles, regions, findings, drafts, ignored areas."""
