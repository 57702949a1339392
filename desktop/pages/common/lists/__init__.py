"""Sections with a searchable, paged list, and the page that shows one of several sections."""
