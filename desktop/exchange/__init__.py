"""Exports inspections to files of other programs and imports regions from such files. No Qt.

Every rectangle is half-open, in px of an upright picture, and inside it. `registry.FORMATS` lists the export
formats; `registry.read_regions` reads the regions of a file of these formats, also if another program wrote
it. A dataset names its pictures by file name and content ID, and can include them.
"""
