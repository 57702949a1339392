"""Gives every picture, in memory, tiled on disk or at a remote service, as one `ImageSource`."""
