"""Reads and writes one file format a module: JSON, CSV, COCO, YOLO, CVAT, labelme."""
