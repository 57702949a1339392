"""Regions, viewport and geometry of the canvas as pure objects: no painting, no widgets."""
