"""Inspections as files of other programs, and regions out of such files. No Qt.

Every rectangle is half-open, in px of an upright picture, and inside of it. `formats.FORMATS` lists what can
be written; `formats.read_regions` reads whatever of it (or of the same formats by other programs) is given.
A dataset names its pictures by file name and content id, and holds them where that is wanted.
"""
