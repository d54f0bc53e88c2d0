"""The evaluation harness, on a catalog of tiny models."""
