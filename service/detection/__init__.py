"""Detection: models, jobs and batches, and the engines that compare photos or run ONNX files."""
