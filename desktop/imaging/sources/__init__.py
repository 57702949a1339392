"""Implements `ImageSource` for pictures in memory, tiled on disk or at a remote service."""
