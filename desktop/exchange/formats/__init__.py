"""Reads and writes file formats, one in each module: JSON, CSV, COCO, YOLO, CVAT, labelme."""
