"""Images in both processes: the one import of OpenCV, PNG headers, tiles, upright pixels."""
