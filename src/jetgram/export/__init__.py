"""Models for other frameworks: ONNX."""
