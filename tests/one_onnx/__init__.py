"""Tests of whole programs as one ONNX file, run by ONNX Runtime alone."""
