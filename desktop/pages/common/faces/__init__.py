"""The camera preview and reading a face picture from a file."""
